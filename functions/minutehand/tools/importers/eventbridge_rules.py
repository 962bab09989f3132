"""What becomes of each field of EventBridge Scheduler's schedules, of EventBridge's rules, and of their targets."""

from minutehand.tools.importers.rules import Rules, carried, changed, dropped, impossible

_NOT_CALLED = "no type of target here calls it: call it from a Lambda function or an HTTP service"

RULES = Rules(
    carried("Name", "name"),
    carried("GroupName", "labels", reason="the label eventbridge/group"),
    carried("Description", "description"),
    carried("ScheduleExpression", "schedule", reason="the dialect is eventbridge"),
    changed(
        "ScheduleExpression",
        "schedule",
        "the rate counts from 1970 here, and from the rule's creation there, which describe-rule does not say",
        case="rate without a date",
    ),
    carried("ScheduleExpressionTimezone", "timezone"),
    carried("StartDate", "start_at"),
    carried("EndDate", "end_at"),
    changed(
        "CreationDate", "start_at", "of a rate without StartDate, which counts from it: the same minutes, from 1970 on"
    ),
    changed(
        "FlexibleTimeWindow",
        "jitter",
        "a hash of job and instant chooses the delay, so it is always the same for an instant; there it is by chance",
    ),
    carried("State", "paused", reason="DISABLED; occurrences of the pause are not made up for, as there"),
    changed("ActionAfterCompletion", "", "DELETE: the job stays, idle, and its runs stay readable; delete it by hand"),
    impossible("KmsKeyArn", "jobs and payloads lie in the stack's own tables, with the stack's encryption"),
    changed("EventPattern", "", "the rule also reacts to events; only its schedule is a job"),
    changed("EventBusName", "", "schedules are of the default bus alone"),
    # The target
    changed(
        "Target.RoleArn",
        "",
        "it trusts EventBridge. Allow the target by the parameter AwsTargetArns, or set target.role_arn to a role that trusts the worker",
    ),
    carried("Target.Input", "payload"),
    changed(
        "Target.Input",
        "payload",
        "without it, EventBridge sends an event of its own, and a job an empty object",
        case="absent",
    ),
    changed(
        "Target.Input", "payload", "an event's detail is an object here: the text is its field input", case="no object"
    ),
    impossible(
        "Target.Input",
        "keywords such as aws.scheduler.scheduled-time stay as they are; with send: run the target gets run_id, attempt and scheduled_for",
        case="keywords",
    ),
    impossible("Target.InputPath", "there is no event to select from: write the payload"),
    changed("Target.InputTransformer", "payload", "the template, which names no value of the event", case="constant"),
    impossible(
        "Target.InputTransformer",
        "there is no event to take values from; with send: run the target gets those of the run",
    ),
    carried(
        "Target.RetryPolicy.MaximumRetryAttempts", "retry.max_attempts", reason="one more: the first attempt counts"
    ),
    changed(
        "Target.RetryPolicy.MaximumRetryAttempts",
        "retry.max_attempts",
        "a run has at most 20 attempts, with waits that double from 10 s to 15 min: 3 hours in all",
        case="over 19",
    ),
    changed(
        "Target.RetryPolicy.MaximumEventAgeInSeconds",
        "run_timeout",
        "it is the limit of the whole run, from the start of its first attempt, not of the time since it was due",
    ),
    impossible(
        "Target.DeadLetterConfig",
        "a failed run is kept with its error and payload; a job with depends_on … on: failure can send to the queue",
    ),
    carried(
        "Target.Arn: Lambda",
        "target: lambda",
        reason="mode event: the attempt ends when Lambda has the event, as there",
    ),
    carried("Target.Arn: SQS", "target: sqs"),
    carried("Target.SqsParameters.MessageGroupId", "target.group"),
    carried("Target.Arn: SNS", "target: sns"),
    carried("Target.Arn: EventBridge", "target: eventbridge"),
    carried("Target.EventBridgeParameters", "target.source, target.detail_type"),
    carried(
        "Target.Arn: Step Functions",
        "target: stepfunctions",
        reason="mode start, as there; mode wait would follow the execution",
    ),
    carried("Target.Arn: ECS", "target: ecs", reason="mode start, as there; mode wait would follow the task"),
    carried("Target.EcsParameters", "target: ecs", reason="task definition, launch type, network"),
    changed(
        "Target.EcsParameters",
        "target.container",
        "the export names no container",
        to_complete="it is to be completed",
        case="no container",
    ),
    changed("Target.EcsParameters.TaskCount", "", "a run starts one task: save several jobs"),
    changed("Target.Input: ECS", "target.command, target.environment", "the overrides of the first container"),
    impossible("Target.Input: ECS", "a job overrides command and environment of one container alone", case="others"),
    changed(
        "Target.Arn: API Gateway",
        "target: http",
        "the request is not signed for IAM: let the API take a header with a secret instead",
    ),
    impossible(
        "Target.Arn: API destination",
        "its URL and authorization are in the destination and its connection, which the export lacks",
        to_complete="the target is to be completed",
    ),
    carried("Target.HttpParameters", "target.headers, target.query"),
    carried(
        "Target.Arn: universal target",
        "target",
        reason="lambda:invoke, sqs:sendMessage, sns:publish, sfn:startExecution",
    ),
    impossible("Target.Arn: universal target", _NOT_CALLED, case="other calls"),
    impossible("Target.Arn", _NOT_CALLED, to_complete="the target is to be completed"),
    *(
        impossible(
            f"Target.EcsParameters.{name}",
            "a job's target has no such field; the cluster's or task definition's own apply",
        )
        for name in (
            "PlatformVersion",
            "CapacityProviderStrategy",
            "PlacementConstraints",
            "PlacementStrategy",
            "Group",
        )
    ),
    *(
        impossible(f"Target.EcsParameters.{name}", "tasks are started without it")
        for name in ("PropagateTags", "Tags", "ReferenceId", "EnableECSManagedTags", "EnableExecuteCommand")
    ),
    *(
        impossible(f"Target.{name}", _NOT_CALLED)
        for name in (
            "KinesisParameters",
            "SageMakerPipelineParameters",
            "BatchParameters",
            "RunCommandParameters",
            "RedshiftDataParameters",
            "AppSyncParameters",
        )
    ),
    *dropped(
        "Arn",
        "LastModificationDate",
        "ManagedBy",
        "CreatedBy",
        "RoleArn",
        reason="it says nothing about what runs when",
    ),
)
