import { MinutehandError, ProblemError } from "./errors.js";
import type { Standing } from "./openapi.js";
import { pause, Transport, type Settings } from "./transport.js";

type HeadersLike = Headers | Record<string, string | string[] | undefined>;

/** `every`: milliseconds between heartbeats; by default a third of the attempt's lease, from 1 to 30 s. */
export type LateAnswerOptions = Omit<Settings, "url" | "token"> & { every?: number };

const SELDOM = 30_000;
const OFTEN = 1000;
/** The statuses of an attempt that has ended, or is another's. */
const OVER = [401, 403, 409];
const LONGEST_MESSAGE = 4000;
const LONGEST_STACK = 16_000;

/**
 * The target's side of an attempt that it answers later.
 *
 *     const answer = LateAnswer.fromHeaders(request.headers);
 *     await answer.work(async (signal) => {
 *       for (const [number, file] of files.entries()) {
 *         signal.throwIfAborted(); // cancelled, or out of time
 *         await copy(file);
 *         await answer.progress((100 * (number + 1)) / files.length, file);
 *       }
 *       return { files: files.length };
 *     });
 *
 * Methods reject with a `ProblemError`: 409 when the attempt has ended or was already reported; 400, 413 or 422 for an invalid
 * report; 403 for a token of another attempt. They reject with an `UnreachableError` without an answer.
 */
export class LateAnswer {
  /** The job's full name, and the run's id. */
  readonly job: string;
  readonly runId: string;
  /** The attempt's number, from 1, and how many remain after this one. */
  readonly attempt: number;
  readonly attemptsLeft: number;
  /** When the attempt times out, unless its end was reported. */
  readonly deadline: Date | undefined;
  readonly #http: Transport;
  readonly #every: number | undefined;
  readonly #unwanted = new AbortController();
  readonly #over = new AbortController();
  #reported = false;
  #reporting = 0;
  #beating = false;

  private constructor(header: (name: string) => string | undefined, { every, ...settings }: LateAnswerOptions) {
    const url = header("callback-url");
    const token = header("token");
    if (url === undefined || token === undefined) {
      throw new TypeError(
        "the request cannot be answered later: it lacks the headers Minutehand-Callback-Url and Minutehand-Token; " +
          "the job's target needs the mode auto or callback",
      );
    }
    this.job = header("job") ?? "";
    this.runId = header("run-id") ?? "";
    this.attempt = numberIn("Minutehand-Attempt", header("attempt") ?? "1");
    this.attemptsLeft = numberIn("Minutehand-Attempts-Left", header("attempts-left") ?? "0");
    this.deadline = instantIn("Minutehand-Deadline", header("deadline"));
    this.#every = every;
    this.#http = new Transport({ retries: 6, backoff: 500, ...settings, url, token });
  }

