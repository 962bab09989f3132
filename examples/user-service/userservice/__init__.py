"""A team's user service: its database, its web server, and its jobs."""
