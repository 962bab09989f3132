"""What becomes of each column of XXL-JOB's table `xxl_job_info`."""

from collections.abc import Mapping

from minutehand.tools.importers.rules import Rules, carried, changed, dropped, impossible

MISFIRES: Mapping[str, str] = {"DO_NOTHING": "skip", "FIRE_ONCE_NOW": "latest"}
BLOCKS: Mapping[str, str] = {"SERIAL_EXECUTION": "queue_all", "DISCARD_LATER": "skip", "COVER_EARLY": "replace"}
GLUES = (*("GLUE_GROOVY", "GLUE_SHELL", "GLUE_PYTHON", "GLUE_PYTHON2", "GLUE_PHP", "GLUE_NODEJS", "GLUE_POWERSHELL"),)
_LATE = "an occurrence is late after misfire_grace, 5 minutes by default; there after 5 seconds"
_ACROSS = "it holds for all runs of the job; there for those of one executor"
_ENDPOINTS = "it takes effect once target.endpoints lists the executors"

RULES = Rules(
    carried("id", "labels", reason="the label xxl-job/id"),
    changed(
        "job_group",
        "labels",
        "the label xxl-job/group, with the AppName if the dump has xxl_job_group too; the target says who does the work",
    ),
    carried("job_desc", "name, description", reason="called name since XXL-JOB 3.2"),
    carried("author", "owner"),
    changed("alarm_email", "labels", "the label xxl-job/alarm-email; no mail is sent"),
    carried(
        "schedule_type: CRON",
        "schedule",
        reason="Quartz's crontab, translated: days of the week from 1, L, W, #, ranges over the end",
    ),
    changed(
        "schedule_type: CRON",
        "dialect: vixie",
        "times that a clock change jumps over run at its end, and repeated ones once; Quartz shifts them by the change",
        case="clock changes",
    ),
    changed(
        "schedule_type: CRON",
        "schedule",
        "on the day of a W with several times, XXL-JOB leaves some of them out; here all run",
        case="W, several times",
    ),
    carried("schedule_conf: year", "start_at, end_at"),
    impossible("schedule_conf", "L-3 (days before the last), years with gaps: the job is left out", case="others"),
    changed(
        "timezone", "timezone", "the dump does not say it: XXL-JOB uses that of its server, which --timezone names"
    ),
    carried("schedule_type: FIX_RATE", "schedule: @every"),
    carried("trigger_next_time", "start_at", reason="of FIX_RATE, which counts from it"),
    carried("schedule_type: FIX_DELAY", "schedule: @after"),
    carried("schedule_type: NONE", "schedule: @manual"),
    carried("trigger_status", "paused", reason="0, stopped"),
    changed(
        "trigger_status",
        "schedule",
        "a stopped job still runs after its parents: it gets no schedule instead of a pause",
        case="child",
    ),
    changed("misfire_strategy: DO_NOTHING", "catch_up: skip", _LATE),
    changed("misfire_strategy: FIRE_ONCE_NOW", "catch_up: latest", _LATE),
    changed("executor_block_strategy: SERIAL_EXECUTION", "overlap: queue_all", _ACROSS),
    changed("executor_block_strategy: DISCARD_LATER", "overlap: skip", _ACROSS),
    changed("executor_block_strategy: COVER_EARLY", "overlap: replace", _ACROSS),
    *(
        changed(f"executor_route_strategy: {name}", "", f"{_ENDPOINTS}: {how}")
        for name, how in (
            ("FIRST", "choose: round_robin with one endpoint"),
            ("LAST", "choose: round_robin with one endpoint"),
            ("ROUND", "choose: round_robin"),
            ("RANDOM", "choose: round_robin"),
            ("LEAST_FREQUENTLY_USED", "choose: round_robin"),
            ("LEAST_RECENTLY_USED", "choose: round_robin"),
            ("FAILOVER", "next_endpoint: attempt, the default"),
            ("BUSYOVER", "choose: fewest"),
        )
    ),
    impossible(
        "executor_route_strategy: CONSISTENT_HASH",
        "no choice here ties a job to an endpoint; list that one endpoint alone",
    ),
    impossible("executor_route_strategy: SHARDING_BROADCAST", "a run calls one endpoint: save a job for each shard"),
    changed(
        "executor_handler",
        "payload.handler",
        "an HTTP service runs the handler, and gets handler and param",
        to_complete="its URL is to be completed",
    ),
    carried("executor_param", "payload.param"),
    impossible(
        "glue_type: GLUE_…",
        "the source stays in XXL-JOB: no script runs here, but an HTTP service or a function of yours",
        to_complete="its URL is to be completed",
    ),
    carried("executor_timeout", "timeout"),
    changed(
        "executor_timeout",
        "timeout",
        "without a limit there; here the longest of a call, 14m, unless the target answers later",
        case="0",
    ),
    changed(
        "executor_timeout",
        "timeout",
        "the target has 60s to accept such work by 202, and reports its end later",
        case="over 14m",
    ),
    carried(
        "executor_fail_retry_count", "retry.max_attempts", reason="one more: the first attempt counts; 1s between them"
    ),
    changed("executor_fail_retry_count", "retry.max_attempts", "a run has at most 20 attempts", case="over 19"),
    carried("child_jobid", "depends_on of the children", reason="on: success; with several parents join: any"),
    *dropped(
        "add_time", "update_time", "glue_remark", "glue_updatetime", reason="it says nothing about what runs when"
    ),
)
