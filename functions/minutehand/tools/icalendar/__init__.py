"""iCalendar files (RFC 5545) as the dates and periods of a calendar."""
