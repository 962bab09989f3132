import { AnswerError, StillRunningError } from "./errors.js";
import type { paths, Run } from "./openapi.js";
import { pause, Transport, type Settings } from "./transport.js";

type Method = "get" | "put" | "post" | "delete";
interface Operation {
  parameters: { path?: unknown; query?: unknown };
  requestBody?: unknown;
  responses: object;
}
type OperationOf<P extends keyof paths, M extends Method> = Extract<paths[P][M], Operation>;
type Part<Name extends string, T> = [NonNullable<T>] extends [never]
  ? unknown
  : undefined extends T
    ? { [N in Name]?: T }
    : { [N in Name]: T };
type Json<T> = T extends { content: { "application/json": infer J } } ? J : undefined;

/** The paths that have a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: [OperationOf<P, M>] extends [never] ? never : P;
}[keyof paths];

/** What a request may have: the parameters of its path and its query, and its body, as the API declares them. */
export type Options<O extends Operation> = {
  /** Further headers, such as `If-Match`. */
  headers?: Record<string, string>;
  signal?: AbortSignal;
} & Part<"path", O["parameters"]["path"]> &
  Part<"query", O["parameters"]["query"]> &
  Part<"body", Json<O["requestBody"]>>;

/** The body of the answer to a request that succeeds. */
export type Answer<O extends Operation> = {
  [S in keyof O["responses"] & (200 | 201 | 202 | 204)]: Json<O["responses"][S]>;
}[keyof O["responses"] & (200 | 201 | 202 | 204)];

/** The paths of lists that come in pages. */
export type ListPath = {
  [P in PathOf<"get">]: OperationOf<P, "get"> extends { parameters: { query?: { cursor?: string } } }
    ? Answer<OperationOf<P, "get">> extends { items: unknown[]; next: string | null }
      ? P
      : never
    : never;
}[PathOf<"get">];

type Arguments<T> = object extends T ? [options?: T] : [options: T];
type Call<P extends keyof paths, M extends Method> = Arguments<Options<OperationOf<P, M>>>;
type PageOf<P extends ListPath> = Extract<Answer<OperationOf<P, "get">>, { items: unknown[]; next: string | null }>;
interface Given {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

const ENDED = {
  queued: false,
  running: false,
  waiting: false,
  retrying: false,
  succeeded: true,
  failed: true,
  timed_out: true,
  cancelled: true,
  skipped: true,
  lost: true,
} satisfies Record<Run["state"], boolean>;
const FIRST_WAIT = 250;
const LONGEST_WAIT = 2000;

/**
 * A client of the API at `url`. Its methods take a path of the API, as its OpenAPI description has it, with the parameters and
 * the body that this path declares.
 *
 * A method rejects with a `ProblemError` when the API refuses the request, an `UnreachableError` without an answer, an
 * `AnswerError` when the answer is not from Minutehand, and with the reason of `signal` when that is aborted.
 */
export class Minutehand {
  readonly #http: Transport;

  constructor(settings: Settings) {
    this.#http = new Transport(settings);
  }

  /** Read. */
  get<P extends PathOf<"get">>(path: P, ...[options]: Call<P, "get">): Promise<Answer<OperationOf<P, "get">>> {
    return this.#send("GET", path, options);
  }

  /** Save; repeating it changes nothing. */
  put<P extends PathOf<"put">>(path: P, ...[options]: Call<P, "put">): Promise<Answer<OperationOf<P, "put">>> {
    return this.#send("PUT", path, options);
  }

  /** Create or act, once: unless `headers` has an `Idempotency-Key`, the request gets a new one, so that it can be repeated. */
  post<P extends PathOf<"post">>(path: P, ...[options]: Call<P, "post">): Promise<Answer<OperationOf<P, "post">>> {
    const given: Given = { ...options };
    return this.#send("POST", path, { ...given, headers: withKey(given.headers) });
  }

  /** Delete. */
  delete<P extends PathOf<"delete">>(path: P, ...[options]: Call<P, "delete">): Promise<Answer<OperationOf<P, "delete">>> {
    return this.#send("DELETE", path, options);
  }

  /** The pages of a list, each fetched when it is needed. */
  async *pages<P extends ListPath>(path: P, ...[options]: Call<P, "get">): AsyncGenerator<PageOf<P>, void, undefined> {
    const given: Given = { ...options };
    for (let cursor = given.query?.cursor; ; ) {
      const page = await this.#send<PageOf<P>>("GET", path, { ...given, query: { ...given.query, cursor } });
      yield page;
      if (page.next === null) return;
      if (page.next === cursor) throw new AnswerError("a page of the list names itself as its next page: this is a bug of the API");
      cursor = page.next;
    }
  }

  /** The items of a list, from all its pages. */
  async *items<P extends ListPath>(path: P, ...options: Call<P, "get">): AsyncGenerator<PageOf<P>["items"][number], void, undefined> {
    for await (const page of this.pages(path, ...options)) yield* page.items as PageOf<P>["items"][number][];
  }

  /**
   * Poll a run until it has ended; returns its last record.
   *
   * @param options `timeout`: milliseconds, 900,000 by default. After it the run continues, and a `StillRunningError` has its last record.
   */
  async waitForRun(run: Run, options: { timeout?: number; signal?: AbortSignal } = {}): Promise<Run> {
    const { timeout = 900_000, signal } = options;
    const [namespace = "", name = ""] = run.job.split("/");
    const ends = performance.now() + timeout;
    for (let wait = FIRST_WAIT; !ENDED[run.state]; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      const left = ends - performance.now();
      if (left <= 0) throw new StillRunningError(run);
      await pause(Math.min(wait, left), signal);
      run = await this.get("/v1/namespaces/{namespace}/jobs/{name}/runs/{run_id}", {
        path: { namespace, name, run_id: run.run_id },
        ...(signal && { signal }),
      });
    }
    return run;
  }

  #send<T>(method: string, template: string, { path = {}, ...sent }: Given = {}): Promise<T> {
    const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, path[name]));
    return this.#http.send(method, filled, sent) as Promise<T>;
  }
}

function withKey(headers: Record<string, string> = {}): Record<string, string> {
  const given = Object.keys(headers).some((name) => name.toLowerCase() === "idempotency-key");
  return given ? headers : { ...headers, "Idempotency-Key": newKey() };
}

/** A random key. `crypto.randomUUID` would need a page that was loaded over HTTPS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A parameter of a path, quoted. Dot segments would lead to another path, quoted or not. */
function segment(name: string, value: unknown): string {
  const text = String(value ?? "");
  if (/^\.*$/.test(text)) throw new TypeError(`${JSON.stringify(value)} is not a valid ${name}`);
  return encodeURIComponent(text);
}