  /** The late answer to the request with these headers. Throws a TypeError if the request does not allow one. */
  static fromHeaders(headers: HeadersLike, options: LateAnswerOptions = {}): LateAnswer {
    const pairs = headers instanceof Headers ? [...headers] : Object.entries(headers);
    const found = new Map(pairs.map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value[0] : value]));
    return new LateAnswer((name) => found.get(`minutehand-${name}`), options);
  }

  /** Whether to stop: the run was cancelled, or the attempt has ended otherwise. Each answer of the API updates this. */
  get unwanted(): boolean {
    return this.#unwanted.signal.aborted;
  }

  /** Aborted when the answer becomes unwanted. */
  get signal(): AbortSignal {
    return this.#unwanted.signal;
  }

  /** Send heartbeats in the background, until a report or `close`. */
  start(): void {
    if (this.#beating) return;
    this.#beating = true;
    void this.#beat();
  }

  /** Stop the heartbeats. */
  close(): void {
    this.#over.abort();
  }

  /**
   * Do the work with heartbeats, and report what it returns, or its error, which is then thrown on. Nothing is reported if the
   * work has reported itself, or the answer is unwanted.
   */
  async work<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.start();
    try {
      const result = await task(this.signal);
      if (!this.#reported && !this.unwanted) await this.succeeded(result);
      return result;
    } catch (error) {
      // The error of the work matters more than one of its report.
      if (!this.#reported && !this.unwanted) await this.failedWith(error).catch(() => undefined);
      throw error;
    } finally {
      this.close();
    }
  }

  /** Report success. `result` is any JSON value, at most 256 KiB, and is kept with the run. */
  succeeded(result: unknown = null): Promise<void> {
    return this.#report({ state: "succeeded", result });
  }

  /** Report failure. `type` is one word, which the job's `retry_on` may name; `message` is a sentence. */
  failed(type: string, message: string, more: { stack?: string; result?: unknown } = {}): Promise<void> {
    const error = { type, message, ...(more.stack && { stack: more.stack }) };
    return this.#report({ state: "failed", error, result: more.result ?? null });
  }

  /** Report failure with an error's name, message and stack. */
  failedWith(error: unknown): Promise<void> {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    return this.failed(wordOf(name), plain(message, LONGEST_MESSAGE) || "no message", { stack: plain(stack ?? "", LONGEST_STACK) });
  }

  /** Report progress: 0 to 100, a line of text, or both. Counts as a heartbeat; returns whether to stop. */
  progress(percent: number | null, text?: string): Promise<boolean> {
    return this.#tell("/progress", { ...(percent !== null && { percent: Math.floor(percent) }), ...(text !== undefined && { text }) });
  }

  /** Send a heartbeat, which extends the attempt's lease; returns whether to stop. */
  heartbeat(): Promise<boolean> {
    return this.#tell("/heartbeat", {});
  }

  async #beat(): Promise<void> {
    while (!this.#over.signal.aborted && !this.unwanted) {
      let wait = Math.min(OFTEN, this.#every ?? OFTEN);
      try {
        const standing = await this.#send("/heartbeat", {}, this.#over.signal);
        wait = this.#every ?? Math.min(SELDOM, Math.max(OFTEN, (standing.lease_ms ?? 0) / 3));
      } catch (error) {
        if (!(error instanceof MinutehandError)) return; // closed
      }
      await pause(wait, this.#over.signal).catch(() => undefined);
    }
  }

  async #report(document: unknown): Promise<void> {
    this.#reporting++;
    try {
      await this.#send("/report", document);
      this.#reported = true;
    } catch (error) {
      const over = error instanceof ProblemError && OVER.includes(error.status);
      // If a repeated report conflicts, an earlier try has reported, and its answer was lost.
      this.#reported = over && error.status === 409 && error.repeated;
      if (over && !this.#reported) this.#unwanted.abort(error);
      if (!this.#reported) throw error;
    } finally {
      this.#reporting--;
    }
    this.close();
  }

  async #tell(path: string, document: unknown): Promise<boolean> {
    await this.#send(path, document);
    return this.unwanted;
  }

  async #send(path: string, body: unknown, signal?: AbortSignal): Promise<Standing> {
    try {
      const standing = (await this.#http.send("POST", path, { body, signal })) as Standing;
      if (typeof standing.cancel !== "boolean") throw this.#http.foreign(`its answer has no "cancel"`);
      if (standing.cancel) this.#unwanted.abort(new MinutehandError("the run was cancelled"));
      return standing;
    } catch (error) {
      // A report on its way may end the attempt before heartbeats that were sent earlier arrive.
      const ours = this.#reporting > 0 || this.#reported;
      if (!ours && error instanceof ProblemError && OVER.includes(error.status)) this.#unwanted.abort(error);
      throw error;
    }
  }
}

function numberIn(header: string, text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new TypeError(`the header ${header} is ${JSON.stringify(text)}, which is not a whole number`);
  return Number(text);
}

function instantIn(header: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const instant = new Date(text);
  if (Number.isNaN(instant.getTime())) throw new TypeError(`the header ${header} is ${JSON.stringify(text)}, which is not an instant`);
  return instant;
}

/** A name as the type of an error: one word that the API accepts. */
function wordOf(name: string): string {
  const word = name.replace(/[^A-Za-z0-9_.]/g, "_").slice(0, 64);
  return /^[A-Za-z_]/.test(word) ? word : `_${word}`.slice(0, 64);
}

/** A text for a report, without control characters and halves of surrogate pairs. */
function plain(text: string, longest: number): string {
  return text.slice(0, longest).replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]|\p{Surrogate}/gu, " ");
}
