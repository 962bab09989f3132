"""Importers: exports of other schedulers -> jobs, and a report of what became of each field. Pure: no file, no clock, no API.

Each system is one module (or a module and its helpers): a table of rules, and a function from documents to drafts. `running` makes
jobs of the drafts, `systems` lists the systems.
"""
