"""What jobs cost a month: from definitions or real counts to units by service, and from units to dollars.

Pure: no AWS, no network, no clock. It stands on the schedule library and on the rules of calendars, which need nothing either, so that the
command line may use it.
"""
