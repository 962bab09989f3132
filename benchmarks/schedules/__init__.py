"""Speed and memory of the schedule library, beside croniter, cronsim and APScheduler."""
