/** The types of Minutehand's API. Generated from its OpenAPI description: do not edit, but run `npm run generate`. */

export interface paths {
    "/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the API answers, without reading a table. */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the namespaces that the token may see and that have, or had, a job, a quota or settings: their settings, quotas and pauses.
         * @description Needs the role `viewer`.
         */
        get: operations["list_namespaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the jobs of all namespaces that the token may see, by namespace and name.
         * @description Needs the role `viewer`.
         */
        get: operations["list_all_jobs"];
        put?: never;
        /**
         * Save as many jobs as fit into a body, each as a `PUT` saves it, or with `dry_run` answer what would be saved.
         * @description The answer is 200 even if jobs are refused: each has a result. Sending the request again changes nothing more. Needs the role `admin`.
         */
        post: operations["save_jobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the runs of all jobs, or of a namespace, newest first; by default of the last 24 hours.
         * @description Needs the role `viewer`.
         */
        get: operations["list_runs_of_all"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/describe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Describe a schedule in words, with its warnings.
         * @description Needs the role `viewer`.
         */
        post: operations["describe_schedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the next runs of a schedule, and the times that clock changes skip.
         * @description Needs the role `viewer`.
         */
        post: operations["preview_schedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare two schedules: which runs an edit adds and removes, and how many a day.
         * @description Needs the role `viewer`.
         */
        post: operations["diff_schedules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export jobs, calendars, settings and pauses of a namespace, or of all that the token may see.
         * @description Needs the role `viewer`.
         */
        get: operations["export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Save exported jobs, calendars, settings and pauses, each by itself.
         * @description The answer is 200 even if things are refused: each has a result. Sending the request again changes nothing more. Needs the role `admin`.
         */
        post: operations["import_all"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a namespace's settings, quota and pauses.
         * @description Needs the role `viewer`.
         */
        get: operations["get_namespace"];
        /**
         * Replace a namespace's settings. A paused namespace stays paused, and one in shadow stays in shadow. Its quota stays.
         * @description Needs the role `admin`.
         */
        put: operations["put_namespace"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a namespace's jobs until it is resumed, or until an instant in the body.
         * @description Needs the role `operator`.
         */
        post: operations["pause_namespace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused namespace.
         * @description Needs the role `operator`.
         */
        post: operations["resume_namespace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/shadow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put a namespace's jobs in shadow, so that they call no target, or take them out of it. Runs that have begun continue.
         * @description Needs the role `admin`.
         */
        post: operations["shadow_namespace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send all overdue runs of a namespace to the workers again; with `lost`, replace lost runs with new ones.
         * @description Needs the role `admin`.
         */
        post: operations["redrive_namespace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a namespace's quota, and how much of it is used now.
         * @description Needs the role `viewer`.
         */
        get: operations["get_quota"];
        /**
         * Replace a namespace's quota. Jobs and attempts that exceed it already stay.
         * @description Needs the role `admin` for all namespaces.
         */
        put: operations["put_quota"];
        post?: never;
        /**
         * Remove a namespace's quota.
         * @description Needs the role `admin` for all namespaces.
         */
        delete: operations["delete_quota"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the same statistics of all runs of a namespace.
         * @description Needs the role `viewer`.
         */
        get: operations["get_namespace_stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a namespace's jobs by name, optionally those with labels, a type of target, a part of a name, or a pause.
         * @description Needs the role `viewer`.
         */
        get: operations["list_jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a job, with its next run or why it has none.
         * @description Needs the role `viewer`.
         */
        get: operations["get_job"];
        /**
         * Save a job, or with `dry_run` answer what would be saved and when it would run.
         * @description A dry run treats the jobs in `expected` as if they existed. A save and a dry run both answer warnings about the schedule and the limits. Needs the role `admin`.
         */
        put: operations["put_job"];
        post?: never;
        /**
         * Delete a job. Its runs stay readable until their retention ends.
         * @description Needs the role `admin`.
         */
        delete: operations["delete_job"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/next": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a job's next runs, and the occurrences that calendars or clock changes skip.
         * @description Needs the role `viewer`.
         */
        get: operations["next_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain what happened at an instant or in a range; by default, in the last day.
         * @description Needs the role `viewer`.
         */
        get: operations["explain_job"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get statistics of a job's runs: outcomes, success rate, durations and lateness; by default of the last 24 hours.
         * @description Needs the role `viewer`.
         */
        get: operations["get_job_stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the endpoints of a job, and how they fare: which failed, which are left out, where calls are in flight.
         * @description Needs the role `viewer`.
         */
        get: operations["get_job_endpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a job's revisions, newest first, even after the job was deleted.
         * @description Needs the role `viewer`.
         */
        get: operations["list_revisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/revisions/{revision}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a job as it was under an earlier revision.
         * @description Needs the role `viewer`.
         */
        get: operations["show_revision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/revisions/{revision}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two revisions of a job, the older one first; by default, show what a revision changed.
         * @description Needs the role `viewer`.
         */
        get: operations["diff_revision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/revisions/{revision}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Save an earlier revision of a job again, as a new revision, with all checks of a save. A paused job stays paused, and one in shadow stays so.
         * @description Needs the role `admin`.
         */
        post: operations["restore_revision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a job until it is resumed, or until an instant in the body.
         * @description Needs the role `operator`.
         */
        post: operations["pause_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused job; with `catch_up`, replay occurrences of the pause.
         * @description Needs the role `operator`.
         */
        post: operations["resume_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/trigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a run of a job now, only one for each idempotency key. The body may replace the job's payload.
         * @description Needs the role `operator`.
         */
        post: operations["trigger_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/purge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove a job's runs for good, with their payloads and outputs, page by page; also those of a deleted job.
         * @description Needs the role `admin`.
         */
        post: operations["purge_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send all overdue runs of a job, or one, to the workers again; with `lost`, replace lost runs with new ones.
         * @description Needs the role `admin`.
         */
        post: operations["redrive_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a job's runs, newest first, optionally of an interval or in one state, even after the job was deleted.
         * @description Needs the role `viewer`.
         */
        get: operations["list_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a run with its attempts and its result or error. Of a long output, the result has only the end.
         * @description Needs the role `viewer`.
         */
        get: operations["get_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/runs/{run_id}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the whole output of an attempt, or a link to it.
         * @description Needs the role `viewer`.
         */
        get: operations["get_output"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/runs/{run_id}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what an attempt has written since a cursor, also while it goes on.
         * @description Needs the role `viewer`.
         */
        get: operations["get_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/runs/{run_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run: at once if it waits for a start, a retry or an answer without heartbeats, else when worker or target checks.
         * @description Needs the role `operator`.
         */
        post: operations["cancel_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/backfills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a job's backfills, newest first, even after the job was deleted.
         * @description Needs the role `viewer`.
         */
        get: operations["list_backfills"];
        put?: never;
        /**
         * Start a backfill of a job's past range, only once for each idempotency key. With `dry_run`, answer what it would replay.
         * @description Needs the role `operator`.
         */
        post: operations["start_backfill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/backfills/{backfill_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a backfill with its progress.
         * @description Needs the role `viewer`.
         */
        get: operations["get_backfill"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/jobs/{name}/backfills/{backfill_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a backfill and cancel its runs that have not started.
         * @description Needs the role `operator`.
         */
        post: operations["cancel_backfill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/calendars": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a namespace's calendars by name.
         * @description Needs the role `viewer`.
         */
        get: operations["list_calendars"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/calendars/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a calendar.
         * @description Needs the role `viewer`.
         */
        get: operations["get_calendar"];
        /**
         * Save a calendar, or with `dry_run` answer what would be saved.
         * @description Needs the role `admin`.
         */
        put: operations["put_calendar"];
        post?: never;
        /**
         * Delete a calendar that no job names.
         * @description Needs the role `admin`.
         */
        delete: operations["delete_calendar"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a namespace's services by name, each with the number of its endpoints. A service whose last endpoint has left disappears after two days.
         * @description Needs the role `viewer`.
         */
        get: operations["list_services"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/services/{service}/endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the endpoints that are registered of a service, by name.
         * @description Needs the role `viewer`.
         */
        get: operations["list_registered"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/services/{service}/endpoints/{endpoint}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Register an endpoint of a service for a time, or renew its registration.
         * @description Needs the role `operator`.
         */
        put: operations["put_registered"];
        post?: never;
        /**
         * Remove a registered endpoint of a service.
         * @description Needs the role `operator`.
         */
        delete: operations["delete_registered"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the nodes of a namespace, by pool and name. A node disappears a day after its agent was seen last.
         * @description Needs the role `viewer`.
         */
        get: operations["list_nodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/pools/{pool}/nodes/{node}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a node of a pool.
         * @description Needs the role `viewer`.
         */
        get: operations["get_node"];
        /**
         * Register an agent as a node of a pool. The pool and the node come into being with this.
         * @description Needs the role `agent`.
         */
        put: operations["put_node"];
        post?: never;
        /**
         * Tell that an agent has ended. Its node and its inbox are kept for a day.
         * @description Needs the role `agent`.
         */
        delete: operations["delete_node"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/pools/{pool}/nodes/{node}/ask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a node to take work, to pause or to drain. Its agent learns of that within a minute.
         * @description Needs the role `operator`.
         */
        post: operations["ask_node"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/pools/{pool}/nodes/{node}/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get temporary credentials of AWS for the queue of the pool and the inbox of the node. They are valid for 15 minutes.
         * @description Needs the role `agent`.
         */
        post: operations["post_credentials"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/pools/{pool}/nodes/{node}/starts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask to start the runs whose messages an agent received. An order starts an attempt: the agent has to run it.
         * @description Needs the role `agent`.
         */
        post: operations["post_starts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/pools/{pool}/nodes/{node}/beats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell that an agent is alive, and which attempts it runs. That extends the lease of each.
         * @description Needs the role `agent`.
         */
        post: operations["post_beats"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/pools/{pool}/nodes/{node}/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report how attempts ended.
         * @description Needs the role `agent`.
         */
        post: operations["post_reports"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/namespaces/{namespace}/pools/{pool}/nodes/{node}/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get URLs to upload parts of the logs of attempts, or wholes, straight to S3; also for a day after an attempt has ended.
         * @description Needs the role `agent`.
         */
        post: operations["post_uploads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/callbacks/{namespace}/{name}/{run_id}/{attempt}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report that an attempt succeeded or failed. */
        post: operations["report"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/callbacks/{namespace}/{name}/{run_id}/{attempt}/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report an attempt's progress and extend its lease. */
        post: operations["progress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/callbacks/{namespace}/{name}/{run_id}/{attempt}/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Extend an attempt's lease, optionally with progress. */
        post: operations["heartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed what, newest first: in a namespace, or by turns in all. A page may be short or empty without being the last.
         * @description Needs the role `viewer`.
         */
        get: operations["list_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/diagnosis": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of the deployment: its clock, last tick, overdue timers, queues and time zone data.
         * @description Needs the role `viewer`.
         */
        get: operations["get_diagnosis"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the number of timer shards, and the progress of a change of that number.
         * @description Needs the role `admin`.
         */
        get: operations["get_shards"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the token, the person or the principal that sends this request, and what it may do.
         * @description Needs the role `viewer`.
         */
        get: operations["get_own_token"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tokens that reach only namespaces of which the caller is an admin.
         * @description Needs the role `admin`.
         */
        get: operations["list_tokens"];
        put?: never;
        /**
         * Make a token with at most the caller's own namespaces and time. Only this answer has its secret.
         * @description Needs the role `admin`.
         */
        post: operations["create_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a token, without its secret.
         * @description Needs the role `admin`.
         */
        get: operations["get_token"];
        put?: never;
        post?: never;
        /**
         * Revoke a token: it is deleted, and refused everywhere within 30 seconds.
         * @description Needs the role `admin`.
         */
        delete: operations["revoke_token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * AskInput
         * @description What is asked of a node.
         */
        AskInput: {
            /**
             * @description To take work (run), to take none (pause), or to take none and end (drain).
             * @enum {string}
             */
            asked: "run" | "pause" | "drain";
        };
        /**
         * AskedRunInput
         * @description A run whose message an agent received.
         */
        AskedRunInput: {
            /** @description The job, as `namespace/name`. */
            job: string;
            /** @description The run's id. */
            run_id: string;
            /** @description Number of the attempt. */
            attempt: number;
            /**
             * @description The token that the attempt is to have: 32 letters, digits, - and _, random and new for each message. Who sends the request again, since no answer came, gets the same order. Without it, the API makes one.
             * @default
             */
            token?: string;
        };
        /**
         * Attempt
         * @description An attempt of a run.
         */
        Attempt: {
            /** @description Number of the attempt: 1 for the first. */
            number: number;
            /** @description The request id of the worker's Lambda invocation. */
            worker: string | null;
            /**
             * Format: date-time
             * @description When the attempt started.
             */
            started_at: string;
            /** @description When the attempt ended. */
            finished_at: string | null;
            /**
             * @description How the attempt ended.
             * @enum {string}
             */
            state: "queued" | "running" | "waiting" | "retrying" | "succeeded" | "failed" | "timed_out" | "cancelled" | "skipped" | "lost";
            /** @description Why the attempt failed. */
            error: components["schemas"]["RunError"] | null;
            /** @description When the lease of the attempt's worker ended, if the worker died and another took over. */
            lost_at: string | null;
            /** @description Of a target with several endpoints, the URLs of those that the attempt tried, in order. Only the last one can have received the request. */
            endpoints?: string[];
        };
        /**
         * AttemptNamed
         * @description An attempt of a run.
         */
        AttemptNamed: {
            /** @description The job, as `namespace/name`. */
            job: string;
            /** @description The run's id. */
            run_id: string;
            /** @description Number of the attempt. */
            attempt: number;
        };
        /**
         * AttemptReportInput
         * @description How an attempt ended.
         */
        AttemptReportInput: {
            /** @description The job, as `namespace/name`. */
            job: string;
            /** @description The run's id. */
            run_id: string;
            /** @description Number of the attempt. */
            attempt: number;
            /** @description The attempt's token, from the order. */
            token: string;
            /**
             * @description How it ended. `skipped`: the command found nothing to do.
             * @enum {string}
             */
            state: "succeeded" | "failed" | "skipped";
            /**
             * @description The result: any JSON value, kept with the run.
             * @default null
             */
            result?: unknown;
            /**
             * @description Why it failed; only with `failed`.
             * @default null
             */
            error?: components["schemas"]["ReportedErrorInput"] | null;
            /**
             * @description What its command reported last; null for nothing.
             * @default null
             */
            progress?: components["schemas"]["ProgressInput"] | null;
        };
        /**
         * AuditRecord
         * @description A change that somebody asked for.
         */
        AuditRecord: {
            /**
             * Format: date-time
             * @description When the change was made.
             */
            at: string;
            /** @description Name of the token that asked for the change. */
            actor: string;
            /** @description Id of that token: several may have one name. Null for people and principals, and in records of earlier versions. */
            actor_id: string | null;
            /** @description The IP address that the request came from, as API Gateway saw it. */
            address: string | null;
            /** @description What the client calls itself (`User-Agent`), at most 200 characters. */
            client: string | null;
            /** @description The request's id in the logs. */
            request_id: string | null;
            /**
             * @description What the actor did.
             * @enum {string}
             */
            action: "save" | "restore" | "pause" | "resume" | "shadow" | "delete" | "trigger" | "cancel" | "redrive" | "purge" | "quota" | "backfill" | "cancel_backfill" | "ask_node" | "create_token" | "revoke_token";
            /** @description The namespace. */
            namespace: string;
            /** @description Name of the job; null for a change of something else. */
            job: string | null;
            /** @description Name of the calendar; null for a change of something else. */
            calendar: string | null;
            /** @description The revision that the change made; null where changes have no number. */
            revision: number | null;
            /** @description Further names and values, such as `run_id`, `backfill_id`, or `restored` (an earlier revision). */
            about: {
                [key: string]: unknown;
            };
            /** @description What differs, without secrets; of a long value the beginning, as text that ends with `…`. */
            changes: components["schemas"]["Difference"][];
            /** @description How many further differences there are. */
            changes_left_out: number;
        };
        /**
         * AuditRecordPage
         * @description A page of a list.
         */
        AuditRecordPage: {
            /** @description The items of this page. */
            items: components["schemas"]["AuditRecord"][];
            /** @description The parameter `cursor` of the next page; null if this page is the last. */
            next: string | null;
        };
        /**
         * Backfill
         * @description A replay of the occurrences of a job in a past range.
         */
        Backfill: {
            /** @description The backfill's id; the ids of its runs end with it. */
            id: string;
            /** @description The job that is replayed, as `namespace/name`. */
            job: string;
            /**
             * Format: date-time
             * @description The first instant that may be replayed.
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the range: the first instant that is not replayed.
             */
            to: string;
            /**
             * @description Which occurrences run first.
             * @enum {string}
             */
            order: "oldest" | "newest";
            /** @description Maximum runs of the backfill that are active at once. */
            concurrency: number;
            /** @description Whether the backfill's runs ignore the job's overlap policy. */
            ignore_overlap: boolean;
            /**
             * @description The backfill's state.
             * @enum {string}
             */
            state: "active" | "done" | "cancelled";
            /** @description Number of occurrences in the range. */
            occurrences: number;
            /** @description Number of occurrences that have no run yet. */
            remaining: number;
            /** @description Ids of the backfill's runs that are active. */
            active: string[];
            /** @description How many of the backfill's runs ended in each state. */
            ended: {
                [key: string]: number;
            };
            /**
             * Format: date-time
             * @description When the backfill was started.
             */
            created_at: string;
            /** @description Name of the token that started the backfill. */
            created_by: string;
            /** @description When the backfill ended; null while its runs may be active. */
            finished_at: string | null;
            /** @description Why the backfill was cancelled. */
            reason: string | null;
        };
        /**
         * BackfillExtent
         * @description The occurrences that a backfill would replay.
         */
        BackfillExtent: {
            /**
             * Format: date-time
             * @description The first instant that may be replayed.
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the range: the first instant that is not replayed.
             */
            to: string;
            /** @description Number of occurrences in the range. */
            occurrences: number;
            /**
             * Format: date-time
             * @description The first occurrence in the range.
             */
            first: string;
            /**
             * Format: date-time
             * @description The last occurrence in the range.
             */
            last: string;
        };
        /**
         * BackfillInput
         * @description A range of a job's past to replay.
         */
        BackfillInput: {
            /**
             * Format: date-time
             * @description The first instant that may be replayed.
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the range: the first instant that is not replayed.
             */
            to: string;
            /**
             * @description Which occurrences run first.
             * @default oldest
             * @enum {string}
             */
            order?: "oldest" | "newest";
            /**
             * @description Maximum runs of the backfill that are active at once.
             * @default 1
             */
            concurrency?: number;
            /**
             * @description Ignore the job's overlap policy: start even while other runs are active.
             * @default false
             */
            ignore_overlap?: boolean;
            /**
             * @description Answer what would be replayed, but start nothing.
             * @default false
             */
            dry_run?: boolean;
        };
        /**
         * BackfillPage
         * @description A page of a list.
         */
        BackfillPage: {
            /** @description The items of this page. */
            items: components["schemas"]["Backfill"][];
            /** @description The parameter `cursor` of the next page; null if this page is the last. */
            next: string | null;
        };
        /**
         * Backoff
         * @description The wait before the next attempt.
         */
        Backoff: {
            /**
             * @description The wait after the first attempt.
             * @example 1h30m
             */
            initial: string;
            /** @description How many times as long as the one before each further wait is, up to max. */
            factor: number;
            /**
             * @description The longest wait, also for a target that asks for a longer one (Retry-After); at least initial.
             * @example 1h30m
             */
            max: string;
            /** @description The largest share by which a wait is shortened or lengthened; a hash of job, run and attempt chooses. */
            jitter: number;
        };
        /**
         * BackoffInput
         * @description The wait before the next attempt.
         */
        BackoffInput: {
            /**
             * @description The wait after the first attempt.
             * @default 10s
             * @example 90s
             * @example 1h30m
             * @example 7d
             */
            initial?: string;
            /**
             * @description How many times as long as the one before each further wait is, up to max.
             * @default 2
             */
            factor?: number;
            /**
             * @description The longest wait, also for a target that asks for a longer one (Retry-After); at least initial.
             * @default 15m
             * @example 90s
             * @example 1h30m
             * @example 7d
             */
            max?: string;
            /**
             * @description The largest share by which a wait is shortened or lengthened; a hash of job, run and attempt chooses.
             * @default 0.1
             */
            jitter?: number;
        };
        /**
         * Beat
         * @description What an agent learns when it beats.
         */
        Beat: {
            /** @description Whether the node is this agent's. If not, it has to register again, which fails if another has the name. */
            registered: boolean;
            /** @description Attempts to end without a report: they were cancelled, or are over. */
            unwanted: components["schemas"]["AttemptNamed"][];
            /**
             * @description What an operator asks of the node.
             * @enum {string}
             */
            asked: "run" | "pause" | "drain";
            /** @description Seconds until the next beat. */
            beat_every: number;
        };
        /**
         * BeatInput
         * @description An agent that is alive, and what it runs.
         */
        BeatInput: {
            /** @description Random text of the agent's process. */
            session: string;
            /**
             * @description Every attempt that it runs.
             * @default []
             */
            running?: components["schemas"]["RunningAttemptInput"][];
        };
        /**
         * BlockedRuns
         * @description Occurrences in a row that one calendar blocks.
         */
        BlockedRuns: {
            /**
             * Format: date-time
             * @description The first blocked occurrence.
             */
            at: string;
            /** @description The same instant in the schedule's time zone. */
            local: string;
            /**
             * Format: date-time
             * @description When this calendar's block ends, or another calendar's begins.
             */
            until: string;
            /** @description Number of occurrences; null for more than 1,000. */
            times: number | null;
            /** @description The calendar that blocks the occurrences. */
            calendar: string;
            /** @description The instant to which the first blocked occurrence is moved. */
            moved_to: string | null;
        };
        /**
         * Body
         * @description The body of the request. Exactly one field is given.
         */
        Body: {
            /** @description Any JSON value, whose texts are templates. A text that is one placeholder and nothing else becomes the value, with its type. */
            json: unknown;
            /** @description The fields of a form, in the order of their names. The values are templates. */
            form: {
                [key: string]: string;
            };
            /** @description A text, which is a template. */
            text: string;
        };
        /**
         * BodyInput
         * @description The body of the request. Exactly one field is given.
         */
        BodyInput: {
            /**
             * @description Any JSON value, whose texts are templates. A text that is one placeholder and nothing else becomes the value, with its type.
             * @default null
             * @example {
             *       "customer": "{{payload.customer}}",
             *       "day": "{{scheduled_for}}"
             *     }
             */
            json?: unknown;
            /**
             * @description The fields of a form, in the order of their names. The values are templates.
             * @default {}
             */
            form?: {
                [key: string]: string;
            };
            /**
             * @description A text, which is a template.
             * @default
             */
            text?: string;
        };
        /**
         * Bulk
         * @description What became of the jobs of a bulk save.
         */
        Bulk: {
            /** @description A result for each job, in the order of the request. */
            items: components["schemas"]["BulkResult"][];
            /** @description How many jobs were refused. */
            refused: number;
            /** @description How many jobs were left for another request. */
            left: number;
        };
        /**
         * BulkInput
         * @description Jobs to save, as many as fit into a body.
         */
        BulkInput: {
            /** @description The jobs, in any order: parents are saved first. */
            jobs: components["schemas"]["BulkJobInput"][];
            /**
             * @description With `dry_run=true`: jobs, as `namespace/name`, that `depends_on` may name before they exist. The jobs of the request need not be named.
             * @default []
             */
            expected?: string[];
        };
        /**
         * BulkJobInput
         * @description A job of a bulk save.
         */
        BulkJobInput: {
            /** @description The job, as a `PUT` takes it, with its `name`; its `namespace` is `default` unless it is given. */
            job: unknown;
            /**
             * @description Save the job only if this is its stored revision; 0 only creates.
             * @default null
             */
            if_revision?: number | null;
        };
        /**
         * BulkResult
         * @description What became of one job of a bulk save.
         */
        BulkResult: {
            /** @description The job's namespace. */
            namespace: string;
            /** @description The job's name; empty if it has none. */
            name: string;
            /**
             * @description What was done, or would be in a dry run. `refused`: `problem` says why, and nothing was saved. `left`: the request had no time left; send the job again.
             * @enum {string}
             */
            result: "created" | "updated" | "unchanged" | "refused" | "left";
            /** @description The job's revision; null if it was refused or left. */
            revision: number | null;
            /** @description What is valid, but probably not meant. */
            warnings: components["schemas"]["FieldError"][];
            /** @description The answer that a single save would have had; its pointers are those of this job. */
            problem?: components["schemas"]["Problem"];
            /** @description In a dry run, the job as it would be saved. */
            job?: components["schemas"]["Job"];
        };
        /**
         * Calendar
         * @description A calendar: times at which the jobs that name it do not run. Answers have its entries sorted and merged.
         */
        Calendar: {
            /** @description The namespace; the same as in the path, or left out. */
            namespace: string;
            /** @description The name in the namespace; the same as in the path, or left out. */
            name: string;
            /** @description Free text, for people. */
            description: string;
            /** @description Days and ranges of days, both ends included, in each job's time zone. With `periods`, 5,000 at most. */
            dates: string[];
            /** @description Days of the week, whole or in part, in each job's time zone. */
            weekly: string[];
            /** @description Spans of time, the same for every job in any time zone; the end is excluded. */
            periods: string[];
            /** @description The status of the calendar; ignored in a document to save. */
            status: components["schemas"]["CalendarStatus"];
        };
        /**
         * CalendarEntries
         * @description How many entries of each kind a calendar has.
         */
        CalendarEntries: {
            /** @description Number of days and ranges of days. */
            dates: number;
            /** @description Number of weekly rules. */
            weekly: number;
            /** @description Number of spans of time. */
            periods: number;
        };
        /**
         * CalendarInput
         * @description A calendar: times at which the jobs that name it do not run. Answers have its entries sorted and merged.
         */
        CalendarInput: {
            /**
             * @description The namespace; the same as in the path, or left out.
             * @default
             */
            namespace?: string;
            /**
             * @description The name in the namespace; the same as in the path, or left out.
             * @default
             */
            name?: string;
            /**
             * @description Free text, for people.
             * @default
             */
            description?: string;
            /**
             * @description Days and ranges of days, both ends included, in each job's time zone. With `periods`, 5,000 at most.
             * @default []
             * @example [
             *       "2026-12-25",
             *       "2026-12-31..2027-01-01"
             *     ]
             */
            dates?: string[];
            /**
             * @description Days of the week, whole or in part, in each job's time zone.
             * @default []
             * @example [
             *       "SAT,SUN",
             *       "FRI 18:00-24:00",
             *       "MON-FRI 00:00-06:00"
             *     ]
             */
            weekly?: string[];
            /**
             * @description Spans of time, the same for every job in any time zone; the end is excluded.
             * @default []
             * @example [
             *       "2026-12-01T10:00:00Z..2026-12-01T12:00:00Z"
             *     ]
             */
            periods?: string[];
            /**
             * @description The status of the calendar; ignored in a document to save.
             * @default null
             */
            readonly status?: unknown;
        };
        /**
         * CalendarStatus
         * @description The status of a calendar; ignored in a document to save.
         */
        CalendarStatus: {
            /** @description How often the calendar was changed, its creation included. */
            revision: number;
            /**
             * Format: date-time
             * @description When the calendar was last changed.
             */
            updated_at: string;
            /** @description Name of the token that last changed the calendar. */
            updated_by: string;
            /** @description Number of jobs that use the calendar. */
            jobs: number;
        };
        /**
         * CalendarSummary
         * @description A calendar in a list.
         */
        CalendarSummary: {
            /** @description The namespace; the same as in the path, or left out. */
            namespace: string;
            /** @description The name in the namespace; the same as in the path, or left out. */
            name: string;
            /** @description Free text, for people. */
            description: string;
            /** @description How many entries of each kind it has. */
            entries: components["schemas"]["CalendarEntries"];
            /** @description The status of the calendar. */
            status: components["schemas"]["CalendarStatus"];
        };
        /**
         * CalendarSummaryPage
         * @description A page of a list.
         */
        CalendarSummaryPage: {
            /** @description The items of this page. */
            items: components["schemas"]["CalendarSummary"][];
            /** @description The parameter `cursor` of the next page; null if this page is the last. */
            next: string | null;
        };
        /**
         * Caller
         * @description Who sends a request: a token, a person or a principal of AWS.
         */
        Caller: {
            /**
             * @description `token`; `person`, with a JWT of the OIDC issuer; or `principal` of AWS IAM, which signed the request.
             * @enum {string}
             */
            kind: "token" | "person" | "principal";
            /** @description The token's id, such as `t-4k2m7xq5ab`; null for people and principals. */
            id: string | null;
            /** @description The name that is shown as the author of changes. */
            name: string;
            /**
             * @description The highest of its roles.
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin" | "agent";
            /** @description Where it has this role: names of namespaces, or `*` for all. */
            namespaces: string[];
            /** @description Everything that it may do: each role, with its namespaces. */
            grants: components["schemas"]["Grant"][];
            /** @description Of a token: when it was made; null if that was not recorded. */
            created_at: string | null;
            /** @description Of a token: who made it; null if that was not recorded. */
            created_by: string | null;
            /** @description Of a token: from when on it is refused; null if it does not expire. */
            expires_at: string | null;
            /** @description Of a token: when it was used, as noted once an hour at most; null if it never was. */
            last_used_at: string | null;
        };
        /**
         * CloudMap
         * @description A service in AWS Cloud Map, whose healthy instances are the endpoints.
         */
        CloudMap: {
            /** @description The namespace's HTTP name. CloudMapNamespaces must allow it. */
            namespace: string;
            /** @description The service's name. */
            service: string;
        };
        /**
         * CloudMapInput
         * @description A service in AWS Cloud Map, whose healthy instances are the endpoints.
         */
        CloudMapInput: {
            /**
             * @description The namespace's HTTP name. CloudMapNamespaces must allow it.
             * @example shop.internal
             */
            namespace: string;
            /**
             * @description The service's name.
             * @example reports
             */
            service: string;
        };
        /**
         * ComingRun
         * @description A future run.
         */
        ComingRun: {
            /**
             * Format: date-time
             * @description The instant of the occurrence.
             */
            at: string;
            /** @description The same instant in the schedule's time zone. */
            local: string;
            /**
             * Format: date-time
             * @description When the run starts: the instant of the occurrence plus jitter.
             */
            starts_at: string;
            /** @description Whether a calendar moved an occurrence to this instant. */
            moved: boolean;
            /** @description The first occurrence that a calendar moved to this instant. */
            moved_from: string | null;
            /** @description The effect of a clock change on the run. */
            note: string | null;
            /** @description Whether the instant is an estimate, as if the run before took no time; only of a fixed delay. */
            estimated: boolean;
        };
        /**
         * CommandTarget
         * @description A command, or a Python handler, that an agent runs on its machine.
         */
        CommandTarget: {
            /** @constant */
            type: "command";
            /** @description The pool of the job's namespace whose agents run the command, or the handler. */
            pool: string;
            /** @description The one node of the pool that runs it. By default, any live node does. Not with `tags`. */
            node: string | null;
            /** @description Tags that a node must have to run it, all of them. A live node that has them, and the fewest of its slots in use, gets the run. */
            tags: {
                [key: string]: string;
            };
            /** @description On how many nodes each run is carried out: a number up to 500, or `all` for every live one. Each node gets a run of its own. By default 1: any live node. Not with `node`. */
            count: string | null;
            /** @description Of several nodes, how many must succeed for the run to succeed. By default, all of them. */
            min_success: number | null;
            /** @description Of several nodes, on how many the command runs at once; the others follow as these end. By default, on all of them. */
            max_parallel: number | null;
            /** @description Whether it also runs each time a machine starts: once on each node that the job allows, when an agent registers there that was not seen since the machine or its container started. A job that runs then alone has the schedule `@manual`. */
            at_start: boolean;
            /** @description What to run: a text, which `shell` runs, or a list with a program and its arguments, which is run as it is. At most 32,768 characters in all. It is no template: values of the run go into `environment`. Required without `handler`. */
            command: (string | string[]) | null;
            /** @description Instead of a command: the name of a Python handler in the app of the agents (`minutehand agent --app`). The run's payload gives its arguments. */
            handler: string | null;
            /** @description The shell that runs a text, with `-c`: an absolute path. Not with a list. */
            shell: string;
            /** @description Where it runs: an absolute path. By default, the home directory of its user. */
            directory: string | null;
            /** @description Variables of the command, stored and shown as given. The values are templates, which may name secrets. Names that begin with MINUTEHAND_ are the run's own. */
            environment: {
                [key: string]: string;
            };
            /** @description The user of the machine who runs it. By default, the agent's own; the agent's configuration must allow any other. */
            user: string | null;
            /**
             * @description What the command reads from standard input: the run's payload, a text as it is and any other value as JSON (payload); nothing (none). Not with `handler`, as the shell and the codes.
             * @enum {string}
             */
            stdin: "payload" | "none";
            /** @description Exit codes, 0 to 255, that mean success. Any other fails the attempt. */
            success_codes: number[];
            /** @description Exit codes that mean that there was nothing to do: the run ends as `skipped`. */
            skipped_codes: number[];
            /**
             * @description Longest silence of the agent while the command runs; then another attempt takes the run over (`takeovers`). Less than timeout, unless it is the default.
             * @example 1h30m
             */
            heartbeat: string;
        };
        /**
         * CommandTargetInput
         * @description A command, or a Python handler, that an agent runs on its machine.
         */
        CommandTargetInput: {
            /**
             * @description Its type.
             * @enum {string}
             */
            type: "http" | "lambda" | "sqs" | "sns" | "eventbridge" | "stepfunctions" | "ecs" | "command";
            /**
             * @description The pool of the job's namespace whose agents run the command, or the handler.
             * @example web
             */
            pool: string;
            /**
             * @description The one node of the pool that runs it. By default, any live node does. Not with `tags`.
             * @default null
             * @example web-1
             */
            node?: string | null;
            /**
             * @description Tags that a node must have to run it, all of them. A live node that has them, and the fewest of its slots in use, gets the run.
             * @default {}
             * @example {
             *       "role": "web"
             *     }
             */
            tags?: {
                [key: string]: string;
            };
            /**
             * @description On how many nodes each run is carried out: a number up to 500, or `all` for every live one. Each node gets a run of its own. By default 1: any live node. Not with `node`.
             * @default null
             * @example all
             * @example 3
             */
            count?: string | number | null;
            /**
             * @description Of several nodes, how many must succeed for the run to succeed. By default, all of them.
             * @default null
             * @example 2
             */
            min_success?: number | null;
            /**
             * @description Of several nodes, on how many the command runs at once; the others follow as these end. By default, on all of them.
             * @default null
             * @example 1
             */
            max_parallel?: number | null;
            /**
             * @description Whether it also runs each time a machine starts: once on each node that the job allows, when an agent registers there that was not seen since the machine or its container started. A job that runs then alone has the schedule `@manual`.
             * @default false
             */
            at_start?: boolean;
            /**
             * @description What to run: a text, which `shell` runs, or a list with a program and its arguments, which is run as it is. At most 32,768 characters in all. It is no template: values of the run go into `environment`. Required without `handler`.
             * @default null
             * @example backup --all
             * @example [
             *       "backup",
             *       "--all"
             *     ]
             */
            command?: (string | string[]) | null;
            /**
             * @description Instead of a command: the name of a Python handler in the app of the agents (`minutehand agent --app`). The run's payload gives its arguments.
             * @default null
             * @example reports.nightly
             */
            handler?: string | null;
            /**
             * @description The shell that runs a text, with `-c`: an absolute path. Not with a list.
             * @default /bin/sh
             * @example /bin/bash
             */
            shell?: string;
            /**
             * @description Where it runs: an absolute path. By default, the home directory of its user.
             * @default null
             * @example /srv/shop
             */
            directory?: string | null;
            /**
             * @description Variables of the command, stored and shown as given. The values are templates, which may name secrets. Names that begin with MINUTEHAND_ are the run's own.
             * @default {}
             * @example {
             *       "CUSTOMER": "{{payload.customer}}",
             *       "DB_PASSWORD": "{{secret:ssm:/shop/db}}"
             *     }
             */
            environment?: {
                [key: string]: string;
            };
            /**
             * @description The user of the machine who runs it. By default, the agent's own; the agent's configuration must allow any other.
             * @default null
             * @example deploy
             */
            user?: string | null;
            /**
             * @description What the command reads from standard input: the run's payload, a text as it is and any other value as JSON (payload); nothing (none). Not with `handler`, as the shell and the codes.
             * @default payload
             * @enum {string}
             */
            stdin?: "payload" | "none";
            /**
             * @description Exit codes, 0 to 255, that mean success. Any other fails the attempt.
             * @default [
             *       0
             *     ]
             * @example [
             *       0,
             *       3
             *     ]
             */
            success_codes?: number[];
            /**
             * @description Exit codes that mean that there was nothing to do: the run ends as `skipped`.
             * @default []
             * @example [
             *       75
             *     ]
             */
            skipped_codes?: number[];
            /**
             * @description Longest silence of the agent while the command runs; then another attempt takes the run over (`takeovers`). Less than timeout, unless it is the default.
             * @default 3m
             * @example 90s
             * @example 1h30m
             * @example 7d
             */
            heartbeat?: string;
        };
        /**
         * CreatedToken
         * @description A new token, with its secret: the only answer that has it.
         */
        CreatedToken: {
            /** @description Its id, such as `t-4k2m7xq5ab`. */
            id: string;
            /** @description The token's name, shown as the author of changes. */
            name: string;
            /**
             * @description What the token may do in its namespaces.
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin" | "agent";
            /** @description Names of namespaces, or `*` for all. */
            namespaces: string[];
            /** @description When the token was made; null if that was not recorded. */
            created_at: string | null;
            /** @description Name of the token that made it; null if that was not recorded. */
            created_by: string | null;
            /** @description From when on the token is refused; null if it does not expire. */
            expires_at: string | null;
            /** @description When the token was used, as noted once an hour at most; null if it never was. */
            last_used_at: string | null;
            /** @description The secret to send as `Authorization: Bearer SECRET`. It cannot be read again. */
            secret: string;
        };
        /**
         * Credentials
         * @description Temporary credentials of AWS, for the two queues of a node alone.
         */
        Credentials: {
            /** @description The access key. */
            access_key_id: string;
            /** @description Its secret. */
            secret_access_key: string;
            /** @description The token that requests carry. */
            session_token: string;
            /**
             * Format: date-time
             * @description Until when they are valid.
             */
            expires_at: string;
        };
        /**
         * CredentialsInput
         * @description An agent that asks for credentials.
         */
        CredentialsInput: {
            /** @description Random text of the agent's process. */
            session: string;
        };
        /**
         * Dependency
         * @description A parent: a job whose runs, when they end, start runs of this job.
         */
        Dependency: {
            /** @description The parent: `namespace/name`, or `name` in the same namespace. A parent in another namespace requires a token that may read it. */
            job: string;
            /**
             * @description How the parent's run must end: success; failure (failed, timed out, lost); end (any of these, or cancelled); skipped.
             * @enum {string}
             */
            on: "success" | "failure" | "end" | "skipped";
        };
        /**
         * DependencyInput
         * @description A parent: a job whose runs, when they end, start runs of this job.
         */
        DependencyInput: {
            /** @description The parent: `namespace/name`, or `name` in the same namespace. A parent in another namespace requires a token that may read it. */
            job: string;
            /**
             * @description How the parent's run must end: success; failure (failed, timed out, lost); end (any of these, or cancelled); skipped.
             * @default success
             * @enum {string}
             */
            on?: "success" | "failure" | "end" | "skipped";
        };
        /**
         * DescribedSchedule
         * @description A schedule in words.
         */
        DescribedSchedule: {
            /** @description The schedule in words. */
            description: string | null;
            /** @description The time zone of the schedule. */
            timezone: string | null;
            /** @description The rules for days and clock changes that apply. */
            dialect: string | null;
            /** @description What is valid, but probably not meant. */
            warnings: components["schemas"]["FieldError"][];
        };
        /**
         * Diagnosis
         * @description The state of the deployment, for `minutehand doctor`.
         */
        Diagnosis: {
            /**
             * Format: date-time
             * @description The service's clock.
             */
            now: string;
            /** @description The version of the service. */
            version: string;
            /** @description The release of the IANA time zone database that the service uses, such as `2026f`. */
            tzdata: string;
            /** @description A digest of the rules of all time zones: equal digests compute equal instants. */
            zone_rules: string;
            /** @description The release of the time zone database for which the sweep moves, or has moved, all timers. */
            renewed_for: string | null;
            /** @description Whether it has moved all of them. */
            renewed: boolean;
            /** @description The minute of the last tick; null without one in the last eight days. */
            last_tick: string | null;
            /** @description Sweeps have looked at the runs scheduled before this instant. */
            swept_until: string | null;
            /** @description The state of the shards, as in their own document; null if it cannot be read. */
            shards: string | null;
            /** @description Overdue timers; null if they cannot be read. */
            overdue: components["schemas"]["Overdue"] | null;
            /** @description The queues of the workers, by name. */
            queues: components["schemas"]["Queue"][];
            /** @description Parts that could not be read. */
            troubles: components["schemas"]["Trouble"][];
        };
        /**
         * Difference
         * @description A place at which two documents differ.
         */
        Difference: {
            /** @description The place, as a JSON Pointer (RFC 6901) such as `/retry/max_attempts`. */
            path: string;
            /** @description The value before; absent where there was none. */
            before?: unknown;
            /** @description The value afterwards; absent where there is none. */
            after?: unknown;
        };
        /**
         * EcsTarget
         * @description A task of ECS, on Fargate or on instances.
         */
        EcsTarget: {
            /** @constant */
            type: "ecs";
            /** @description The ARN of the cluster. */
            cluster: string;
            /** @description The ARN of the task definition; without a revision, the latest. */
            task_definition: string;
            /** @description The container that gets the run's values and the payload as variables (MINUTEHAND_…), and whose exit code counts. */
            container: string;
            /**
             * @description What ends the attempt: the start of the task (start), or its stop (wait), which an event tells, in the account and region of the stack.
             * @enum {string}
             */
            mode: "start" | "wait";
            /** @description By default, the cluster's own capacity provider strategy. */
            launch_type: ("FARGATE" | "EC2" | "EXTERNAL") | null;
            /** @description Subnets of a task with a network interface of its own, such as any on Fargate. */
            subnets: string[];
            /** @description Its security groups; by default that of the VPC. */
            security_groups: string[];
            /** @description Whether it gets a public address. Only with subnets. */
            public_ip: boolean;
            /** @description The container's command, in place of that of its image. */
            command: string[];
            /** @description Variables of the container, stored and shown as given. */
            environment: {
                [key: string]: string;
            };
            /** @description A role to start it with, in this or another account. */
            role_arn: string | null;
        };
        /**
         * EcsTargetInput
         * @description A task of ECS, on Fargate or on instances.
         */
        EcsTargetInput: {
            /**
             * @description Its type.
             * @enum {string}
             */
            type: "http" | "lambda" | "sqs" | "sns" | "eventbridge" | "stepfunctions" | "ecs" | "command";
            /** @description The ARN of the cluster. */
            cluster: string;
            /** @description The ARN of the task definition; without a revision, the latest. */
            task_definition: string;
            /** @description The container that gets the run's values and the payload as variables (MINUTEHAND_…), and whose exit code counts. */
            container: string;
            /**
             * @description What ends the attempt: the start of the task (start), or its stop (wait), which an event tells, in the account and region of the stack.
             * @default start
             * @enum {string}
             */
            mode?: "start" | "wait";
            /**
             * @description By default, the cluster's own capacity provider strategy.
             * @default null
             */
            launch_type?: ("FARGATE" | "EC2" | "EXTERNAL") | null;
            /**
             * @description Subnets of a task with a network interface of its own, such as any on Fargate.
             * @default []
             */
            subnets?: string[];
            /**
             * @description Its security groups; by default that of the VPC.
             * @default []
             */
            security_groups?: string[];
            /**
             * @description Whether it gets a public address. Only with subnets.
             * @default false
             */
            public_ip?: boolean;
            /**
             * @description The container's command, in place of that of its image.
             * @default []
             */
            command?: string[];
            /**
             * @description Variables of the container, stored and shown as given.
             * @default {}
             */
            environment?: {
                [key: string]: string;
            };
            /**
             * @description A role to start it with, in this or another account.
             * @default null
             */
            role_arn?: string | null;
        };
        /**
         * Edit
         * @description How many runs a day an edit of a schedule adds, removes and keeps.
         */
        Edit: {
            /**
             * Format: date-time
             * @description Start of the compared span.
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the compared span.
             */
            until: string;
            /** @description How many runs a day the edit adds. */
            added_per_day: number;
            /** @description How many runs a day the edit removes. */
            removed_per_day: number;
            /** @description How many runs a day the edit keeps. */
            kept_per_day: number;
        };
        /**
         * Eject
         * @description When a failing endpoint is left out.
         */
        Eject: {
            /** @description Failures in a row: no connection, no answer in time, no valid answer, or a 5xx. */
            after: number;
            /**
             * @description How long it is left out. After that, one more failure suffices.
             * @example 1h30m
             */
            for: string;
        };
        /**
         * EjectInput
         * @description When a failing endpoint is left out.
         */
        EjectInput: {
            /**
             * @description Failures in a row: no connection, no answer in time, no valid answer, or a 5xx.
             * @default 3
             */
            after?: number;
            /**
             * @description How long it is left out. After that, one more failure suffices.
             * @default 30s
             * @example 90s
             * @example 1h30m
             * @example 7d
             */
            for?: string;
        };
        /**
         * Endpoints
         * @description Several places where the target answers. Exactly one of `listed`, `cloud_map` and `registered` is given.
         */
        Endpoints: {
            /** @description The endpoints, named here. */
            listed: components["schemas"]["Listed"][];
            /** @description A service in AWS Cloud Map, whose healthy instances are the endpoints. */
            cloud_map: components["schemas"]["CloudMap"] | null;
            /** @description A service of the job's namespace, whose instances register themselves with the API. */
            registered: string | null;
            /**
             * @description Which endpoint gets a call: the one whose turn it is, by weight (round_robin); the one with the fewest calls in flight for its weight (fewest).
             * @enum {string}
             */
            choose: "round_robin" | "fewest";
            /**
             * @description When another endpoint is tried after one failed: in the same attempt, if the endpoint cannot have received the request, else in the next (attempt); only in the next attempt (retry).
             * @enum {string}
             */
            next_endpoint: "attempt" | "retry";
            /** @description When a failing endpoint is left out. */
            eject: components["schemas"]["Eject"];
        };
        /**
         * EndpointsInput
         * @description Several places where the target answers. Exactly one of `listed`, `cloud_map` and `registered` is given.
         */
        EndpointsInput: {
            /**
             * @description The endpoints, named here.
             * @default []
             */
            listed?: components["schemas"]["ListedInput"][];
            /**
             * @description A service in AWS Cloud Map, whose healthy instances are the endpoints.
             * @default null
             */
            cloud_map?: components["schemas"]["CloudMapInput"] | null;
            /**
             * @description A service of the job's namespace, whose instances register themselves with the API.
             * @default null
             * @example reports
             */
            registered?: string | null;
            /**
             * @description Which endpoint gets a call: the one whose turn it is, by weight (round_robin); the one with the fewest calls in flight for its weight (fewest).
             * @default round_robin
             * @enum {string}
             */
            choose?: "round_robin" | "fewest";
            /**
             * @description When another endpoint is tried after one failed: in the same attempt, if the endpoint cannot have received the request, else in the next (attempt); only in the next attempt (retry).
             * @default attempt
             * @enum {string}
             */
            next_endpoint?: "attempt" | "retry";
            eject?: components["schemas"]["EjectInput"];
        };
        /**
         * EventBridgeTarget
         * @description An event on an EventBridge bus.
         */
        EventBridgeTarget: {
            /** @constant */
            type: "eventbridge";
            /** @description The ARN of the event bus. */
            bus: string;
            /** @description The event's source, not one of AWS. */
            source: string;
            /** @description The event's type. */
            detail_type: string;
            /**
             * @description The event's detail: the run's payload, which must be an object; or a document about the run with its payload (run).
             * @enum {string}
             */
            send: "payload" | "run";
            /** @description A role to put it with, in this or another account. */
            role_arn: string | null;
        };
        /**
         * EventBridgeTargetInput
         * @description An event on an EventBridge bus.
         */
        EventBridgeTargetInput: {
            /**
             * @description Its type.
             * @enum {string}
             */
            type: "http" | "lambda" | "sqs" | "sns" | "eventbridge" | "stepfunctions" | "ecs" | "command";
            /** @description The ARN of the event bus. */
            bus: string;
            /** @description The event's source, not one of AWS. */
            source: string;
            /** @description The event's type. */
            detail_type: string;
            /**
             * @description The event's detail: the run's payload, which must be an object; or a document about the run with its payload (run).
             * @default payload
             * @enum {string}
             */
            send?: "payload" | "run";
            /**
             * @description A role to put it with, in this or another account.
             * @default null
             */
            role_arn?: string | null;
        };
        /**
         * Expect
         * @description What an answer must be like. Any other fails the attempt.
         */
        Expect: {
            /** @description Statuses, one of which the answer has: a status (404) or a class (2xx). */
            status: string[];
            /** @description A regular expression in RE2's syntax that matches somewhere in the first 256 KiB of the body. By default, any body is expected. */
            body: string;
        };
        /**
         * ExpectInput
         * @description What an answer must be like. Any other fails the attempt.
         */
        ExpectInput: {
            /**
             * @description Statuses, one of which the answer has: a status (404) or a class (2xx).
             * @default [
             *       "2xx"
             *     ]
             * @example [
             *       "2xx",
             *       "404"
             *     ]
             */
            status?: (string | number)[];
            /**
             * @description A regular expression in RE2's syntax that matches somewhere in the first 256 KiB of the body. By default, any body is expected.
             * @default
             * @example "status": *"(ok|done)"
             */
            body?: string;
        };
        /**
         * Explanation
         * @description What happened to a job from one instant up to another.
         */
        Explanation: {
            /** @description The job, as `namespace/name`. */
            job: string;
            /**
             * Format: date-time
             * @description The first instant.
             */
            from: string;
            /**
             * Format: date-time
             * @description The end, which is not included.
             */
            to: string;
            /** @description What happened, in order. */
            items: components["schemas"]["Finding"][];
            /** @description Findings about related runs of other instants. */
            beside: components["schemas"]["Finding"][];
            /** @description The `from` with which to request the following findings; null if there are none. */
            next: string | null;
        };
        /**
         * Exported
         * @description One exported thing.
         */
        Exported: {
            /**
             * @description What it is.
             * @enum {string}
             */
            kind: "namespace" | "calendar" | "job";
            /** @description The document that saves it: of a job or a calendar that of its `PUT`, of a namespace also with `paused`, as jobs have it. Secrets are references, as the job has them. */
            document: unknown;
        };
        /**
         * ExportedPage
         * @description A page of a list.
         */
        ExportedPage: {
            /** @description The items of this page. */
            items: components["schemas"]["Exported"][];
            /** @description The parameter `cursor` of the next page; null if this page is the last. */
            next: string | null;
        };
        /**
         * FieldError
         * @description An error or a warning about one field.
         */
        FieldError: {
            /** @description The field, such as `target.url`; empty for the document as a whole. */
            path: string;
            /** @description JSON Pointer (RFC 6901) to the field in the document, such as `/target/url`. */
            pointer?: string;
            /** @description What is wrong. */
            message: string;
            /** @description What would be right. */
            hint?: string | null;
            /** @description 0-based position in the field's text. */
            column?: number | null;
        };
        /**
         * Finding
         * @description What happened at the instants from `first` to `last`.
         */
        Finding: {
            /**
             * @description What happened, for programs.
             * @enum {string}
             */
            kind: "ran" | "under_way" | "skipped" | "passed_over" | "paused" | "deleted" | "not_there" | "not_named" | "outside_window" | "blocked" | "used_up" | "not_yet_due" | "overdue" | "missed" | "forgotten" | "unknown";
            /**
             * Format: date-time
             * @description The first instant.
             */
            first: string;
            /**
             * Format: date-time
             * @description The last instant.
             */
            last: string;
            /** @description Number of occurrences; null if the finding is about a span of time. */
            times: number | null;
            /** @description What happened, for people. */
            text: string;
            /** @description The run, if the finding is about one run. */
            run: components["schemas"]["Run"] | null;
            /** @description The revision in effect at these instants, or the one that created, paused or deleted the job. */
            revision: components["schemas"]["PastRevision"] | null;
            /** @description When a pause ends. */
            until: string | null;
            /** @description The change that ended a pause. */
            ended_by: components["schemas"]["PastRevision"] | null;
            /** @description The policy that skipped the occurrences. */
            policy: string | null;
            /** @description The calendar that blocks the occurrences. */
            calendar: string | null;
            /** @description The instant to which a calendar moved the occurrence. */
            moved_to: string | null;
            /** @description The nearest occurrence before these instants. */
            before: string | null;
            /** @description The nearest occurrence after these instants. */
            after: string | null;
            /** @description The ticks nearest to these instants. */
            ticks: components["schemas"]["TicksAround"] | null;
        };
        /**
         * FoundRunsPage
         * @description A page of a list.
         */
        FoundRunsPage: {
            /** @description The items of this page. */
            items: components["schemas"]["Run"][];
            /** @description The parameter `cursor` of the next page; null if this page is the last. */
            next: string | null;
            /**
             * Format: date-time
             * @description Every wanted run of a later instant is on this page or an earlier one.
             */
            looked_until: string;
        };
        /**
         * Grant
         * @description A role in some namespaces.
         */
        Grant: {
            /**
             * @description What the caller may do in these namespaces.
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin" | "agent";
            /** @description Names of namespaces, or `*` for all. */
            namespaces: string[];
        };
        /**
         * HandlerOrder
         * @description The handler of an order. It may hold secrets.
         */
        HandlerOrder: {
            /** @description Its name in the agent's app. */
            name: string;
            /** @description The run's payload: any JSON value. */
            payload: unknown;
            /** @description How the parents' runs ended, as in the body of a child's call. */
            parents: unknown;
        };
        /**
         * Health
         * @description That the API answers, and its version.
         */
        Health: {
            /** @description `ok`. */
            status: string;
            /** @description The version of the service. */
            version: string;
        };
        /**
         * HttpTarget
         * @description One HTTP request. An expected answer is success, or accepts the work for a later report.
         */
        HttpTarget: {
            /** @constant */
            type: "http";
            /**
             * @description The request's method.
             * @enum {string}
             */
            method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
            /** @description An http or https URL with a host, without user, password or fragment (`#…`). Forbidden addresses and hosts outside AllowedTargets are refused. */
            url: string;
            /** @description Several places where the target answers. For each call one of them replaces scheme, host and port of `url`; path and query stay. */
            endpoints: components["schemas"]["Endpoints"] | null;
            /** @description Headers to send, stored and shown as given; 8,192 ASCII characters in all. The values are templates, which may name secrets. Refused are those that the worker sets itself: Host, Idempotency-Key, Minutehand-*, and framing (Content-Length, Connection and the like). */
            headers: {
                [key: string]: string;
            };
            /** @description Parameters that are added to the URL's query, in the order of their names. The values are templates; they are percent-encoded. */
            query: {
                [key: string]: string;
            };
            /** @description What to send instead of the payload. Not with the methods GET and HEAD. */
            body: components["schemas"]["Body"] | null;
            /** @description How the server of an https URL proves who it is, and the worker who calls. */
            tls: components["schemas"]["Tls"];
            /** @description Reference to the secret with the key that signs requests by Standard Webhooks, or with several keys separated by blanks. */
            signing_key: string;
            /** @description Most redirects to follow. Each is judged as the URL is; never from https to http. Other origins receive neither the job's headers nor those of the run. */
            redirects: number;
            /** @description What an answer must be like; any other fails the attempt. */
            expect: components["schemas"]["Expect"];
            /**
             * @description Whether an expected answer ends the attempt: always, except 202 Accepted, after which the target reports later (auto); always (sync); never, since it only accepts the work, and the target reports later (callback).
             * @enum {string}
             */
            mode: "auto" | "sync" | "callback";
            /** @description Longest time between heartbeats of a target that reports later; less than timeout. Not with mode sync. */
            heartbeat: string | null;
        };
        /**
         * HttpTargetInput
         * @description One HTTP request. An expected answer is success, or accepts the work for a later report.
         */
        HttpTargetInput: {
            /**
             * @description Its type.
             * @enum {string}
             */
            type: "http" | "lambda" | "sqs" | "sns" | "eventbridge" | "stepfunctions" | "ecs" | "command";
            /**
             * @description The request's method.
             * @default POST
             * @enum {string}
             */
            method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
            /**
             * Format: uri
             * @description An http or https URL with a host, without user, password or fragment (`#…`). Forbidden addresses and hosts outside AllowedTargets are refused.
             */
            url: string;
            /**
             * @description Several places where the target answers. For each call one of them replaces scheme, host and port of `url`; path and query stay.
             * @default null
             */
            endpoints?: components["schemas"]["EndpointsInput"] | null;
            /**
             * @description Headers to send, stored and shown as given; 8,192 ASCII characters in all. The values are templates, which may name secrets. Refused are those that the worker sets itself: Host, Idempotency-Key, Minutehand-*, and framing (Content-Length, Connection and the like).
             * @default {}
             */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description Parameters that are added to the URL's query, in the order of their names. The values are templates; they are percent-encoded.
             * @default {}
             * @example {
             *       "day": "{{scheduled_for}}"
             *     }
             */
            query?: {
                [key: string]: string;
            };
            /**
             * @description What to send instead of the payload. Not with the methods GET and HEAD.
             * @default null
             */
            body?: components["schemas"]["BodyInput"] | null;
            /** @description How the server of an https URL proves who it is, and the worker who calls. */
            tls?: components["schemas"]["TlsInput"];
            /**
             * @description Reference to the secret with the key that signs requests by Standard Webhooks, or with several keys separated by blanks.
             * @default
             * @example ssm:/shop/signing-key
             */
            signing_key?: string;
            /**
             * @description Most redirects to follow. Each is judged as the URL is; never from https to http. Other origins receive neither the job's headers nor those of the run.
             * @default 0
             */
            redirects?: number;
            /** @description What an answer must be like; any other fails the attempt. */
            expect?: components["schemas"]["ExpectInput"];
            /**
             * @description Whether an expected answer ends the attempt: always, except 202 Accepted, after which the target reports later (auto); always (sync); never, since it only accepts the work, and the target reports later (callback).
             * @default auto
             * @enum {string}
             */
            mode?: "auto" | "sync" | "callback";
            /**
             * @description Longest time between heartbeats of a target that reports later; less than timeout. Not with mode sync.
             * @default null
             */
            heartbeat?: string | null;
        };
        /**
         * ImportInput
         * @description Exported things to save, as many as fit into a body.
         */
        ImportInput: {
            /** @description The things, in any order: settings and calendars are saved before jobs, parents before their children. */
            items: components["schemas"]["ImportItemInput"][];
        };
        /**
         * ImportItemInput
         * @description One thing to import, as an export has it.
         */
        ImportItemInput: {
            /**
             * @description What it is.
             * @enum {string}
             */
            kind: "namespace" | "calendar" | "job";
            /** @description Its document. */
            document: unknown;
        };
        /**
         * ImportResult
         * @description What became of one thing of an import.
         */
        ImportResult: {
            /**
             * @description What it is.
             * @enum {string}
             */
            kind: "namespace" | "calendar" | "job";
            /** @description Its namespace. */
            namespace: string;
            /** @description Its name; empty for a namespace. */
            name: string;
            /**
             * @description What was done. `over`: the job has no run any more, so it was not saved. `refused`: `problem` says why, and nothing was saved. `left`: the request had no time left; send it again.
             * @enum {string}
             */
            result: "created" | "updated" | "unchanged" | "over" | "refused" | "left";
            /** @description Its revision; null if it was not saved. */
            revision: number | null;
            /** @description What is valid, but probably not meant. */
            warnings: components["schemas"]["FieldError"][];
            /** @description Why it was not saved; its pointers are those of its document. */
            problem?: components["schemas"]["Problem"];
        };
        /**
         * Imported
         * @description What became of the things of an import.
         */
        Imported: {
            /** @description A result for each, in the order of the request. */
            items: components["schemas"]["ImportResult"][];
            /** @description How many were refused. */
            refused: number;
            /** @description How many were left for another request. */
            left: number;
        };
        /**
         * Job
         * @description A job: when it runs, what it does then, and what happens if that fails.
         */
        Job: {
            /** @description The namespace; the same as in the path, or left out. */
            namespace: string;
            /** @description The name in the namespace; the same as in the path, or left out. */
            name: string;
            /** @description Free text about the job, for people. */
            description: string;
            /** @description Whom to ask about the job, in one line. */
            owner: string;
            /** @description Names and values of your own, for finding jobs. A name has up to 63 of A-Z, a-z, 0-9, `.`, `_`, `/`, `-`, beginning with a letter or digit; a value is one line of at most 255 characters. */
            labels: {
                [key: string]: string;
            };
            /** @description When the job runs: a crontab of 5 fields, or 6 with seconds first; @hourly and the like; @every 90s; @after 10m, a fixed delay counted from the end of the run before; @manual; EventBridge's cron(…), rate(…) and at(…). A list joins several. At most 1,024 characters in all. Optional with depends_on. A fixed delay excludes calendars, max_runs, jitter, queue_one and queue_all. */
            schedule: string | string[];
            /** @description The IANA time zone of the schedule. */
            timezone: string;
            /** @description The rules for days and clock changes. By default, the schedule's text decides: eventbridge for cron(…), rate(…) and at(…), vixie for everything else. */
            dialect: ("eventbridge" | "robfig" | "vixie") | null;
            /** @description Names of the namespace's calendars that block the job's occurrences, each once. Answers sort the names. */
            calendars: string[];
            /**
             * @description What happens to an occurrence that a calendar blocks: it does not run (skip), or runs at the same time of the next open day within 92 days (next_day; for jobs that run at most 96 times a day).
             * @enum {string}
             */
            on_blocked: "skip" | "next_day";
            /** @description The first instant that the schedule may name, in RFC 3339 and whole seconds; @every and rate(…) count from it. Answers give it in UTC. */
            start_at: string | null;
            /** @description The last instant that the schedule may name, in RFC 3339 and whole seconds. Answers give it in UTC. */
            end_at: string | null;
            /** @description Occurrences to dispatch before the job is finished. An occurrence also counts if its run is skipped for another run, for start_within or for a pause of the namespace; a triggered run does not count. */
            max_runs: number | null;
            /** @description Longest start delay of an occurrence. A hash of job and instant chooses each delay, which is thus always the same. */
            jitter: string | null;
            /** @description The parents: jobs whose runs, when they end, start runs of this job. No job may be its own ancestor. */
            depends_on: components["schemas"]["Dependency"][];
            /**
             * @description Whether this job runs when all of its parents have a run that ended as required (all), or one (any).
             * @enum {string}
             */
            join: "all" | "any";
            /** @description Length of the join windows: the parents' runs scheduled in one window start one run of this job. A duration that divides a day, or whole days. By default, the parents' runs for the same instant belong together. */
            join_window: string | null;
            /** @description Whether the job is paused, or until when: `{"until": "2026-12-01T09:00:00Z"}`. If left out, a stored job keeps its pause, and a new job is not paused. */
            paused: boolean | components["schemas"]["Pause"];
            /** @description What a run does. */
            target: components["schemas"]["HttpTarget"] | components["schemas"]["LambdaTarget"] | components["schemas"]["SqsTarget"] | components["schemas"]["SnsTarget"] | components["schemas"]["EventBridgeTarget"] | components["schemas"]["StepFunctionsTarget"] | components["schemas"]["EcsTarget"] | components["schemas"]["CommandTarget"];
            /** @description Any JSON value, passed to the target. */
            payload: unknown;
            /**
             * @description How late a tick may dispatch an occurrence that still counts as on time. A worker's lateness does not matter.
             * @example 1h30m
             */
            misfire_grace: string;
            /**
             * @description Which missed occurrences still run: none (skip), the latest, or all.
             * @enum {string}
             */
            catch_up: "skip" | "latest" | "all";
            /**
             * @description Maximum age of a missed occurrence that still runs; at least misfire_grace.
             * @example 1h30m
             */
            catchup_window: string;
            /** @description Most missed occurrences to dispatch in a minute, besides those on time; their starts spread evenly over the minute. */
            max_catch_up: number;
            /**
             * @description What happens when a run is due while an earlier one is active: it starts (allow), is skipped (skip), waits while later ones are skipped (queue_one), waits as do all later ones (queue_all), or cancels the earlier one (replace). A fixed delay treats allow as skip. A trigger may ignore the policy.
             * @enum {string}
             */
            overlap: "allow" | "skip" | "queue_one" | "queue_all" | "replace";
            /** @description How long a run may wait for its first attempt, counted from starts_at: a run that has not begun by then is skipped, whatever it waited for. Backfilled runs, retries and take-overs may start later. */
            start_within: string | null;
            /** @description Most attempts of the job's runs in progress at once; further runs wait. */
            max_concurrency: number | null;
            /** @description Concurrency limits by name, each shared by the jobs of the namespace that give its name, such as those that use one database; further runs wait. */
            limits: components["schemas"]["NamedLimit"][];
            /**
             * @description Limit of one attempt, from its start to its answer; at most 14m unless the target may answer later. If timeout is above 14m, the target has 60s to accept the work.
             * @example 1h30m
             */
            timeout: string;
            /** @description Limit of the whole run, from the start of its first attempt; at least timeout. */
            run_timeout: string | null;
            /** @description Which failed attempts are retried, and when. */
            retry: components["schemas"]["Retry"];
            /** @description How often a run is started again after its worker died, or its agent fell silent; with 0, such a run is lost. */
            takeovers: number;
            /**
             * @description How long the job's runs are kept. At least timeout and run_timeout; without run_timeout, also at least all attempts with the waits between them.
             * @example 1h30m
             */
            retention: string;
            /** @description How many of the newest runs to keep. Older runs are removed, with payload and output, after about every 16 runs (or a 64th of this number, if that is more), but never within 24 hours of their creation. */
            retention_count: number | null;
            /** @description Whether runs are planned, started and recorded as always, but call no target: to compare with another scheduler before this one takes over. */
            shadow: boolean;
            /** @description Whether each run records its usage of AWS services. This costs no further writes. */
            record_units: boolean;
            /** @description The status of the job; ignored in a document to save. */
            status: components["schemas"]["JobStatus"];
            /** @description Warnings about the schedule and the limits, in the answer to a save; ignored in a document to save. */
            warnings?: components["schemas"]["FieldError"][];
            /** @description The next runs, in the answer to a dry run; ignored in a document to save. */
            preview?: components["schemas"]["Preview"];
            /** @description The backfill that a resume started, in the resume's answer; ignored in a document to save. */
            backfill?: components["schemas"]["Backfill"] | null;
        };
        /**
         * JobEndpoint
         * @description An endpoint of a job.
         */
        JobEndpoint: {
            /** @description Its URL. */
            url: string;
            /** @description Its share of the calls; null if only Cloud Map knows it. */
            weight: number | null;
            /** @description Failures in a row. */
            failures: number;
            /** @description Until when it is left out; null if it is not. */
            ejected_until: string | null;
            /** @description Calls in flight; null if they are not counted (`choose: round_robin`). */
            in_flight: number | null;
            /** @description Until when it is registered; null if it did not register itself. */
            expires_at: string | null;
        };
        /**
         * JobEndpoints
         * @description The endpoints of a job, and how they fare.
         */
        JobEndpoints: {
            /** @description The job, as `namespace/name`. */
            job: string;
            /** @description Where they are found: `listed`, `cloud_map` or `registered`. With `cloud_map`, `items` has only those that failed lately or have calls in flight. */
            source: string;
            /**
             * @description Which endpoint gets a call.
             * @enum {string}
             */
            choose: "round_robin" | "fewest";
            /** @description How many calls were shared so far. */
            calls: number;
            /** @description The endpoints, by URL. */
            items: components["schemas"]["JobEndpoint"][];
        };
        /**
         * JobInput
         * @description A job: when it runs, what it does then, and what happens if that fails.
         */
        JobInput: {
            /**
             * @description The namespace; the same as in the path, or left out.
             * @default
             */
            namespace?: string;
            /**
             * @description The name in the namespace; the same as in the path, or left out.
             * @default
             */
            name?: string;
            /**
             * @description Free text about the job, for people.
             * @default
             */
            description?: string;
            /**
             * @description Whom to ask about the job, in one line.
             * @default
             */
            owner?: string;
            /**
             * @description Names and values of your own, for finding jobs. A name has up to 63 of A-Z, a-z, 0-9, `.`, `_`, `/`, `-`, beginning with a letter or digit; a value is one line of at most 255 characters.
             * @default {}
             */
            labels?: {
                [key: string]: string;
            };
            /**
             * @description When the job runs: a crontab of 5 fields, or 6 with seconds first; @hourly and the like; @every 90s; @after 10m, a fixed delay counted from the end of the run before; @manual; EventBridge's cron(…), rate(…) and at(…). A list joins several. At most 1,024 characters in all. Optional with depends_on. A fixed delay excludes calendars, max_runs, jitter, queue_one and queue_all.
             * @default @manual
             * @example *\/5 * * * *
             * @example 0 30 9 * * MON-FRI
             * @example @daily
             * @example @every 90s
             * @example @after 10m
             * @example [
             *       "0 9 * * MON-FRI",
             *       "0 12 * * SAT"
             *     ]
             */
            schedule?: string | string[];
            /**
             * @description The IANA time zone of the schedule.
             * @default UTC
             * @example Europe/Paris
             */
            timezone?: string;
            /**
             * @description The rules for days and clock changes. By default, the schedule's text decides: eventbridge for cron(…), rate(…) and at(…), vixie for everything else.
             * @default null
             */
            dialect?: ("eventbridge" | "robfig" | "vixie") | null;
            /**
             * @description Names of the namespace's calendars that block the job's occurrences, each once. Answers sort the names.
             * @default []
             * @example [
             *       "holidays"
             *     ]
             */
            calendars?: string[];
            /**
             * @description What happens to an occurrence that a calendar blocks: it does not run (skip), or runs at the same time of the next open day within 92 days (next_day; for jobs that run at most 96 times a day).
             * @default skip
             * @enum {string}
             */
            on_blocked?: "skip" | "next_day";
            /**
             * @description The first instant that the schedule may name, in RFC 3339 and whole seconds; @every and rate(…) count from it. Answers give it in UTC.
             * @default null
             */
            start_at?: string | null;
            /**
             * @description The last instant that the schedule may name, in RFC 3339 and whole seconds. Answers give it in UTC.
             * @default null
             */
            end_at?: string | null;
            /**
             * @description Occurrences to dispatch before the job is finished. An occurrence also counts if its run is skipped for another run, for start_within or for a pause of the namespace; a triggered run does not count.
             * @default null
             */
            max_runs?: number | null;
            /**
             * @description Longest start delay of an occurrence. A hash of job and instant chooses each delay, which is thus always the same.
             * @default null
             */
            jitter?: string | null;
            /**
             * @description The parents: jobs whose runs, when they end, start runs of this job. No job may be its own ancestor.
             * @default []
             * @example [
             *       {
             *         "job": "extract",
             *         "on": "success"
             *       }
             *     ]
             */
            depends_on?: components["schemas"]["DependencyInput"][];
            /**
             * @description Whether this job runs when all of its parents have a run that ended as required (all), or one (any).
             * @default all
             * @enum {string}
             */
            join?: "all" | "any";
            /**
             * @description Length of the join windows: the parents' runs scheduled in one window start one run of this job. A duration that divides a day, or whole days. By default, the parents' runs for the same instant belong together.
             * @default null
             * @example 1d
             */
            join_window?: string | null;
            /**
             * @description Whether the job is paused, or until when: `{"until": "2026-12-01T09:00:00Z"}`. If left out, a stored job keeps its pause, and a new job is not paused.
             * @default false
             */
            paused?: boolean | components["schemas"]["PauseInput"];
            /** @description What a run does. */
            target: components["schemas"]["HttpTargetInput"] | components["schemas"]["LambdaTargetInput"] | components["schemas"]["SqsTargetInput"] | components["schemas"]["SnsTargetInput"] | components["schemas"]["EventBridgeTargetInput"] | components["schemas"]["StepFunctionsTargetInput"] | components["schemas"]["EcsTargetInput"] | components["schemas"]["CommandTargetInput"];
            /**
             * @description Any JSON value, passed to the target.
             * @default null
             */
            payload?: unknown;
            /**
             * @description How late a tick may dispatch an occurrence that still counts as on time. A worker's lateness does not matter.
             * @default 5m
             * @example 90s
             * @example 1h30m
             * @example 7d
             */
            misfire_grace?: string;
            /**
             * @description Which missed occurrences still run: none (skip), the latest, or all.
             * @default latest
             * @enum {string}
             */
            catch_up?: "skip" | "latest" | "all";
            /**
             * @description Maximum age of a missed occurrence that still runs; at least misfire_grace.
             * @default 1d
             * @example 90s
             * @example 1h30m
             * @example 7d
             */
            catchup_window?: string;
            /**
             * @description Most missed occurrences to dispatch in a minute, besides those on time; their starts spread evenly over the minute.
             * @default 100
             */
            max_catch_up?: number;
            /**
             * @description What happens when a run is due while an earlier one is active: it starts (allow), is skipped (skip), waits while later ones are skipped (queue_one), waits as do all later ones (queue_all), or cancels the earlier one (replace). A fixed delay treats allow as skip. A trigger may ignore the policy.
             * @default allow
             * @enum {string}
             */
            overlap?: "allow" | "skip" | "queue_one" | "queue_all" | "replace";
            /**
             * @description How long a run may wait for its first attempt, counted from starts_at: a run that has not begun by then is skipped, whatever it waited for. Backfilled runs, retries and take-overs may start later.
             * @default null
             */
            start_within?: string | null;
            /**
             * @description Most attempts of the job's runs in progress at once; further runs wait.
             * @default null
             */
            max_concurrency?: number | null;
            /**
             * @description Concurrency limits by name, each shared by the jobs of the namespace that give its name, such as those that use one database; further runs wait.
             * @default []
             * @example [
             *       {
             *         "max": 3,
             *         "name": "db"
             *       }
             *     ]
             */
            limits?: components["schemas"]["NamedLimitInput"][];
            /**
             * @description Limit of one attempt, from its start to its answer; at most 14m unless the target may answer later. If timeout is above 14m, the target has 60s to accept the work.
             * @default 1m
             * @example 90s
             * @example 1h30m
             * @example 7d
             */
            timeout?: string;
            /**
             * @description Limit of the whole run, from the start of its first attempt; at least timeout.
             * @default null
             */
            run_timeout?: string | null;
            /** @description Which failed attempts are retried, and when. */
            retry?: components["schemas"]["RetryInput"];
            /**
             * @description How often a run is started again after its worker died, or its agent fell silent; with 0, such a run is lost.
             * @default 2
             */
            takeovers?: number;
            /**
             * @description How long the job's runs are kept. At least timeout and run_timeout; without run_timeout, also at least all attempts with the waits between them.
             * @default 30d
             * @example 90s
             * @example 1h30m
             * @example 7d
             */
            retention?: string;
            /**
             * @description How many of the newest runs to keep. Older runs are removed, with payload and output, after about every 16 runs (or a 64th of this number, if that is more), but never within 24 hours of their creation.
             * @default null
             */
            retention_count?: number | null;
            /**
             * @description Whether runs are planned, started and recorded as always, but call no target: to compare with another scheduler before this one takes over.
             * @default false
             */
            shadow?: boolean;
            /**
             * @description Whether each run records its usage of AWS services. This costs no further writes.
             * @default false
             */
            record_units?: boolean;
            /**
             * @description The status of the job; ignored in a document to save.
             * @default null
             */
            readonly status?: unknown;
            /**
             * @description Warnings about the schedule and the limits, in the answer to a save; ignored in a document to save.
             * @default null
             */
            readonly warnings?: unknown;
            /**
             * @description The next runs, in the answer to a dry run; ignored in a document to save.
             * @default null
             */
            readonly preview?: unknown;
            /**
             * @description The backfill that a resume started, in the resume's answer; ignored in a document to save.
             * @default null
             */
            readonly backfill?: unknown;
        };
        /**
         * JobStatus
         * @description The status of a job; ignored in a document to save.
         */
        JobStatus: {
            /** @description The job's revision: the number of its latest change. */
            revision: number;
            /**
             * Format: date-time
             * @description When the job was last changed.
             */
            updated_at: string;
            /** @description Name of the token that last changed the job. */
            updated_by: string;
            /** @description When the job runs next. */
            next_run_at: string | null;
            /** @description Why the job has no next run, or none before a pause ends. */
            idle_because: string | null;
            /** @description When the pause of the job or of its namespace ends by itself, the later of both; null without such a pause. */
            paused_until: string | null;
            /** @description Number of occurrences that `max_runs` still allows; null without it. */
            runs_left: number | null;
            /** @description What puts the job in shadow, so that its runs call no target: its own `shadow`, that of its namespace, or that of the stack. */
            shadow_of: ("job" | "namespace" | "stack") | null;
            /** @description The schedule in words. */
            description: string | null;
            /** @description The time zone of the schedule. */
            timezone: string | null;
            /** @description The rules for days and clock changes that apply. */
            dialect: string | null;
            /** @description The jobs that depend on this job, as `namespace/name`: those that the token may read. */
            children: string[];
            /** @description The job's parents that were deleted, as `namespace/name`. */
            deleted_parents: string[];
        };
        /**
         * JobSummary
         * @description A job in a list.
         */
        JobSummary: {
            /** @description The namespace; the same as in the path, or left out. */
            namespace: string;
            /** @description The name in the namespace; the same as in the path, or left out. */
            name: string;
            /** @description Free text, for people. */
            description: string;
            /** @description Whom to contact about the job. */
            owner: string;
            /** @description Names and values of your own. */
            labels: {
                [key: string]: string;
            };
            /** @description When the job runs. */
            schedule: string | string[];
            /** @description The IANA time zone of the schedule. */
            timezone: string;
            /** @description Whether the job is paused, or until when. */
            paused: boolean | components["schemas"]["Pause"];
            /** @description The type of the job's target. */
            target_type: string;
            /** @description The status of the job. */
            status: components["schemas"]["SummaryStatus"];
            /** @description Only with `last=true`: the newest ended run among those of the last two instants that the present schedule names, and the run that last took the job's overlap lock; null if none of these has ended or exists. */
            last_run?: components["schemas"]["LastRun"] | null;
        };
        /**
         * JobSummaryPage
         * @description A page of a list.
         */
        JobSummaryPage: {
            /** @description The items of this page. */
            items: components["schemas"]["JobSummary"][];
            /** @description The parameter `cursor` of the next page; null if this page is the last. */
            next: string | null;
        };
        /**
         * LambdaTarget
         * @description An invocation of a Lambda function.
         */
        LambdaTarget: {
            /** @constant */
            type: "lambda";
            /** @description The ARN of the function, without a version or an alias. */
            function: string;
            /** @description The version or the alias to invoke. */
            qualifier: string | null;
            /**
             * @description What ends the attempt: the function's answer (request_response); Lambda's answer that it has queued the event (event); the function's later report (callback).
             * @enum {string}
             */
            mode: "request_response" | "event" | "callback";
            /**
             * @description What the function receives: the run's payload, or a document about the run with its payload (run). With mode callback always the document.
             * @enum {string}
             */
            send: "payload" | "run";
            /** @description Whether the last 4 KB of the function's log are also kept if it succeeds. Only with mode request_response. */
            log_tail: boolean;
            /** @description A role to invoke it with, in this or another account. */
            role_arn: string | null;
            /** @description Longest time between heartbeats of a function that reports later; less than timeout. Only with mode callback. */
            heartbeat: string | null;
        };
        /**
         * LambdaTargetInput
         * @description An invocation of a Lambda function.
         */
        LambdaTargetInput: {
            /**
             * @description Its type.
             * @enum {string}
             */
            type: "http" | "lambda" | "sqs" | "sns" | "eventbridge" | "stepfunctions" | "ecs" | "command";
            /** @description The ARN of the function, without a version or an alias. */
            function: string;
            /**
             * @description The version or the alias to invoke.
             * @default null
             */
            qualifier?: string | null;
            /**
             * @description What ends the attempt: the function's answer (request_response); Lambda's answer that it has queued the event (event); the function's later report (callback).
             * @default request_response
             * @enum {string}
             */
            mode?: "request_response" | "event" | "callback";
            /**
             * @description What the function receives: the run's payload, or a document about the run with its payload (run). With mode callback always the document.
             * @default payload
             * @enum {string}
             */
            send?: "payload" | "run";
            /**
             * @description Whether the last 4 KB of the function's log are also kept if it succeeds. Only with mode request_response.
             * @default false
             */
            log_tail?: boolean;
            /**
             * @description A role to invoke it with, in this or another account.
             * @default null
             */
            role_arn?: string | null;
            /**
             * @description Longest time between heartbeats of a function that reports later; less than timeout. Only with mode callback.
             * @default null
             */
            heartbeat?: string | null;
        };
        /**
         * LastRun
         * @description How a run of a job ended, in a list of jobs.
         */
        LastRun: {
            /** @description The run's id. */
            run_id: string;
            /**
             * @description How the run ended.
             * @enum {string}
             */
            state: "queued" | "running" | "waiting" | "retrying" | "succeeded" | "failed" | "timed_out" | "cancelled" | "skipped" | "lost";
            /**
             * Format: date-time
             * @description The run's nominal instant.
             */
            scheduled_for: string;
            /** @description When the run ended. */
            finished_at: string | null;
        };
        /**
         * Listed
         * @description An endpoint that the job names.
         */
        Listed: {
            /** @description Its origin, perhaps with a base path. It is judged as `target.url` is. */
            url: string;
            /** @description Its share of the calls. */
            weight: number;
        };
        /**
         * ListedInput
         * @description An endpoint that the job names.
         */
        ListedInput: {
            /**
             * Format: uri
             * @description Its origin, perhaps with a base path. It is judged as `target.url` is.
             * @example https://10.0.3.7:8443
             */
            url: string;
            /**
             * @description Its share of the calls.
             * @default 1
             */
            weight?: number;
        };
        /**
         * LockWait
         * @description The run of the same job for which a run waits, because the job's runs must not overlap.
         */
        LockWait: {
            /** @description The id of the run in the way. */
            run_id: string;
            /** @description Start of that run's newest attempt; null before its first. */
            since: string | null;
            /** @description Number of other runs of the job that wait and come before this one. */
            before: number;
            /**
             * @description The policy that makes the run wait.
             * @enum {string}
             */
            overlap: "allow" | "skip" | "queue_one" | "queue_all" | "replace";
        };
        /**
         * Log
         * @description A piece of the log of an attempt.
         */
        Log: {
            /** @description The run's id. */
            run_id: string;
            /** @description The run's job, as `namespace/name`. */
            job: string;
            /** @description Number of the attempt; 0 before the first. */
            attempt: number;
            /**
             * @description The run's state.
             * @enum {string}
             */
            state: "queued" | "running" | "waiting" | "retrying" | "succeeded" | "failed" | "timed_out" | "cancelled" | "skipped" | "lost";
            /** @description What was written, in order. */
            entries: components["schemas"]["LogEntry"][];
            /** @description Send it to get what follows. */
            cursor: string;
            /** @description Whether nothing follows. */
            ended: boolean;
            /** @description Whether something is missing: it was not sent, or has expired. */
            cut: boolean;
            /** @description Seconds after which it is worth asking again; 0 for at once. */
            next_in: number;
        };
        /**
         * LogEntry
         * @description A line of a log, or a piece of a long line.
         */
        LogEntry: {
            /** @description When it was written, as an RFC 3339 instant in UTC. */
            at: string;
            /**
             * @description `output`: what was written, both streams of a command in their order; `note`: the agent's own remark that something is missing here.
             * @enum {string}
             */
            stream: "output" | "note";
            /** @description What was written, with the newline that ended it, if any. */
            text: string;
        };
        /**
         * NamedLimit
         * @description A concurrency limit, shared by the jobs of a namespace that give its name.
         */
        NamedLimit: {
            /** @description The limit's name, such as that of a database. */
            name: string;
            /** @description Most attempts of these jobs together in progress at once. Give the same max in each of them; a job with a lower one may use only as many of the limit's slots. */
            max: number;
        };
        /**
         * NamedLimitInput
         * @description A concurrency limit, shared by the jobs of a namespace that give its name.
         */
        NamedLimitInput: {
            /** @description The limit's name, such as that of a database. */
            name: string;
            /** @description Most attempts of these jobs together in progress at once. Give the same max in each of them; a job with a lower one may use only as many of the limit's slots. */
            max: number;
        };
        /**
         * Namespace
         * @description The settings of a namespace, which apply to all of its jobs together. Routes of their own pause it and put it in shadow.
         */
        Namespace: {
            /** @description The namespace's name: the same as in the path, or left out. */
            namespace: string;
            /** @description Maximum attempts in progress at once, over all jobs of the namespace; null for no limit. */
            max_concurrency: number | null;
            /** @description The status of the namespace; ignored in a document to save. */
            status: components["schemas"]["NamespaceStatus"];
        };
        /**
         * NamespaceInput
         * @description The settings of a namespace, which apply to all of its jobs together. Routes of their own pause it and put it in shadow.
         */
        NamespaceInput: {
            /**
             * @description The namespace's name: the same as in the path, or left out.
             * @default default
             */
            namespace?: string;
            /**
             * @description Maximum attempts in progress at once, over all jobs of the namespace; null for no limit.
             * @default null
             */
            max_concurrency?: number | null;
            /**
             * @description The status of the namespace; ignored in a document to save.
             * @default null
             */
            readonly status?: unknown;
        };
        /**
         * NamespacePage
         * @description A page of a list.
         */
        NamespacePage: {
            /** @description The items of this page. */
            items: components["schemas"]["Namespace"][];
            /** @description The parameter `cursor` of the next page; null if this page is the last. */
            next: string | null;
        };
        /**
         * NamespacePause
         * @description A pause of a namespace.
         */
        NamespacePause: {
            /**
             * Format: date-time
             * @description When the pause began.
             */
            from: string;
            /** @description Name of the token that paused the namespace. */
            by: string;
            /** @description When the pause ended or will end; null without an end. */
            to: string | null;
            /** @description Name of the token that resumed the namespace. */
            resumed_by: string | null;
        };
        /**
         * NamespaceRedriveInput
         * @description Which runs of a namespace to redrive: the overdue ones, or with `lost` the lost ones.
         */
        NamespaceRedriveInput: {
            /**
             * @description Replace each lost run with a new one, at most once.
             * @default false
             */
            lost?: boolean;
        };
        /**
         * NamespaceStatus
         * @description The status of a namespace; ignored in a document to save.
         */
        NamespaceStatus: {
            /** @description Whether the namespace is paused. */
            paused: boolean;
            /** @description When the pause ends by itself. */
            paused_until: string | null;
            /** @description The newest 20 pauses, newest first. */
            pauses: components["schemas"]["NamespacePause"][];
            /** @description The namespace's quota; null if it has none. */
            quota: components["schemas"]["QuotaLimits"] | null;
            /** @description Whether the namespace is in shadow: its jobs call no target. */
            shadow: boolean;
            /** @description How often the namespace was changed. */
            revision: number;
            /** @description When the namespace was last changed. */
            updated_at: string | null;
            /** @description Name of the token that last changed the namespace. */
            updated_by: string | null;
        };
        /**
         * NextRuns
         * @description A job's next runs, and the meaning of its schedule.
         */
        NextRuns: {
            /** @description The schedule in words. */
            description: string | null;
            /** @description The time zone of the schedule. */
            timezone: string | null;
            /** @description The rules for days and clock changes that apply. */
            dialect: string | null;
            /** @description The next runs, in order. */
            items: components["schemas"]["ComingRun"][];
            /** @description Occurrences that calendars block. */
            blocked: components["schemas"]["BlockedRuns"][];
            /** @description Times that clock changes skip. */
            skipped: components["schemas"]["SkippedTimes"][];
            /** @description Whether further runs were left out, since so many occurrences are blocked or moved that finding them takes too long. */
            cut: boolean;
            /** @description Why the job has no next run, or none before a pause ends. */
            idle_because: string | null;
            /** @description What puts the job in shadow, so that these runs will call no target; null without that. */
            shadow_of: ("job" | "namespace" | "stack") | null;
        };
        /**
         * Node
         * @description A node: an agent that serves a pool, or did lately.
         */
        Node: {
            /** @description The pool. */
            pool: string;
            /** @description The node's name in its pool. */
            node: string;
            /** @description Name of its host. */
            host: string;
            /** @description The agent's version. */
            version: string;
            /** @description Its tags. */
            tags: {
                [key: string]: string;
            };
            /** @description How many commands it runs at once. */
            slots: number;
            /** @description How many it ran when it was seen last. */
            running: number;
            /**
             * Format: date-time
             * @description When its agent registered.
             */
            registered_at: string;
            /**
             * Format: date-time
             * @description When its agent was seen last.
             */
            seen_at: string;
            /** @description Whether it was seen within 150 seconds, and has not left. */
            live: boolean;
            /**
             * @description What an operator asked of it: to take work (run), to take none until it is asked to run again (pause), or to take none and end when nothing is running (drain).
             * @enum {string}
             */
            asked: "run" | "pause" | "drain";
        };
        /**
         * NodeInput
         * @description An agent that registers as a node.
         */
        NodeInput: {
            /** @description Random text of the agent's process. */
            session: string;
            /** @description Name of its host. */
            host: string;
            /** @description The agent's version. */
            version: string;
            /** @description How many commands it runs at once. */
            slots: number;
            /**
             * @description Its tags.
             * @default {}
             */
            tags?: {
                [key: string]: string;
            };
            /**
             * @description Text that differs between two starts of the machine, or of its container. The first time that one is sent, the jobs with `at_start` are started.
             * @default
             */
            boot?: string;
        };
        /**
         * NodePage
         * @description A page of a list.
         */
        NodePage: {
            /** @description The items of this page. */
            items: components["schemas"]["Node"][];
            /** @description The parameter `cursor` of the next page; null if this page is the last. */
            next: string | null;
        };
        /**
         * Order
         * @description One attempt of a run, as the agent gets it that runs it. It holds secrets: it is sent, and neither stored nor logged.
         */
        Order: {
            /** @description The job, as `namespace/name`. */
            job: string;
            /** @description The run's id. */
            run_id: string;
            /** @description Number of the attempt. */
            attempt: number;
            /** @description How many attempts may follow if this one fails. */
            attempts_left: number;
            /** @description How often another agent may take the run over if this one falls silent. */
            takeovers: number;
            /**
             * Format: date-time
             * @description The run's nominal instant.
             */
            scheduled_for: string;
            /** @description The attempt's token, for its heartbeats and its report. */
            token: string;
            /**
             * Format: date-time
             * @description By when the attempt must be reported.
             */
            deadline: string;
            /** @description Seconds from the start of the attempt to its deadline. */
            timeout: number;
            /** @description Seconds after which the attempt is over if no heartbeat comes. */
            heartbeat: number;
            /** @description Seconds between heartbeats, so that two may be lost. */
            heartbeat_every: number;
            /** @description A text for the shell, or a program with its arguments, to be run as it is; null for a handler. */
            command: (string | string[]) | null;
            /** @description What to run of the agent's app; null for a command. */
            handler: components["schemas"]["HandlerOrder"] | null;
            /** @description Path of the shell that runs a text, with `-c`; null for a list. */
            shell: string | null;
            /** @description Where to run it; null for the home directory of its user. */
            directory: string | null;
            /** @description Its variables, filled in; those of the run itself (MINUTEHAND_…) are not among them. */
            environment: {
                [key: string]: string;
            };
            /** @description Who runs it; null for the agent's own user. */
            user: string | null;
            /** @description What it reads from standard input; null for nothing. */
            stdin: string | null;
            /** @description Of a run on several nodes, the place of this one among them, from 0; null for any other run. */
            node_index: number | null;
            /** @description Of a run on several nodes, how many they are; null for any other run. */
            node_total: number | null;
            /** @description Exit codes that mean success. */
            success_codes: number[];
            /** @description Exit codes that mean that there was nothing to do. */
            skipped_codes: number[];
        };
        /**
         * Output
         * @description The output of an attempt.
         */
        Output: {
            /** @description The run's id. */
            run_id: string;
            /** @description The run's job, as `namespace/name`. */
            job: string;
            /** @description Number of the attempt. */
            attempt: number;
            /** @description Size of the output's text in UTF-8, in bytes. */
            bytes: number;
            /** @description Whether `text` is only a part, because the rest was not stored or has expired. */
            truncated: boolean;
            /** @description Whether the target sent more than the 1 MiB that a worker reads. */
            cut: boolean;
            /** @description The output's text; null if `url` links to it. */
            text: string | null;
            /** @description A link to the output's text, valid for some minutes. */
            url: string | null;
        };
        /**
         * Overdue
         * @description Timers that should have been dispatched a minute ago or earlier: of jobs, retries, deadlines and backfills.
         */
        Overdue: {
            /** @description How many were found. */
            timers: number;
            /** @description Whether there may be more: a shard or a bucket has more than a request reads. */
            more: boolean;
            /** @description When the oldest of them was due. */
            oldest: string | null;
        };
        /**
         * Part
         * @description What a run on one of several nodes is a part of.
         */
        Part: {
            /** @description Id of the run on all of them. */
            run_id: string;
            /** @description Number of that run's attempt. */
            attempt: number;
            /** @description The pool of the node. */
            pool: string;
            /** @description The node on which this run is carried out. */
            node: string;
            /** @description Its place among the nodes, from 0. */
            index: number;
            /** @description How many nodes they are. */
            total: number;
        };
        /**
         * PastRevision
         * @description A change to a job in the past, which made a new revision of it.
         */
        PastRevision: {
            /** @description The revision: the number of the change. */
            number: number;
            /**
             * Format: date-time
             * @description When the change took effect.
             */
            at: string;
            /**
             * @description What the change did.
             * @enum {string}
             */
            did: "created" | "edited" | "paused" | "resumed" | "deleted";
            /** @description Name of the token that made the change; null if not recorded. */
            by: string | null;
            /** @description Names of the job's fields that the change altered. */
            changed: string[];
        };
        /**
         * PastRevisionPage
         * @description A page of a list.
         */
        PastRevisionPage: {
            /** @description The items of this page. */
            items: components["schemas"]["PastRevision"][];
            /** @description The parameter `cursor` of the next page; null if this page is the last. */
            next: string | null;
        };
        /**
         * Pause
         * @description A pause that ends by itself.
         */
        Pause: {
            /**
             * Format: date-time
             * @description The end of the pause, in RFC 3339; in the future. The job may run again from this instant.
             */
            until: string;
        };
        /**
         * PauseInput
         * @description A pause that ends by itself.
         */
        PauseInput: {
            /**
             * Format: date-time
             * @description The end of the pause, in RFC 3339; in the future. The job may run again from this instant.
             */
            until: string;
        };
        /**
         * Percentiles
         * @description Percentiles of durations, in milliseconds; null without values.
         */
        Percentiles: {
            /** @description Half of the values are not greater. */
            p50: number | null;
            /** @description 95 % of the values are not greater. */
            p95: number | null;
        };
        /**
         * Preview
         * @description The runs that a job would have if the document of a dry run were saved.
         */
        Preview: {
            /** @description The next runs, in order. */
            items: components["schemas"]["ComingRun"][];
            /** @description Occurrences that calendars block. */
            blocked: components["schemas"]["BlockedRuns"][];
            /** @description Times that clock changes skip. */
            skipped: components["schemas"]["SkippedTimes"][];
            /** @description Whether further runs were left out, since so many occurrences are blocked or moved that finding them takes too long. */
            cut: boolean;
            /** @description How the edit changes the runs; null for a new job, without a change, or if the stored schedule cannot be read. */
            diff: components["schemas"]["Edit"] | null;
        };
        /**
         * PreviewedSchedule
         * @description The next runs of a schedule, and its meaning.
         */
        PreviewedSchedule: {
            /** @description The schedule in words. */
            description: string | null;
            /** @description The time zone of the schedule. */
            timezone: string | null;
            /** @description The rules for days and clock changes that apply. */
            dialect: string | null;
            /** @description The next runs, in order. */
            items: components["schemas"]["ComingRun"][];
            /** @description Occurrences that calendars block. */
            blocked: components["schemas"]["BlockedRuns"][];
            /** @description Times that clock changes skip. */
            skipped: components["schemas"]["SkippedTimes"][];
            /** @description Whether further runs were left out, since so many occurrences are blocked or moved that finding them takes too long. */
            cut: boolean;
            /** @description What is valid, but probably not meant. */
            warnings: components["schemas"]["FieldError"][];
        };
        /**
         * Problem
         * @description An error, in the form of RFC 9457 (`application/problem+json`).
         */
        Problem: {
            /** @description URI of the kind of problem, for programs. */
            type: string;
            /** @description The kind of problem, for people. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What went wrong this time. */
            detail: string;
            /** @description Of a 5xx error: the request's id in the logs. */
            request_id?: string;
            /** @description Every invalid field. */
            errors?: components["schemas"]["FieldError"][];
        };
        /**
         * Progress
         * @description Progress that a target reported: a percentage, if known, and a line of text.
         */
        Progress: {
            /** @description Percentage done, 0 to 100; null if the target does not know it. */
            percent: number | null;
            /** @description One line about the progress, for people. */
            text: string;
        };
        /**
         * ProgressInput
         * @description The progress of an attempt, as its target reports it.
         */
        ProgressInput: {
            /**
             * @description Percentage of the work that is done, if known.
             * @default null
             */
            percent?: number | null;
            /**
             * @description One line for people.
             * @default null
             */
            text?: string | null;
        };
        /**
         * PurgeInput
         * @description Which runs of a job to remove.
         */
        PurgeInput: {
            /**
             * @description Only runs that were scheduled before this instant; null for all.
             * @default null
             */
            before?: string | null;
        };
        /**
         * Purged
         * @description What a purge did to the runs of one page.
         */
        Purged: {
            /** @description Ids of the runs that were removed with their payloads and outputs. */
            removed: string[];
            /** @description Ids of the runs that are less than a day old: their outputs were removed. Purge again when they are older, to remove the rest. */
            emptied: string[];
            /** @description Ids of the runs that have not ended, and keep everything. */
            active: string[];
            /** @description The parameter `cursor` that goes on with older runs; null if there are none. */
            next: string | null;
        };
        /**
         * Queue
         * @description How many messages a queue holds, approximately.
         */
        Queue: {
            /** @description The worker's name, followed by `_slow` for its slow lane or `_dead_letter` for its dead letters. */
            name: string;
            /** @description Messages that a worker can receive now. */
            waiting: number;
            /** @description Messages that were sent ahead of their instant. */
            delayed: number;
            /** @description Messages that a worker has received, or that are hidden until a later instant. */
            in_flight: number;
        };
        /**
         * Quota
         * @description The quota of a namespace: what the operator of the deployment allows it. Only an admin for all namespaces may set it.
         */
        Quota: {
            /** @description The namespace's name: the same as in the path, or left out. */
            namespace: string;
            /** @description Maximum jobs; a save that would make another is refused. Null for no limit. */
            jobs: number | null;
            /** @description Maximum runs that begin in a clock minute (UTC): others wait, and triggers and backfills are refused. Retries do not count. Null for no limit. */
            runs_per_minute: number | null;
            /** @description Maximum attempts in progress at once, over all jobs of the namespace: others wait. The lower of this and the namespace's `max_concurrency` applies. Null for no limit. */
            concurrency: number | null;
            /** @description How much of it is used now; ignored in a document to save. */
            used: components["schemas"]["QuotaUse"];
        };
        /**
         * QuotaInput
         * @description The quota of a namespace: what the operator of the deployment allows it. Only an admin for all namespaces may set it.
         */
        QuotaInput: {
            /**
             * @description The namespace's name: the same as in the path, or left out.
             * @default default
             */
            namespace?: string;
            /**
             * @description Maximum jobs; a save that would make another is refused. Null for no limit.
             * @default null
             */
            jobs?: number | null;
            /**
             * @description Maximum runs that begin in a clock minute (UTC): others wait, and triggers and backfills are refused. Retries do not count. Null for no limit.
             * @default null
             */
            runs_per_minute?: number | null;
            /**
             * @description Maximum attempts in progress at once, over all jobs of the namespace: others wait. The lower of this and the namespace's `max_concurrency` applies. Null for no limit.
             * @default null
             */
            concurrency?: number | null;
            /**
             * @description How much of it is used now; ignored in a document to save.
             * @default null
             */
            readonly used?: unknown;
        };
        /**
         * QuotaLimits
         * @description What the operator of the deployment allows a namespace; null for what is not limited.
         */
        QuotaLimits: {
            /** @description Maximum jobs; a save that would make another is refused. Null for no limit. */
            jobs: number | null;
            /** @description Maximum runs that begin in a clock minute (UTC): others wait, and triggers and backfills are refused. Retries do not count. Null for no limit. */
            runs_per_minute: number | null;
            /** @description Maximum attempts in progress at once, over all jobs of the namespace: others wait. The lower of this and the namespace's `max_concurrency` applies. Null for no limit. */
            concurrency: number | null;
        };
        /**
         * QuotaUse
         * @description How much of a namespace's quota is used now.
         */
        QuotaUse: {
            /** @description Jobs that the namespace has; null if the quota does not limit them. */
            jobs: number | null;
            /** @description Runs that began in this clock minute, or may still begin in it; null if the quota does not limit them. */
            runs_this_minute: number | null;
        };
        /**
         * Recorded
         * @description What became of a report.
         */
        Recorded: {
            /** @description The job, as `namespace/name`. */
            job: string;
            /** @description The run's id. */
            run_id: string;
            /** @description Number of the attempt. */
            attempt: number;
            /** @description Whether it was recorded. */
            recorded: boolean;
            /** @description Why it was not, for good; null if it was. */
            problem: string | null;
        };
        /**
         * RecordedReports
         * @description What became of each report.
         */
        RecordedReports: {
            /** @description An answer for each report, in the order of the request. */
            items: components["schemas"]["Recorded"][];
        };
        /**
         * RedriveInput
         * @description Which runs to redrive. Overdue runs are sent to the workers again; with `lost`, lost runs are replaced with new ones.
         */
        RedriveInput: {
            /**
             * @description Id of the only run to redrive; without it, all.
             * @default null
             */
            run_id?: string | null;
            /**
             * @description Replace each lost run with a new one, at most once.
             * @default false
             */
            lost?: boolean;
        };
        /**
         * RegisteredNode
         * @description A node that has registered, and the queues from which its agent receives.
         */
        RegisteredNode: {
            /** @description The node. */
            node: components["schemas"]["Node"];
            /** @description URL of the pool's queue. */
            pool_queue_url: string;
            /** @description URL of the node's own queue. */
            inbox_url: string;
            /** @description The region of both. */
            region: string;
            /** @description Seconds between two beats. */
            beat_every: number;
        };
        /**
         * Registration
         * @description An endpoint that is registered.
         */
        Registration: {
            /** @description The name under which it registered. */
            name: string;
            /** @description Its URL. */
            url: string;
            /** @description Its share of the calls. */
            weight: number;
            /**
             * Format: date-time
             * @description Until when it is registered.
             */
            expires_at: string;
        };
        /**
         * RegistrationInput
         * @description An endpoint that registers itself. Send it again before `ttl` is over to stay registered.
         */
        RegistrationInput: {
            /**
             * Format: uri
             * @description Its origin, perhaps with a base path, such as `https://10.0.3.7:8443`. It is judged as the URL of a job is.
             */
            url: string;
            /**
             * @description Its share of the calls.
             * @default 1
             */
            weight?: number;
            /**
             * @description How long it is registered without another request.
             * @default 1m
             * @example 90s
             * @example 1h30m
             * @example 7d
             */
            ttl?: string;
        };
        /**
         * RegistrationPage
         * @description A page of a list.
         */
        RegistrationPage: {
            /** @description The items of this page. */
            items: components["schemas"]["Registration"][];
            /** @description The parameter `cursor` of the next page; null if this page is the last. */
            next: string | null;
        };
        /**
         * ReportInput
         * @description How an attempt ended, as its target reports it.
         */
        ReportInput: {
            /**
             * @description Whether the work succeeded.
             * @enum {string}
             */
            state: "succeeded" | "failed";
            /**
             * @description The result: any JSON value, kept with the run.
             * @default null
             */
            result?: unknown;
            /**
             * @description Why it failed; only with `failed`.
             * @default null
             */
            error?: components["schemas"]["ReportedErrorInput"] | null;
        };
        /**
         * ReportedErrorInput
         * @description Why an attempt's work failed, as its target reports it.
         */
        ReportedErrorInput: {
            /** @description The kind of failure, in one word. */
            type: string;
            /**
             * @description What went wrong, for people.
             * @default
             */
            message?: string;
            /**
             * @description The stack trace.
             * @default
             */
            stack?: string;
        };
        /**
         * ReportsInput
         * @description How attempts ended.
         */
        ReportsInput: {
            /** @description Random text of the agent's process. */
            session: string;
            /** @description The attempts. */
            reports: components["schemas"]["AttemptReportInput"][];
        };
        /**
         * Result
         * @description What a target answered to an attempt.
         */
        Result: {
            /** @description The type of the target, or `callback` for a later answer. */
            type: string;
            /** @description The status of the HTTP answer; null for a later answer. */
            status: number | null;
            /** @description The answer's text. */
            body: string;
            /** @description The end of the log that the target wrote, if it answered with that (not in lists). */
            log?: string;
        };
        /**
         * ResumeInput
         * @description The end of a job's pause.
         */
        ResumeInput: {
            /**
             * @description Which occurrences that were due during the pause are replayed.
             * @default skip
             * @enum {string}
             */
            catch_up?: "skip" | "latest" | "all";
        };
        /**
         * Retry
         * @description Which failed attempts are followed by another. Attempts that take over from a dead worker do not count.
         */
        Retry: {
            /** @description Attempts of a run at most, the first included and take-overs excluded; required if another field is given. */
            max_attempts: number;
            /** @description The wait before the next attempt. */
            backoff: components["schemas"]["Backoff"];
            /** @description Outcomes that are retried: a status (503), a class (5xx), a type of error (ConnectionRefused), timed_out. By default, all. */
            retry_on: string[];
            /** @description Outcomes that are never retried, whatever retry_on says. */
            give_up_on: string[];
        };
        /**
         * RetryInput
         * @description Which failed attempts are followed by another. Attempts that take over from a dead worker do not count.
         */
        RetryInput: {
            /**
             * @description Attempts of a run at most, the first included and take-overs excluded; required if another field is given.
             * @default 1
             */
            max_attempts?: number;
            backoff?: components["schemas"]["BackoffInput"];
            /**
             * @description Outcomes that are retried: a status (503), a class (5xx), a type of error (ConnectionRefused), timed_out. By default, all.
             * @default []
             * @example [
             *       "5xx",
             *       "429",
             *       "timed_out"
             *     ]
             */
            retry_on?: (string | number)[];
            /**
             * @description Outcomes that are never retried, whatever retry_on says.
             * @default []
             * @example [
             *       "501",
             *       "Redirect"
             *     ]
             */
            give_up_on?: (string | number)[];
        };
        /**
         * Revision
         * @description A job as it was under one revision.
         */
        Revision: {
            /** @description The revision: the number of the change. */
            number: number;
            /**
             * Format: date-time
             * @description When the change took effect.
             */
            at: string;
            /**
             * @description What the change did.
             * @enum {string}
             */
            did: "created" | "edited" | "paused" | "resumed" | "deleted";
            /** @description Name of the token that made the change; null if not recorded. */
            by: string | null;
            /** @description Names of the job's fields that the change altered. */
            changed: string[];
            /** @description The job's document, as `PUT` takes it; null if the revision deleted the job, or was stored by a version of Minutehand that kept no definitions (`missing`). */
            job: unknown;
            /** @description Whether the job's document was never kept. */
            missing: boolean;
        };
        /**
         * RevisionDiff
         * @description What differs between two revisions of a job.
         */
        RevisionDiff: {
            /** @description The job, as `namespace/name`. */
            job: string;
            /** @description The older revision; 0 for the time before the first. */
            from: number;
            /** @description The newer revision. */
            to: number;
            /** @description What differs, in the order of the document's fields. */
            items: components["schemas"]["Difference"][];
        };
        /**
         * Run
         * @description A run: one occurrence of a job, or one that was triggered, replayed or started by parents.
         */
        Run: {
            /** @description The scheduled instant, such as `20261120T090000Z`. It is followed by `~trigger-<id>` if the run was triggered or replaces a lost one, `~backfill-<id>` if a backfill started it, `~child-<id>` if parents did (`~child-of-<id>` for one triggered run alone), `~node-<id>` if it is the part of a run on one of several nodes. */
            run_id: string;
            /** @description The job, as `namespace/name`. */
            job: string;
            /**
             * Format: date-time
             * @description The run's nominal instant, before jitter.
             */
            scheduled_for: string;
            /**
             * Format: date-time
             * @description Earliest start of the run: its nominal instant plus jitter; for a backfilled run, when it was created.
             */
            starts_at: string;
            /**
             * @description Active: `queued`, `running`, `waiting` (its target answers later), `retrying`. Ended: `succeeded`, `failed`, `timed_out`, `cancelled`, `skipped`, `lost` (its worker died or its agent fell silent, and no take-overs are left or the job was deleted; or no worker could end it).
             * @enum {string}
             */
            state: "queued" | "running" | "waiting" | "retrying" | "succeeded" | "failed" | "timed_out" | "cancelled" | "skipped" | "lost";
            /** @description Number of the newest attempt; 0 before the first. */
            attempt: number;
            /**
             * Format: date-time
             * @description When the run was claimed, which creates its record.
             */
            claimed_at: string;
            /** @description When the newest attempt started. */
            started_at: string | null;
            /** @description When the run ended. */
            finished_at: string | null;
            /** @description How late the run started: from `starts_at` to its first attempt, in milliseconds. */
            lateness_ms: number | null;
            /** @description Length of the newest attempt, in milliseconds. */
            duration_ms: number | null;
            /** @description What the target answered: `{"type", "status", "body"}`. If it answered later, through the API, the type is `callback`, the status null and the body JSON. A Lambda function's answer may also have `log`. */
            result: components["schemas"]["Result"] | null;
            /** @description Why the newest attempt failed: `{"type", "message", "stack"}`. */
            error: components["schemas"]["RunError"] | null;
            /** @description Why the run was skipped, in a sentence; for `start_within` also what the run last waited for: `it had not begun within 5m of 2026-11-20T09:00:00Z (start_within); it last waited for limit db, 3 of 3 in use`. */
            reason: string | null;
            /** @description Earliest start of the next attempt. */
            retry_at: string | null;
            /** @description The concurrency limit that the run waits for until `retry_at`: `limit db, 3 of 3 in use`; or the pool: `pool web, which has no live agent`; null if it waits for neither. */
            waits_for: string | null;
            /** @description By when the target of a `waiting` run must report how the attempt ended. */
            deadline_at: string | null;
            /** @description Of a `running` run: end of its worker's lease. If that has passed, the worker is gone, and another one takes the run over. Of a `waiting` run: when its target's next heartbeat is due, or else `deadline_at`. */
            lease_until: string | null;
            /** @description Name of the token that cancelled the run, or `run <id>` for the run that replaces it. */
            cancelled_by: string | null;
            /** @description Id of the run of the job that kept this one from starting. */
            blocked_by: string | null;
            /** @description The one node that may run it, of a run for one node. */
            only_node?: string;
            /** @description The progress that the target last reported: `{"percent", "text"}`; percent may be null. */
            progress: components["schemas"]["Progress"] | null;
            /** @description The parents' runs that started this run, or the lost run that it replaces, each as `{"job", "run_id"}`. */
            parents: components["schemas"]["RunKey"][];
            /** @description The run's usage so far, if the job sets record_units: `{"write", "read", "calls", "messages", "worker_ms", "puts", "stored_bytes"}`. */
            units: components["schemas"]["Usage"] | null;
            /** @description All attempts of the run, oldest first (not in lists), `{"number", "worker", "started_at", "finished_at", "state", "error", "lost_at"}`. `worker` is the request id of its Lambda invocation. `state` is how it ended, or `running` if its worker died: then `lost_at` is the end of that worker's lease. An attempt that has not ended has the run's state. Of a target with several endpoints, it also has `endpoints`: those that it tried, in order. */
            attempts?: components["schemas"]["Attempt"][];
            /** @description The newest attempt's output (not in lists), `{"bytes", "truncated", "cut", "url"}`. `truncated`: `result` has only part of it; `cut`: the target sent more than the 1 MiB that a worker reads; `url`: the path to the whole output. */
            output?: components["schemas"]["RunOutput"] | null;
            /** @description Only of a run on several nodes (`count` of a command), and not in lists: the nodes of its newest attempt, in the order in which they begin, each as `{"node", "index", "run_id", "state"}`. */
            nodes?: components["schemas"]["RunNode"][];
            /** @description Only of a run on one of several nodes: the run on all of them, and the place of this one among them, `{"run_id", "attempt", "pool", "node", "index", "total"}`. */
            part_of?: components["schemas"]["Part"];
            /** @description Only while the run waits for a slot, and not in lists: the runs that hold the slots of the limit in `waits_for` now, the longest first, each as `{"job", "run_id", "since"}`. `since` is the start of the attempt. Of a limit with more than 108 slots, 108 are read. */
            held_by?: components["schemas"]["SlotHolder"][];
            /** @description Only while the run waits for another run of its job (`overlap`), and not in lists: `{"run_id", "since", "before", "overlap"}`. `run_id` is the run in the way, `since` the start of its newest attempt, `before` the number of other runs that wait and come before this one. */
            behind?: components["schemas"]["LockWait"];
        };
        /**
         * RunError
         * @description Why an attempt failed.
         */
        RunError: {
            /** @description The type of the error, in one word. */
            type: string;
            /** @description What went wrong. */
            message: string;
            /** @description The stack trace. */
            stack: string | null;
        };
        /**
         * RunKey
         * @description A run's identity: the job and the run id, `20261120T090000Z` or `20261120T090003Z~trigger-<id>`.
         */
        RunKey: {
            /** @description The job, as `namespace/name`. */
            job: string;
            /** @description The id of the run. */
            run_id: string;
        };
        /**
         * RunNode
         * @description One of the nodes of a run on several nodes.
         */
        RunNode: {
            /** @description Name of the node. */
            node: string;
            /** @description Its place among the nodes of the run, from 0. */
            index: number;
            /** @description Id of the node's own run; null before its turn has come. */
            run_id: string | null;
            /** @description State of the node's own run; null before its turn has come. */
            state: ("queued" | "running" | "waiting" | "retrying" | "succeeded" | "failed" | "timed_out" | "cancelled" | "skipped" | "lost") | null;
        };
        /**
         * RunOutput
         * @description The size and path of the newest attempt's whole output.
         */
        RunOutput: {
            /** @description Size of the output's text in UTF-8, in bytes. */
            bytes: number;
            /** @description Whether the run's `result` has only a part of the output. */
            truncated: boolean;
            /** @description Whether the target sent more than the 1 MiB that a worker reads. */
            cut: boolean;
            /** @description The API's path to the whole text. */
            url: string;
        };
        /**
         * RunPage
         * @description A page of a list.
         */
        RunPage: {
            /** @description The items of this page. */
            items: components["schemas"]["Run"][];
            /** @description The parameter `cursor` of the next page; null if this page is the last. */
            next: string | null;
        };
        /**
         * RunningAttemptInput
         * @description An attempt that an agent runs.
         */
        RunningAttemptInput: {
            /** @description The job, as `namespace/name`. */
            job: string;
            /** @description The run's id. */
            run_id: string;
            /** @description Number of the attempt. */
            attempt: number;
            /** @description The attempt's token, from the order. */
            token: string;
            /**
             * @description What its command reported last; null for nothing.
             * @default null
             */
            progress?: components["schemas"]["ProgressInput"] | null;
        };
        /**
         * Schedule
         * @description The meaning of a schedule. Every field is null if the schedule cannot be read.
         */
        Schedule: {
            /** @description The schedule in words. */
            description: string | null;
            /** @description The time zone of the schedule. */
            timezone: string | null;
            /** @description The rules for days and clock changes that apply. */
            dialect: string | null;
        };
        /**
         * ScheduleDiff
         * @description What an edit of a schedule changes.
         */
        ScheduleDiff: {
            /** @description The difference in words, such as `59 more runs a day`. */
            summary: string;
            /** @description The meaning of the schedule so far. */
            old: components["schemas"]["Schedule"];
            /** @description The meaning of the schedule that would replace it. */
            new: components["schemas"]["Schedule"];
            /**
             * Format: date-time
             * @description Start of the compared span.
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the compared span.
             */
            until: string;
            /** @description How many runs a day the edit adds. */
            added_per_day: number;
            /** @description How many runs a day the edit removes. */
            removed_per_day: number;
            /** @description How many runs a day the edit keeps. */
            kept_per_day: number;
            /** @description How many runs the edit adds. */
            added: number;
            /** @description How many runs the edit removes. */
            removed: number;
            /** @description How many runs the edit keeps. */
            kept: number;
            /** @description The first instants that the edit adds. */
            first_added: string[];
            /** @description The first instants that the edit removes. */
            first_removed: string[];
            /** @description Whether the comparison ended early, at `until`, after 200,000 runs. */
            cut: boolean;
            /** @description Warnings about the new schedule. */
            warnings: components["schemas"]["FieldError"][];
        };
        /**
         * ScheduleDiffInput
         * @description Two schedules to compare.
         */
        ScheduleDiffInput: {
            /** @description The schedule so far. */
            old: components["schemas"]["ScheduleInput"];
            /** @description The schedule that would replace it. */
            new: components["schemas"]["ScheduleInput"];
            /**
             * @description Start of the compared span; by default, now.
             * @default null
             */
            from?: string | null;
            /**
             * @description Length of the compared span.
             * @default 30
             */
            days?: number;
            /**
             * @description Most added and most removed instants to answer.
             * @default 5
             */
            count?: number;
        };
        /**
         * ScheduleInput
         * @description A schedule, with the fields of a job that decide its instants.
         */
        ScheduleInput: {
            /**
             * @description When the job runs: a crontab of 5 fields, or 6 with seconds first; @hourly and the like; @every 90s; @after 10m, a fixed delay counted from the end of the run before; @manual; EventBridge's cron(…), rate(…) and at(…). A list joins several. At most 1,024 characters in all. Optional with depends_on. A fixed delay excludes calendars, max_runs, jitter, queue_one and queue_all.
             * @example *\/5 * * * *
             * @example 0 30 9 * * MON-FRI
             * @example @daily
             * @example @every 90s
             * @example @after 10m
             * @example [
             *       "0 9 * * MON-FRI",
             *       "0 12 * * SAT"
             *     ]
             */
            schedule: string | string[];
            /**
             * @description The IANA time zone of the schedule.
             * @default UTC
             * @example Europe/Paris
             */
            timezone?: string;
            /**
             * @description The rules for days and clock changes. By default, the schedule's text decides: eventbridge for cron(…), rate(…) and at(…), vixie for everything else.
             * @default null
             */
            dialect?: ("eventbridge" | "robfig" | "vixie") | null;
            /**
             * @description The first instant that the schedule may name, in RFC 3339 and whole seconds; @every and rate(…) count from it. Answers give it in UTC.
             * @default null
             */
            start_at?: string | null;
            /**
             * @description The last instant that the schedule may name, in RFC 3339 and whole seconds. Answers give it in UTC.
             * @default null
             */
            end_at?: string | null;
            /**
             * @description The job's name, `namespace/name`, which `H` in a crontab hashes.
             * @default null
             * @example shop/report
             */
            job?: string | null;
        };
        /**
         * SchedulePreviewInput
         * @description A schedule whose next runs are wanted.
         */
        SchedulePreviewInput: {
            /**
             * @description When the job runs: a crontab of 5 fields, or 6 with seconds first; @hourly and the like; @every 90s; @after 10m, a fixed delay counted from the end of the run before; @manual; EventBridge's cron(…), rate(…) and at(…). A list joins several. At most 1,024 characters in all. Optional with depends_on. A fixed delay excludes calendars, max_runs, jitter, queue_one and queue_all.
             * @example *\/5 * * * *
             * @example 0 30 9 * * MON-FRI
             * @example @daily
             * @example @every 90s
             * @example @after 10m
             * @example [
             *       "0 9 * * MON-FRI",
             *       "0 12 * * SAT"
             *     ]
             */
            schedule: string | string[];
            /**
             * @description The IANA time zone of the schedule.
             * @default UTC
             * @example Europe/Paris
             */
            timezone?: string;
            /**
             * @description The rules for days and clock changes. By default, the schedule's text decides: eventbridge for cron(…), rate(…) and at(…), vixie for everything else.
             * @default null
             */
            dialect?: ("eventbridge" | "robfig" | "vixie") | null;
            /**
             * @description The first instant that the schedule may name, in RFC 3339 and whole seconds; @every and rate(…) count from it. Answers give it in UTC.
             * @default null
             */
            start_at?: string | null;
            /**
             * @description The last instant that the schedule may name, in RFC 3339 and whole seconds. Answers give it in UTC.
             * @default null
             */
            end_at?: string | null;
            /**
             * @description The job's name, `namespace/name`, which `H` in a crontab hashes.
             * @default null
             * @example shop/report
             */
            job?: string | null;
            /**
             * @description How many next runs to answer.
             * @default 10
             */
            count?: number;
            /**
             * @description Only runs after this instant; by default, after now.
             * @default null
             */
            after?: string | null;
        };
        /**
         * Service
         * @description A service whose endpoints register themselves.
         */
        Service: {
            /** @description The service's name. */
            name: string;
            /** @description Number of endpoints that are registered now. */
            endpoints: number;
        };
        /**
         * ServicePage
         * @description A page of a list.
         */
        ServicePage: {
            /** @description The items of this page. */
            items: components["schemas"]["Service"][];
            /** @description The parameter `cursor` of the next page; null if this page is the last. */
            next: string | null;
        };
        /**
         * ShadowInput
         * @description Whether a namespace's jobs are in shadow.
         */
        ShadowInput: {
            /** @description Whether runs are planned, started and recorded as always, but call no target; false to call targets again. */
            shadow: boolean;
        };
        /**
         * Shards
         * @description The number of shards that hold the timers, and the progress of a change of that number.
         */
        Shards: {
            /** @description The number of shards that timers are spread over. */
            shards: number;
            /** @description Number of shards that a tick reads. */
            read: number;
            /**
             * @description `awaited`: no tick reads the new number of shards yet. `moving`: `left` shards are still to be searched for timers to move. `emptying`: timers have moved, and the old shards are watched for late writes. `settled`: done.
             * @enum {string}
             */
            state: "awaited" | "moving" | "emptying" | "settled";
            /** @description Number of shards still to be searched for timers to move. */
            left: number;
            /** @description Since when every search of the removed shards has found no timer; they are read no more once that lasts. */
            empty_since: string | null;
        };
        /**
         * SkippedTimes
         * @description Scheduled times that a clock change skips.
         */
        SkippedTimes: {
            /**
             * Format: date-time
             * @description The instant of the clock change.
             */
            at: string;
            /** @description The first skipped time, by the local clock. */
            local: string;
            /** @description The time zone whose clocks change. */
            timezone: string;
            /** @description Number of skipped times. */
            times: number;
            /** @description What happens to the skipped times, in words. */
            note: string;
        };
        /**
         * SlotHolder
         * @description A run that holds a slot of a concurrency limit.
         */
        SlotHolder: {
            /** @description The job, as `namespace/name`. */
            job: string;
            /** @description The run's id. */
            run_id: string;
            /** @description Start of the attempt that took the slot. */
            since: string | null;
        };
        /**
         * SnsTarget
         * @description A message to an SNS topic.
         */
        SnsTarget: {
            /** @constant */
            type: "sns";
            /** @description The ARN of the topic. */
            topic: string;
            /**
             * @description The text of the message: the run's payload, as it is if it is text and otherwise as JSON; or a document about the run with its payload (run).
             * @enum {string}
             */
            send: "payload" | "run";
            /** @description The subject, for e-mails, in ASCII. */
            subject: string | null;
            /** @description The message group. By default the job's name for a FIFO topic, and none for another, which passes it on to queues (fair queues). */
            group: string | null;
            /** @description Attributes of the message, beside Minutehand-Job, -Run-Id, -Attempt and -Scheduled-For. */
            attributes: {
                [key: string]: string;
            };
            /** @description A role to publish it with, in this or another account. */
            role_arn: string | null;
        };
        /**
         * SnsTargetInput
         * @description A message to an SNS topic.
         */
        SnsTargetInput: {
            /**
             * @description Its type.
             * @enum {string}
             */
            type: "http" | "lambda" | "sqs" | "sns" | "eventbridge" | "stepfunctions" | "ecs" | "command";
            /** @description The ARN of the topic. */
            topic: string;
            /**
             * @description The text of the message: the run's payload, as it is if it is text and otherwise as JSON; or a document about the run with its payload (run).
             * @default payload
             * @enum {string}
             */
            send?: "payload" | "run";
            /**
             * @description The subject, for e-mails, in ASCII.
             * @default null
             */
            subject?: string | null;
            /**
             * @description The message group. By default the job's name for a FIFO topic, and none for another, which passes it on to queues (fair queues).
             * @default null
             */
            group?: string | null;
            /**
             * @description Attributes of the message, beside Minutehand-Job, -Run-Id, -Attempt and -Scheduled-For.
             * @default {}
             */
            attributes?: {
                [key: string]: string;
            };
            /**
             * @description A role to publish it with, in this or another account.
             * @default null
             */
            role_arn?: string | null;
        };
        /**
         * SqsTarget
         * @description A message to an SQS queue.
         */
        SqsTarget: {
            /** @constant */
            type: "sqs";
            /** @description The ARN of the queue. */
            queue: string;
            /**
             * @description The text of the message: the run's payload, as it is if it is text and otherwise as JSON; or a document about the run with its payload (run).
             * @enum {string}
             */
            send: "payload" | "run";
            /**
             * @description How long SQS hides the message. Not with a FIFO queue.
             * @example 1h30m
             */
            delay: string;
            /** @description The message group. By default the job's name for a FIFO queue, and none for another. */
            group: string | null;
            /** @description Attributes of the message, beside Minutehand-Job, -Run-Id, -Attempt and -Scheduled-For. */
            attributes: {
                [key: string]: string;
            };
            /** @description A role to send it with, in this or another account. */
            role_arn: string | null;
        };
        /**
         * SqsTargetInput
         * @description A message to an SQS queue.
         */
        SqsTargetInput: {
            /**
             * @description Its type.
             * @enum {string}
             */
            type: "http" | "lambda" | "sqs" | "sns" | "eventbridge" | "stepfunctions" | "ecs" | "command";
            /** @description The ARN of the queue. */
            queue: string;
            /**
             * @description The text of the message: the run's payload, as it is if it is text and otherwise as JSON; or a document about the run with its payload (run).
             * @default payload
             * @enum {string}
             */
            send?: "payload" | "run";
            /**
             * @description How long SQS hides the message. Not with a FIFO queue.
             * @default 0s
             * @example 90s
             * @example 1h30m
             * @example 7d
             */
            delay?: string;
            /**
             * @description The message group. By default the job's name for a FIFO queue, and none for another.
             * @default null
             */
            group?: string | null;
            /**
             * @description Attributes of the message, beside Minutehand-Job, -Run-Id, -Attempt and -Scheduled-For.
             * @default {}
             */
            attributes?: {
                [key: string]: string;
            };
            /**
             * @description A role to send it with, in this or another account.
             * @default null
             */
            role_arn?: string | null;
        };
        /**
         * Standing
         * @description The state of a run, as the answer to a report of its target.
         */
        Standing: {
            /**
             * @description The run's state.
             * @enum {string}
             */
            state: "queued" | "running" | "waiting" | "retrying" | "succeeded" | "failed" | "timed_out" | "cancelled" | "skipped" | "lost";
            /** @description Whether the run is to be cancelled, so that its target should stop. */
            cancel: boolean;
            /** @description By when the target must report how the attempt ended. */
            deadline: string | null;
            /** @description When the target's next heartbeat or progress is due. */
            lease_until: string | null;
            /** @description Time left until `lease_until`. */
            lease_ms: number | null;
        };
        /**
         * Start
         * @description What an agent does with one message.
         */
        Start: {
            /** @description The job, as `namespace/name`. */
            job: string;
            /** @description The run's id. */
            run_id: string;
            /** @description The attempt, as asked. */
            attempt: number;
            /**
             * @description Run the order and delete the message (run), delete the message (drop), or hide it for a time (hide).
             * @enum {string}
             */
            decision: "run" | "drop" | "hide";
            /** @description With `run`: what to run. */
            order?: components["schemas"]["Order"];
            /** @description With `hide`: for how long. */
            seconds?: number;
        };
        /**
         * Starts
         * @description What an agent does with each message.
         */
        Starts: {
            /** @description An answer for each run, in the order of the request. */
            items: components["schemas"]["Start"][];
        };
        /**
         * StartsInput
         * @description The runs whose messages an agent received, for which it has free slots.
         */
        StartsInput: {
            /** @description Random text of the agent's process. */
            session: string;
            /** @description The runs, as their messages name them. */
            runs: components["schemas"]["AskedRunInput"][];
        };
        /**
         * Stats
         * @description Statistics of the stored runs of a job or a namespace that are scheduled in an interval.
         */
        Stats: {
            /**
             * Format: date-time
             * @description Start of the interval.
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the interval: the first instant that does not count.
             */
            to: string;
            /** @description Whether every stored run of the interval counts. If not, only the newest do. */
            complete: boolean;
            /**
             * Format: date-time
             * @description Every stored run of a later instant in the interval counts.
             */
            counted_from: string;
            /** @description The number of runs. */
            runs: number;
            /** @description The number of runs in each state that a run has: `{"succeeded": 58, "failed": 2}`. */
            outcomes: {
                [key: string]: number;
            };
            /** @description The share of `succeeded` among the runs that succeeded, failed, timed out or were lost, 0 to 1; null without such runs. */
            success_rate: number | null;
            /** @description Length of the newest attempts of runs that succeeded, failed or timed out: `{"p50", "p95"}`. */
            duration_ms: components["schemas"]["Percentiles"];
            /** @description From a run's `starts_at` to its first attempt, of runs that began. */
            lateness_ms: components["schemas"]["Percentiles"];
            /**
             * @description Length of the `buckets`.
             * @enum {string}
             */
            per: "hour" | "day";
            /** @description The same numbers for each hour or day that has a run, oldest first. */
            buckets: components["schemas"]["StatsBucket"][];
        };
        /**
         * StatsBucket
         * @description Numbers about the runs scheduled in one hour or day.
         */
        StatsBucket: {
            /**
             * Format: date-time
             * @description Start of the hour or day, in UTC.
             */
            start: string;
            /** @description The number of runs. */
            runs: number;
            /** @description The number of runs in each state that a run has: `{"succeeded": 58, "failed": 2}`. */
            outcomes: {
                [key: string]: number;
            };
            /** @description The share of `succeeded` among the runs that succeeded, failed, timed out or were lost, 0 to 1; null without such runs. */
            success_rate: number | null;
            /** @description Length of the newest attempts of runs that succeeded, failed or timed out: `{"p50", "p95"}`. */
            duration_ms: components["schemas"]["Percentiles"];
            /** @description From a run's `starts_at` to its first attempt, of runs that began. */
            lateness_ms: components["schemas"]["Percentiles"];
        };
        /**
         * StepFunctionsTarget
         * @description An execution of a state machine.
         */
        StepFunctionsTarget: {
            /** @constant */
            type: "stepfunctions";
            /** @description The ARN of the state machine, of a version or of an alias. */
            state_machine: string;
            /**
             * @description What ends the attempt: the start of the execution (start), or its end (wait), which an event tells: only of a standard workflow, in the account and region of the stack.
             * @enum {string}
             */
            mode: "start" | "wait";
            /**
             * @description The execution's input: the run's payload, or a document about the run with its payload (run). With mode wait always the document.
             * @enum {string}
             */
            send: "payload" | "run";
            /** @description A role to start it with, in this or another account. */
            role_arn: string | null;
        };
        /**
         * StepFunctionsTargetInput
         * @description An execution of a state machine.
         */
        StepFunctionsTargetInput: {
            /**
             * @description Its type.
             * @enum {string}
             */
            type: "http" | "lambda" | "sqs" | "sns" | "eventbridge" | "stepfunctions" | "ecs" | "command";
            /** @description The ARN of the state machine, of a version or of an alias. */
            state_machine: string;
            /**
             * @description What ends the attempt: the start of the execution (start), or its end (wait), which an event tells: only of a standard workflow, in the account and region of the stack.
             * @default start
             * @enum {string}
             */
            mode?: "start" | "wait";
            /**
             * @description The execution's input: the run's payload, or a document about the run with its payload (run). With mode wait always the document.
             * @default payload
             * @enum {string}
             */
            send?: "payload" | "run";
            /**
             * @description A role to start it with, in this or another account.
             * @default null
             */
            role_arn?: string | null;
        };
        /**
         * SummaryStatus
         * @description The status of a job in a list; ignored in a document to save.
         */
        SummaryStatus: {
            /** @description The job's revision: the number of its latest change. */
            revision: number;
            /**
             * Format: date-time
             * @description When the job was last changed.
             */
            updated_at: string;
            /** @description Name of the token that last changed the job. */
            updated_by: string;
            /** @description When the job runs next. */
            next_run_at: string | null;
            /** @description Why the job has no next run, or none before a pause ends. */
            idle_because: string | null;
            /** @description When the pause of the job or of its namespace ends by itself, the later of both; null without such a pause. */
            paused_until: string | null;
            /** @description Number of occurrences that `max_runs` still allows; null without it. */
            runs_left: number | null;
            /** @description What puts the job in shadow, so that its runs call no target: its own `shadow`, that of its namespace, or that of the stack. */
            shadow_of: ("job" | "namespace" | "stack") | null;
        };
        /**
         * TicksAround
         * @description The ticks around an instant.
         */
        TicksAround: {
            /** @description The minute of the last tick at or before the instant. */
            last: string | null;
            /** @description The minute of the first tick after the instant. */
            next: string | null;
        };
        /**
         * Tls
         * @description How the server proves who it is, and the worker who calls.
         */
        Tls: {
            /** @description Certificates of authorities to trust besides the system's, in PEM. */
            ca: string;
            /** @description Reference to a secret with a certificate and its private key, in PEM, by which the server recognizes the caller. */
            client_certificate: string;
        };
        /**
         * TlsInput
         * @description How the server proves who it is, and the worker who calls.
         */
        TlsInput: {
            /**
             * @description Certificates of authorities to trust besides the system's, in PEM.
             * @default
             */
            ca?: string;
            /**
             * @description Reference to a secret with a certificate and its private key, in PEM, by which the server recognizes the caller.
             * @default
             * @example secretsmanager:shop/client-certificate
             */
            client_certificate?: string;
        };
        /**
         * Token
         * @description A token, without its secret.
         */
        Token: {
            /** @description Its id, such as `t-4k2m7xq5ab`. */
            id: string;
            /** @description The token's name, shown as the author of changes. */
            name: string;
            /**
             * @description What the token may do in its namespaces.
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin" | "agent";
            /** @description Names of namespaces, or `*` for all. */
            namespaces: string[];
            /** @description When the token was made; null if that was not recorded. */
            created_at: string | null;
            /** @description Name of the token that made it; null if that was not recorded. */
            created_by: string | null;
            /** @description From when on the token is refused; null if it does not expire. */
            expires_at: string | null;
            /** @description When the token was used, as noted once an hour at most; null if it never was. */
            last_used_at: string | null;
        };
        /**
         * TokenInput
         * @description A token to make.
         */
        TokenInput: {
            /**
             * @description Its name, shown as the author of changes. Several tokens may have the same.
             * @example deploy-pipeline
             * @example ada@example.com
             */
            name: string;
            /**
             * @description What it may do in its namespaces.
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin" | "agent";
            /**
             * @description Names of namespaces, or `["*"]` for all. They need not exist yet.
             * @example [
             *       "shop",
             *       "billing"
             *     ]
             * @example [
             *       "*"
             *     ]
             */
            namespaces: string[];
            /**
             * @description How long it is valid; only without `expires_at`.
             * @default null
             * @example 90d
             */
            expires_in?: string | null;
            /**
             * @description From when on it is refused, within 3650 days. Without this and `expires_in`, it does not expire.
             * @default null
             */
            expires_at?: string | null;
        };
        /**
         * TokenPage
         * @description A page of a list.
         */
        TokenPage: {
            /** @description The items of this page. */
            items: components["schemas"]["Token"][];
            /** @description The parameter `cursor` of the next page; null if this page is the last. */
            next: string | null;
        };
        /**
         * TriggerInput
         * @description How to trigger a run.
         */
        TriggerInput: {
            /**
             * @description Passed to the target instead of the job's payload.
             * @default null
             */
            payload?: unknown;
            /**
             * @description Id of another run of the job, whose payload the new run gets. Not together with `payload`.
             * @default null
             */
            payload_of?: string | null;
            /**
             * @description Ignore the job's overlap policy: start even while other runs are active.
             * @default false
             */
            ignore_overlap?: boolean;
            /**
             * @description The one node of the pool that runs it, whatever the job says. Only for a target that agents run.
             * @default null
             */
            node?: string | null;
        };
        /**
         * Trouble
         * @description A part that could not be read, and why.
         */
        Trouble: {
            /** @description The part, such as `queue http`. */
            part: string;
            /** @description Why it could not be read. */
            problem: string;
        };
        /**
         * Upload
         * @description Where an agent uploads one of them.
         */
        Upload: {
            /** @description The job, as `namespace/name`. */
            job: string;
            /** @description The run's id. */
            run_id: string;
            /** @description Number of the attempt. */
            attempt: number;
            /** @description Where to PUT exactly as many bytes as asked, within 5 minutes and without a token; null if it may not. */
            url: string | null;
            /** @description Why it may not, for good; null if it may. */
            problem: string | null;
        };
        /**
         * UploadInput
         * @description A part of an attempt's log, or the whole.
         */
        UploadInput: {
            /** @description The job, as `namespace/name`. */
            job: string;
            /** @description The run's id. */
            run_id: string;
            /** @description Number of the attempt. */
            attempt: number;
            /** @description The attempt's token, from the order. */
            token: string;
            /**
             * @description Number of the part, from 1; null for the whole log.
             * @default null
             */
            part?: number | null;
            /** @description Its length as it is uploaded: of a part, up to 2 MiB. */
            bytes: number;
        };
        /**
         * Uploads
         * @description Where an agent uploads, and how often.
         */
        Uploads: {
            /** @description An answer for each upload, in the order of the request. */
            items: components["schemas"]["Upload"][];
            /** @description Seconds between two parts of a log: few while somebody follows one of these. */
            every: number;
        };
        /**
         * UploadsInput
         * @description What an agent wants to upload.
         */
        UploadsInput: {
            /** @description Random text of the agent's process. */
            session: string;
            /** @description Parts and wholes of logs. */
            uploads: components["schemas"]["UploadInput"][];
        };
        /**
         * Usage
         * @description A run's usage of AWS services. Usage shared by a batch of runs is divided evenly among them.
         */
        Usage: {
            /** @description DynamoDB write units. */
            write: number;
            /** @description DynamoDB read units. */
            read: number;
            /** @description Calls to DynamoDB, by workers and the API. */
            calls: number;
            /** @description Requests to SQS. */
            messages: number;
            /** @description Worker time in milliseconds, from the receipt of the messages to the report. */
            worker_ms: number;
            /** @description Number of long answers stored in S3. */
            puts: number;
            /** @description Bytes of the long answers stored in S3, before compression. */
            stored_bytes: number;
        };
    };
    responses: never;
    parameters: {
        /** @description Repetitions of the request with the same key take effect once. */
        IdempotencyKey: string;
        /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
        IfMatch: string;
        /** @description `*`: only create, and replace nothing. */
        IfNoneMatch: "*";
    };
    requestBodies: never;
    headers: {
        /** @description The tag of the stored version, for `If-Match`. */
        ETag: string;
        /** @description After how many seconds to send the request again. */
        RetryAfter: string;
    };
    pathItems: never;
}
export type AskInput = components['schemas']['AskInput'];
export type AskedRunInput = components['schemas']['AskedRunInput'];
export type Attempt = components['schemas']['Attempt'];
export type AttemptNamed = components['schemas']['AttemptNamed'];
export type AttemptReportInput = components['schemas']['AttemptReportInput'];
export type AuditRecord = components['schemas']['AuditRecord'];
export type AuditRecordPage = components['schemas']['AuditRecordPage'];
export type Backfill = components['schemas']['Backfill'];
export type BackfillExtent = components['schemas']['BackfillExtent'];
export type BackfillInput = components['schemas']['BackfillInput'];
export type BackfillPage = components['schemas']['BackfillPage'];
export type Backoff = components['schemas']['Backoff'];
export type BackoffInput = components['schemas']['BackoffInput'];
export type Beat = components['schemas']['Beat'];
export type BeatInput = components['schemas']['BeatInput'];
export type BlockedRuns = components['schemas']['BlockedRuns'];
export type Body = components['schemas']['Body'];
export type BodyInput = components['schemas']['BodyInput'];
export type Bulk = components['schemas']['Bulk'];
export type BulkInput = components['schemas']['BulkInput'];
export type BulkJobInput = components['schemas']['BulkJobInput'];
export type BulkResult = components['schemas']['BulkResult'];
export type Calendar = components['schemas']['Calendar'];
export type CalendarEntries = components['schemas']['CalendarEntries'];
export type CalendarInput = components['schemas']['CalendarInput'];
export type CalendarStatus = components['schemas']['CalendarStatus'];
export type CalendarSummary = components['schemas']['CalendarSummary'];
export type CalendarSummaryPage = components['schemas']['CalendarSummaryPage'];
export type Caller = components['schemas']['Caller'];
export type CloudMap = components['schemas']['CloudMap'];
export type CloudMapInput = components['schemas']['CloudMapInput'];
export type ComingRun = components['schemas']['ComingRun'];
export type CommandTarget = components['schemas']['CommandTarget'];
export type CommandTargetInput = components['schemas']['CommandTargetInput'];
export type CreatedToken = components['schemas']['CreatedToken'];
export type Credentials = components['schemas']['Credentials'];
export type CredentialsInput = components['schemas']['CredentialsInput'];
export type Dependency = components['schemas']['Dependency'];
export type DependencyInput = components['schemas']['DependencyInput'];
export type DescribedSchedule = components['schemas']['DescribedSchedule'];
export type Diagnosis = components['schemas']['Diagnosis'];
export type Difference = components['schemas']['Difference'];
export type EcsTarget = components['schemas']['EcsTarget'];
export type EcsTargetInput = components['schemas']['EcsTargetInput'];
export type Edit = components['schemas']['Edit'];
export type Eject = components['schemas']['Eject'];
export type EjectInput = components['schemas']['EjectInput'];
export type Endpoints = components['schemas']['Endpoints'];
export type EndpointsInput = components['schemas']['EndpointsInput'];
export type EventBridgeTarget = components['schemas']['EventBridgeTarget'];
export type EventBridgeTargetInput = components['schemas']['EventBridgeTargetInput'];
export type Expect = components['schemas']['Expect'];
export type ExpectInput = components['schemas']['ExpectInput'];
export type Explanation = components['schemas']['Explanation'];
export type Exported = components['schemas']['Exported'];
export type ExportedPage = components['schemas']['ExportedPage'];
export type FieldError = components['schemas']['FieldError'];
export type Finding = components['schemas']['Finding'];
export type FoundRunsPage = components['schemas']['FoundRunsPage'];
export type Grant = components['schemas']['Grant'];
export type HandlerOrder = components['schemas']['HandlerOrder'];
export type Health = components['schemas']['Health'];
export type HttpTarget = components['schemas']['HttpTarget'];
export type HttpTargetInput = components['schemas']['HttpTargetInput'];
export type ImportInput = components['schemas']['ImportInput'];
export type ImportItemInput = components['schemas']['ImportItemInput'];
export type ImportResult = components['schemas']['ImportResult'];
export type Imported = components['schemas']['Imported'];
export type Job = components['schemas']['Job'];
export type JobEndpoint = components['schemas']['JobEndpoint'];
export type JobEndpoints = components['schemas']['JobEndpoints'];
export type JobInput = components['schemas']['JobInput'];
export type JobStatus = components['schemas']['JobStatus'];
export type JobSummary = components['schemas']['JobSummary'];
export type JobSummaryPage = components['schemas']['JobSummaryPage'];
export type LambdaTarget = components['schemas']['LambdaTarget'];
export type LambdaTargetInput = components['schemas']['LambdaTargetInput'];
export type LastRun = components['schemas']['LastRun'];
export type Listed = components['schemas']['Listed'];
export type ListedInput = components['schemas']['ListedInput'];
export type LockWait = components['schemas']['LockWait'];
export type Log = components['schemas']['Log'];
export type LogEntry = components['schemas']['LogEntry'];
export type NamedLimit = components['schemas']['NamedLimit'];
export type NamedLimitInput = components['schemas']['NamedLimitInput'];
export type Namespace = components['schemas']['Namespace'];
export type NamespaceInput = components['schemas']['NamespaceInput'];
export type NamespacePage = components['schemas']['NamespacePage'];
export type NamespacePause = components['schemas']['NamespacePause'];
export type NamespaceRedriveInput = components['schemas']['NamespaceRedriveInput'];
export type NamespaceStatus = components['schemas']['NamespaceStatus'];
export type NextRuns = components['schemas']['NextRuns'];
export type Node = components['schemas']['Node'];
export type NodeInput = components['schemas']['NodeInput'];
export type NodePage = components['schemas']['NodePage'];
export type Order = components['schemas']['Order'];
export type Output = components['schemas']['Output'];
export type Overdue = components['schemas']['Overdue'];
export type Part = components['schemas']['Part'];
export type PastRevision = components['schemas']['PastRevision'];
export type PastRevisionPage = components['schemas']['PastRevisionPage'];
export type Pause = components['schemas']['Pause'];
export type PauseInput = components['schemas']['PauseInput'];
export type Percentiles = components['schemas']['Percentiles'];
export type Preview = components['schemas']['Preview'];
export type PreviewedSchedule = components['schemas']['PreviewedSchedule'];
export type Problem = components['schemas']['Problem'];
export type Progress = components['schemas']['Progress'];
export type ProgressInput = components['schemas']['ProgressInput'];
export type PurgeInput = components['schemas']['PurgeInput'];
export type Purged = components['schemas']['Purged'];
export type Queue = components['schemas']['Queue'];
export type Quota = components['schemas']['Quota'];
export type QuotaInput = components['schemas']['QuotaInput'];
export type QuotaLimits = components['schemas']['QuotaLimits'];
export type QuotaUse = components['schemas']['QuotaUse'];
export type Recorded = components['schemas']['Recorded'];
export type RecordedReports = components['schemas']['RecordedReports'];
export type RedriveInput = components['schemas']['RedriveInput'];
export type RegisteredNode = components['schemas']['RegisteredNode'];
export type Registration = components['schemas']['Registration'];
export type RegistrationInput = components['schemas']['RegistrationInput'];
export type RegistrationPage = components['schemas']['RegistrationPage'];
export type ReportInput = components['schemas']['ReportInput'];
export type ReportedErrorInput = components['schemas']['ReportedErrorInput'];
export type ReportsInput = components['schemas']['ReportsInput'];
export type Result = components['schemas']['Result'];
export type ResumeInput = components['schemas']['ResumeInput'];
export type Retry = components['schemas']['Retry'];
export type RetryInput = components['schemas']['RetryInput'];
export type Revision = components['schemas']['Revision'];
export type RevisionDiff = components['schemas']['RevisionDiff'];
export type Run = components['schemas']['Run'];
export type RunError = components['schemas']['RunError'];
export type RunKey = components['schemas']['RunKey'];
export type RunNode = components['schemas']['RunNode'];
export type RunOutput = components['schemas']['RunOutput'];
export type RunPage = components['schemas']['RunPage'];
export type RunningAttemptInput = components['schemas']['RunningAttemptInput'];
export type Schedule = components['schemas']['Schedule'];
export type ScheduleDiff = components['schemas']['ScheduleDiff'];
export type ScheduleDiffInput = components['schemas']['ScheduleDiffInput'];
export type ScheduleInput = components['schemas']['ScheduleInput'];
export type SchedulePreviewInput = components['schemas']['SchedulePreviewInput'];
export type Service = components['schemas']['Service'];
export type ServicePage = components['schemas']['ServicePage'];
export type ShadowInput = components['schemas']['ShadowInput'];
export type Shards = components['schemas']['Shards'];
export type SkippedTimes = components['schemas']['SkippedTimes'];
export type SlotHolder = components['schemas']['SlotHolder'];
export type SnsTarget = components['schemas']['SnsTarget'];
export type SnsTargetInput = components['schemas']['SnsTargetInput'];
export type SqsTarget = components['schemas']['SqsTarget'];
export type SqsTargetInput = components['schemas']['SqsTargetInput'];
export type Standing = components['schemas']['Standing'];
export type Start = components['schemas']['Start'];
export type Starts = components['schemas']['Starts'];
export type StartsInput = components['schemas']['StartsInput'];
export type Stats = components['schemas']['Stats'];
export type StatsBucket = components['schemas']['StatsBucket'];
export type StepFunctionsTarget = components['schemas']['StepFunctionsTarget'];
export type StepFunctionsTargetInput = components['schemas']['StepFunctionsTargetInput'];
export type SummaryStatus = components['schemas']['SummaryStatus'];
export type TicksAround = components['schemas']['TicksAround'];
export type Tls = components['schemas']['Tls'];
export type TlsInput = components['schemas']['TlsInput'];
export type Token = components['schemas']['Token'];
export type TokenInput = components['schemas']['TokenInput'];
export type TokenPage = components['schemas']['TokenPage'];
export type TriggerInput = components['schemas']['TriggerInput'];
export type Trouble = components['schemas']['Trouble'];
export type Upload = components['schemas']['Upload'];
export type UploadInput = components['schemas']['UploadInput'];
export type Uploads = components['schemas']['Uploads'];
export type UploadsInput = components['schemas']['UploadsInput'];
export type Usage = components['schemas']['Usage'];
export type ParameterIdempotencyKey = components['parameters']['IdempotencyKey'];
export type ParameterIfMatch = components['parameters']['IfMatch'];
export type ParameterIfNoneMatch = components['parameters']['IfNoneMatch'];
export type HeaderETag = components['headers']['ETag'];
export type HeaderRetryAfter = components['headers']['RetryAfter'];
export type $defs = Record<string, never>;
export interface operations {
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    list_namespaces: {
        parameters: {
            query?: {
                /** @description The most items that the page may have: at most 100, in lists of jobs 1,000. */
                limit?: number;
                /** @description Where the page begins: `next` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamespacePage"];
                };
            };
        };
    };
    list_all_jobs: {
        parameters: {
            query?: {
                /** @description The most items that the page may have: at most 100, in lists of jobs 1,000. */
                limit?: number;
                /** @description Where the page begins: `next` of the page before. */
                cursor?: string;
                /** @description Only those of jobs that have this label now, as `name=value`; repeated, those that have all of them. */
                label?: string[];
                /** @description Only jobs that are paused, or with `false` only those that are not. */
                paused?: boolean;
                /** @description Only those with this type of target. */
                target?: string;
                /** @description Only jobs whose names contain this text. */
                q?: string;
                /** @description Answer how each job's newest known run ended, too. */
                last?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobSummaryPage"];
                };
            };
        };
    };
    save_jobs: {
        parameters: {
            query?: {
                /** @description Answer what would be saved, but save nothing. */
                dry_run?: boolean;
                /** @description With `dry_run=true`: answer the next runs of each job, too. */
                preview?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bulk"];
                };
            };
        };
    };
    list_runs_of_all: {
        parameters: {
            query?: {
                /** @description The most items that the page may have: at most 100, in lists of jobs 1,000. */
                limit?: number;
                /** @description Where the page begins: `next` of the page before. */
                cursor?: string;
                /** @description Only this namespace; by default, all that the token may see. */
                namespace?: string;
                /** @description Only runs in this state; `active` for all that have not ended, `attention` for those that failed, timed out or were lost. */
                state?: "active" | "attention" | "queued" | "running" | "waiting" | "retrying" | "succeeded" | "failed" | "timed_out" | "cancelled" | "skipped" | "lost";
                /** @description Only those of jobs that have this label now, as `name=value`; repeated, those that have all of them. */
                label?: string[];
                /** @description Only those with this type of target. */
                target?: string;
                /** @description Start of the range. */
                from?: string;
                /** @description End of the range: its first instant that does not count. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundRunsPage"];
                };
            };
        };
    };
    describe_schedule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DescribedSchedule"];
                };
            };
        };
    };
    preview_schedule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SchedulePreviewInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreviewedSchedule"];
                };
            };
        };
    };
    diff_schedules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleDiffInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleDiff"];
                };
            };
        };
    };
    export: {
        parameters: {
            query?: {
                /** @description The most items that the page may have: at most 100, in lists of jobs 1,000. */
                limit?: number;
                /** @description Where the page begins: `next` of the page before. */
                cursor?: string;
                /** @description Only this namespace; by default, all that the token may see. */
                namespace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportedPage"];
                };
            };
        };
    };
    import_all: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Imported"];
                };
            };
        };
    };
    get_namespace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Namespace"];
                };
            };
        };
    };
    put_namespace: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: only create, and replace nothing. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NamespaceInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Namespace"];
                };
            };
        };
    };
    pause_namespace: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PauseInput"] | Record<string, never>;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Namespace"];
                };
            };
        };
    };
    resume_namespace: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Namespace"];
                };
            };
        };
    };
    shadow_namespace: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShadowInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Namespace"];
                };
            };
        };
    };
    redrive_namespace: {
        parameters: {
            query?: {
                /** @description The most items that the page may have: at most 100, in lists of jobs 1,000. */
                limit?: number;
                /** @description Where the page begins: `next` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NamespaceRedriveInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunPage"];
                };
            };
        };
    };
    get_quota: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quota"];
                };
            };
        };
    };
    put_quota: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: only create, and replace nothing. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuotaInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quota"];
                };
            };
        };
    };
    delete_quota: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_namespace_stats: {
        parameters: {
            query?: {
                /** @description Start of the range. */
                from?: string;
                /** @description End of the range: its first instant that does not count. */
                to?: string;
                /** @description The length of each interval that is counted. */
                per?: "hour" | "day";
            };
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stats"];
                };
            };
        };
    };
    list_jobs: {
        parameters: {
            query?: {
                /** @description The most items that the page may have: at most 100, in lists of jobs 1,000. */
                limit?: number;
                /** @description Where the page begins: `next` of the page before. */
                cursor?: string;
                /** @description Only those of jobs that have this label now, as `name=value`; repeated, those that have all of them. */
                label?: string[];
                /** @description Only jobs that are paused, or with `false` only those that are not. */
                paused?: boolean;
                /** @description Only those with this type of target. */
                target?: string;
                /** @description Only jobs whose names contain this text. */
                q?: string;
                /** @description Answer how each job's newest known run ended, too. */
                last?: boolean;
            };
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobSummaryPage"];
                };
            };
        };
    };
    get_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    put_job: {
        parameters: {
            query?: {
                /** @description Answer what would be saved, but save nothing. */
                dry_run?: boolean;
                /** @description With `dry_run=true`: up to 16 jobs, joined by commas, that `depends_on` may name before they exist. */
                expected?: string;
            };
            header?: {
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: only create, and replace nothing. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    delete_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    next_runs: {
        parameters: {
            query?: {
                /** @description How many next runs to answer. */
                count?: number;
                /** @description Only runs after this instant; by default, after now. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NextRuns"];
                };
            };
        };
    };
    explain_job: {
        parameters: {
            query?: {
                /** @description Explain this instant; not together with `from` and `to`. */
                at?: string;
                /** @description Start of the range. */
                from?: string;
                /** @description End of the range: its first instant that does not count. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
        };
    };
    get_job_stats: {
        parameters: {
            query?: {
                /** @description Start of the range. */
                from?: string;
                /** @description End of the range: its first instant that does not count. */
                to?: string;
                /** @description The length of each interval that is counted. */
                per?: "hour" | "day";
            };
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stats"];
                };
            };
        };
    };
    get_job_endpoints: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobEndpoints"];
                };
            };
        };
    };
    list_revisions: {
        parameters: {
            query?: {
                /** @description The most items that the page may have: at most 100, in lists of jobs 1,000. */
                limit?: number;
                /** @description Where the page begins: `next` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PastRevisionPage"];
                };
            };
        };
    };
    show_revision: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
                /** @description The revision's number. */
                revision: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revision"];
                };
            };
        };
    };
    diff_revision: {
        parameters: {
            query?: {
                /** @description The number of the other revision; by default, the one before. */
                against?: number;
            };
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
                /** @description The revision's number. */
                revision: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevisionDiff"];
                };
            };
        };
    };
    restore_revision: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
                /** @description The revision's number. */
                revision: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    pause_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PauseInput"] | Record<string, never>;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    resume_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResumeInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    trigger_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repetitions of the request with the same key take effect once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TriggerInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    purge_job: {
        parameters: {
            query?: {
                /** @description The most items that the page may have: at most 100, in lists of jobs 1,000. */
                limit?: number;
                /** @description Where the page begins: `next` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PurgeInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Purged"];
                };
            };
        };
    };
    redrive_job: {
        parameters: {
            query?: {
                /** @description The most items that the page may have: at most 100, in lists of jobs 1,000. */
                limit?: number;
                /** @description Where the page begins: `next` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RedriveInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunPage"];
                };
            };
        };
    };
    list_runs: {
        parameters: {
            query?: {
                /** @description The most items that the page may have: at most 100, in lists of jobs 1,000. */
                limit?: number;
                /** @description Where the page begins: `next` of the page before. */
                cursor?: string;
                /** @description Only runs in this state; `active` for all that have not ended, `attention` for those that failed, timed out or were lost. */
                state?: "active" | "attention" | "queued" | "running" | "waiting" | "retrying" | "succeeded" | "failed" | "timed_out" | "cancelled" | "skipped" | "lost";
                /** @description Start of the range. */
                from?: string;
                /** @description End of the range: its first instant that does not count. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunPage"];
                };
            };
        };
    };
    get_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
                /** @description The run's id, as a list of runs shows it. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    get_output: {
        parameters: {
            query?: {
                /** @description The number of the attempt; by default, the newest. */
                attempt?: number;
            };
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
                /** @description The run's id, as a list of runs shows it. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Output"];
                };
            };
        };
    };
    get_log: {
        parameters: {
            query?: {
                /** @description The number of the attempt; by default, the newest. */
                attempt?: number;
                /** @description Where the page begins: `next` of the page before. */
                cursor?: string;
                /** @description The most items that the page may have: at most 100, in lists of jobs 1,000. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
                /** @description The run's id, as a list of runs shows it. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Log"];
                };
            };
        };
    };
    cancel_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
                /** @description The run's id, as a list of runs shows it. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    list_backfills: {
        parameters: {
            query?: {
                /** @description The most items that the page may have: at most 100, in lists of jobs 1,000. */
                limit?: number;
                /** @description Where the page begins: `next` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackfillPage"];
                };
            };
        };
    };
    start_backfill: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repetitions of the request with the same key take effect once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BackfillInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"] | components["schemas"]["BackfillExtent"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"] | components["schemas"]["BackfillExtent"];
                };
            };
        };
    };
    get_backfill: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
                /** @description The backfill's id. */
                backfill_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"];
                };
            };
        };
    };
    cancel_backfill: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
                /** @description The backfill's id. */
                backfill_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"];
                };
            };
        };
    };
    list_calendars: {
        parameters: {
            query?: {
                /** @description The most items that the page may have: at most 100, in lists of jobs 1,000. */
                limit?: number;
                /** @description Where the page begins: `next` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalendarSummaryPage"];
                };
            };
        };
    };
    get_calendar: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Calendar"];
                };
            };
        };
    };
    put_calendar: {
        parameters: {
            query?: {
                /** @description Answer what would be saved, but save nothing. */
                dry_run?: boolean;
            };
            header?: {
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: only create, and replace nothing. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CalendarInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Calendar"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Calendar"];
                };
            };
        };
    };
    delete_calendar: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    list_services: {
        parameters: {
            query?: {
                /** @description The most items that the page may have: at most 100, in lists of jobs 1,000. */
                limit?: number;
                /** @description Where the page begins: `next` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServicePage"];
                };
            };
        };
    };
    list_registered: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The service's name. */
                service: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationPage"];
                };
            };
        };
    };
    put_registered: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The service's name. */
                service: string;
                /** @description The endpoint's name. */
                endpoint: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegistrationInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Registration"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Registration"];
                };
            };
        };
    };
    delete_registered: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The service's name. */
                service: string;
                /** @description The endpoint's name. */
                endpoint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    list_nodes: {
        parameters: {
            query?: {
                /** @description The most items that the page may have: at most 100, in lists of jobs 1,000. */
                limit?: number;
                /** @description Where the page begins: `next` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodePage"];
                };
            };
        };
    };
    get_node: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The pool's name. */
                pool: string;
                /** @description The node's name in its pool. */
                node: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Node"];
                };
            };
        };
    };
    put_node: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The pool's name. */
                pool: string;
                /** @description The node's name in its pool. */
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodeInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredNode"];
                };
            };
        };
    };
    delete_node: {
        parameters: {
            query?: {
                /** @description The random text of the agent's process, with which it registered. */
                session?: string;
            };
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The pool's name. */
                pool: string;
                /** @description The node's name in its pool. */
                node: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ask_node: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The pool's name. */
                pool: string;
                /** @description The node's name in its pool. */
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AskInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Node"];
                };
            };
        };
    };
    post_credentials: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The pool's name. */
                pool: string;
                /** @description The node's name in its pool. */
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CredentialsInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Credentials"];
                };
            };
        };
    };
    post_starts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The pool's name. */
                pool: string;
                /** @description The node's name in its pool. */
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartsInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Starts"];
                };
            };
        };
    };
    post_beats: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The pool's name. */
                pool: string;
                /** @description The node's name in its pool. */
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BeatInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Beat"];
                };
            };
        };
    };
    post_reports: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The pool's name. */
                pool: string;
                /** @description The node's name in its pool. */
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportsInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordedReports"];
                };
            };
        };
    };
    post_uploads: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The pool's name. */
                pool: string;
                /** @description The node's name in its pool. */
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UploadsInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Uploads"];
                };
            };
        };
    };
    report: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
                /** @description The run's id, as a list of runs shows it. */
                run_id: string;
                /** @description Number of the attempt: 1 for the first. */
                attempt: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Standing"];
                };
            };
        };
    };
    progress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
                /** @description The run's id, as a list of runs shows it. */
                run_id: string;
                /** @description Number of the attempt: 1 for the first. */
                attempt: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProgressInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Standing"];
                };
            };
        };
    };
    heartbeat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The namespace. */
                namespace: string;
                /** @description The name in the namespace. */
                name: string;
                /** @description The run's id, as a list of runs shows it. */
                run_id: string;
                /** @description Number of the attempt: 1 for the first. */
                attempt: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProgressInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Standing"];
                };
            };
        };
    };
    list_audit: {
        parameters: {
            query?: {
                /** @description The most items that the page may have: at most 100, in lists of jobs 1,000. */
                limit?: number;
                /** @description Where the page begins: `next` of the page before. */
                cursor?: string;
                /** @description Only this namespace; by default, all that the token may see. */
                namespace?: string;
                /** @description Only changes of the job of this name, in the namespace. */
                job?: string;
                /** @description Only changes by the token of this name. */
                actor?: string;
                /** @description Only changes of this kind, such as `save`. */
                action?: string;
                /** @description Start of the range. */
                from?: string;
                /** @description End of the range: its first instant that does not count. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditRecordPage"];
                };
            };
        };
    };
    get_diagnosis: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Diagnosis"];
                };
            };
        };
    };
    get_shards: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shards"];
                };
            };
        };
    };
    get_own_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Caller"];
                };
            };
        };
    };
    list_tokens: {
        parameters: {
            query?: {
                /** @description The most items that the page may have: at most 100, in lists of jobs 1,000. */
                limit?: number;
                /** @description Where the page begins: `next` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenPage"];
                };
            };
        };
    };
    create_token: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repetitions of the request with the same key take effect once. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenInput"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedToken"];
                };
            };
        };
    };
    get_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The token's id, as a list of tokens shows it. */
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
        };
    };
    revoke_token: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the stored version has one of these tags; `*`: only if there is one. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The token's id, as a list of tokens shows it. */
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
