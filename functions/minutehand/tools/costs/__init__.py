"""Monthly cost estimates: from definitions or actual runs to usage by service, and from usage to dollars.

Pure: no AWS, no network, no clock. It builds on the schedule library and the domain, which are pure too.
"""
