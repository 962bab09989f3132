import type { FieldError, Problem, Run } from "./openapi.js";

/** The root of all errors of this package. */
export class MinutehandError extends Error {
  override name = "MinutehandError";
}

/** The API did not answer, even after all retries. `cause` is the last error. */
export class UnreachableError extends MinutehandError {
  override name = "UnreachableError";
}

/** The answer is not from Minutehand's API: a proxy's page, another service, a redirect. */
export class AnswerError extends MinutehandError {
  override name = "AnswerError";
}

/** The wait for a run took longer than the timeout. The run continues; `run` is its last known record. */
export class StillRunningError extends MinutehandError {
  override name = "StillRunningError";

  constructor(readonly run: Run) {
    super(`run ${run.run_id} of ${run.job} is still ${run.state}`);
  }
}

/** The API refused the request, with a problem document (RFC 9457). */
export class ProblemError extends MinutehandError {
  override name = "ProblemError";
  /** The HTTP status. */
  readonly status: number;
  /** URI of the kind of problem, for programs. */
  readonly type: string;
  /** The kind of problem, for people. */
  readonly title: string;
  /** What went wrong this time. */
  readonly detail: string;
  /** Every invalid field. */
  readonly errors: readonly FieldError[];
  /** Of a 5xx error: the request's id in the logs. */
  readonly requestId: string | undefined;

  /**
   * @param repeated Whether the request was sent more than once: an earlier try may have succeeded although its answer was lost.
   */
  constructor(status: number, body: Partial<Problem> & { message?: string }, readonly repeated = false) {
    const title = body.title ?? `HTTP ${status}`;
    const detail = body.detail ?? body.message ?? title; // API Gateway's own answers have a message
    super(body.request_id ? `${detail} (request id ${body.request_id})` : detail);
    this.status = status;
    this.type = body.type ?? "about:blank";
    this.title = title;
    this.detail = detail;
    this.errors = body.errors ?? [];
    this.requestId = body.request_id;
  }
}
