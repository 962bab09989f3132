"""Charts of the tables, as SVG files: bars and lines, drawn by a few functions of our own.

A plotting library was not taken. What is kept in a repository should change in the lines that a new figure changes, be readable on a light page and on a
dark one, and tell its figures to who cannot see it; three kinds of axes and two kinds of marks need less code than a library's settings for that.
"""
