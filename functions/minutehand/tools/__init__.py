"""Tools of the command line: cost estimates, crontabs and iCalendar files. The bundle of the Lambda functions has none of them."""
