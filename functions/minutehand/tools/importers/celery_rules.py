"""What becomes of each field of Celery's `beat_schedule`, and of django-celery-beat's models."""

from minutehand.tools.importers.rules import Rules, carried, changed, dropped, impossible

_OF_MESSAGES = "it is about messages of Celery's broker, which has no part in a run here"

RULES = Rules(
    carried("name", "name", reason="the key in beat_schedule, or PeriodicTask.name"),
    changed(
        "task",
        "target",
        "no Celery worker takes runs: an HTTP service or a Python handler does the work of the task",
        to_complete="its target is to be completed",
    ),
    changed(
        "task",
        "target",
        "the file says the task's function, not the name under which Celery knows it",
        case="add_periodic_task",
    ),
    carried("kwargs", "payload"),
    changed(
        "args",
        "payload.args",
        "their names are in the task's function, not in the export; a handler takes arguments by name",
    ),
    changed(
        "args",
        "payload.args",
        "a keyword argument is called args too, so all of these are in payload.kwargs",
        case="both",
    ),
    carried(
        "schedule: crontab",
        "schedule",
        reason="both day fields must match, as there, wherever a crontab here can say so",
    ),
    changed(
        "schedule: crontab",
        "dialect: vixie",
        "times that a clock change jumps over run at its end, and repeated ones once",
        case="clock changes",
    ),
    impossible("schedule: crontab", "both day fields without a way to say so: the job is left out", case="both days"),
    changed(
        "schedule: interval",
        "schedule: @every",
        "it counts from 1970 here, and from beat's start or the last run there",
    ),
    impossible("schedule: interval", "parts of a second: the job is left out", case="parts of a second"),
    carried("schedule: clocked", "schedule: at(…)", reason="in UTC"),
    impossible("schedule: solar", "no schedule here follows the sun: the job is left out"),
    impossible(
        "schedule: code", "the importer runs no code: a schedule that code computes is left out; export it as JSON"
    ),
    impossible("relative", "an interval counts from a fixed instant"),
    carried("timezone", "timezone", reason="of the app, or of the CrontabSchedule"),
    changed(
        "timezone",
        "timezone",
        "the export does not say it, and Celery's default is UTC; --timezone names another",
        case="absent",
    ),
    changed("options.expires", "start_within", "seconds for which a run may wait for its start; 10s to 7d"),
    impossible("options.expires", "a fixed instant: set end_at", case="instant"),
    changed("options.time_limit", "timeout", "the attempt fails at its end; no process is killed"),
    changed(
        "options.soft_time_limit",
        "timeout",
        "unless there is a time_limit; a handler learns of the end by context.cancelled",
    ),
    changed("options.queue", "labels", "the label celery/queue: it chose the workers; here the target does"),
    *(
        impossible(f"options.{name}", _OF_MESSAGES)
        for name in (
            "exchange",
            "routing_key",
            "priority",
            "headers",
            "serializer",
            "compression",
            "delivery_mode",
            "retry",
            "retry_policy",
        )
    ),
    *(
        impossible(f"options.{name}", "a job with depends_on runs after another one")
        for name in ("link", "link_error", "chain")
    ),
    impossible("options.countdown", "a run starts at its instant: shift the schedule"),
    impossible("options.eta", "a run starts at its instant: shift the schedule"),
    *dropped(
        "options.ignore_result", "options.task_id", "options.shadow", reason="a run's result is kept by retention"
    ),
    carried("PeriodicTask.description", "description"),
    carried("PeriodicTask.enabled", "paused"),
    carried("PeriodicTask.one_off", "max_runs: 1"),
    carried("PeriodicTask.start_time", "start_at"),
    carried("PeriodicTask.expires", "end_at"),
    changed("PeriodicTask.expire_seconds", "start_within", "seconds for which a run may wait for its start; 10s to 7d"),
    changed("PeriodicTask.queue", "labels", "the label celery/queue: it chose the workers; here the target does"),
    *(impossible(f"PeriodicTask.{name}", _OF_MESSAGES) for name in ("exchange", "routing_key", "priority", "headers")),
    *dropped(
        *("PeriodicTask.last_run_at", "PeriodicTask.total_run_count", "PeriodicTask.date_changed"),
        reason="beat writes it itself",
    ),
)
