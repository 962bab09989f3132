import { AnswerError, ProblemError, UnreachableError } from "./errors.js";

/** How to reach an API. */
export interface Settings {
  /** The API's address, without `/v1`. */
  url: string;
  /** A token of the stack; `GET /v1/health` needs none. */
  token?: string;
  /** Milliseconds to wait for each answer; 30,000 by default. */
  timeout?: number;
  /** How often a request is sent again after a lost connection, a 429 or a 5xx; 3 by default. */
  retries?: number;
  /** Milliseconds before the first repetition; 200 by default. The waits double up to 10 s, and are shortened at random. */
  backoff?: number;
  /** The function that sends requests; the global `fetch` by default. */
  fetch?: typeof fetch;
}

export interface Sent {
  query?: Record<string, unknown> | undefined;
  body?: unknown;
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
}

const LONGEST_WAIT = 10_000;
/** API Gateway's message, with 403, for a path that none of its APIs has. */
const ROUTE_UNKNOWN = "Missing Authentication Token";

/** Sends requests to one API, repeats them, and reads the answers. Each request must be safe to repeat. */
export class Transport {
  readonly url: string;
  readonly #token: string | undefined;
  readonly #timeout: number;
  readonly #retries: number;
  readonly #backoff: number;
  readonly #fetch: typeof fetch;

  constructor({ url, token, timeout = 30_000, retries = 3, backoff = 200, fetch: send }: Settings) {
    this.url = checkedUrl(url);
    this.#token = token === undefined ? undefined : checkedToken(token);
    this.#timeout = timeout;
    this.#retries = retries;
    this.#backoff = backoff;
    this.#fetch = send ?? ((...request) => globalThis.fetch(...request)); // a browser's `fetch` needs its own `this`
  }

  /** Send a request; returns the answer's JSON, or undefined for 204. */
  async send(method: string, path: string, { query, body, headers, signal }: Sent = {}): Promise<unknown> {
    const url = this.url + path + queryText(query);
    const request: RequestInit = { method, headers: this.#headers(body, headers), redirect: "manual" };
    if (body !== undefined) request.body = JSON.stringify(body);
    for (let tries = 1; ; tries++) {
      signal?.throwIfAborted();
      const more = tries <= this.#retries;
      let answer: Response;
      let text: string;
      try {
        const timeout = AbortSignal.timeout(this.#timeout);
        answer = await this.#fetch(url, { ...request, signal: signal ? AbortSignal.any([timeout, signal]) : timeout });
        text = await answer.text();
      } catch (cause) {
        signal?.throwIfAborted();
        if (!more) throw new UnreachableError(`the API at ${this.url} cannot be reached: ${reason(cause)}`, { cause });
        await pause(this.#wait(tries), signal);
        continue;
      }
      if (more && (answer.status === 429 || answer.status >= 500)) {
        await pause(this.#wait(tries, answer.headers.get("Retry-After")), signal);
        continue;
      }
      // A repeated DELETE finds nothing if the first one's answer was lost.
      if (answer.status === 204 || (method === "DELETE" && answer.status === 404 && tries > 1)) return undefined;
      return this.#read(answer, text, tries > 1);
    }
  }

  #headers(body: unknown, more: Record<string, string> = {}): Headers {
    const headers = new Headers({ Accept: "application/json", ...more });
    if (body !== undefined) headers.set("Content-Type", "application/json");
    if (this.#token !== undefined) headers.set("Authorization", `Bearer ${this.#token}`);
    return headers;
  }

  #wait(tries: number, retryAfter: string | null = null): number {
    const backoff = this.#backoff * 2 ** (tries - 1) * (0.5 + Math.random() / 2);
    return Math.min(LONGEST_WAIT, Math.max(backoff, 1000 * (Number(retryAfter) || 0)));
  }

  #read(answer: Response, text: string, repeated: boolean): unknown {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      throw this.#foreign(answer, text);
    }
    if (typeof body !== "object" || body === null || Array.isArray(body)) throw this.#foreign(answer, text);
    if (answer.ok) return body;
    const foreign = answer.status === 404 || ("message" in body && body.message === ROUTE_UNKNOWN);
    if (answer.status < 400 || (!("title" in body) && foreign)) throw this.#foreign(answer, text);
    throw new ProblemError(answer.status, body, repeated);
  }

  #foreign(answer: Response, text: string): AnswerError {
    return this.foreign(`HTTP ${answer.status}, ${text.replace(/\s+/g, " ").slice(0, 120) || "no text"}`);
  }

  /** The error for an answer that Minutehand's API would not give. */
  foreign(what: string): AnswerError {
    return new AnswerError(
      `the server at ${this.url} does not speak Minutehand's API: ${what}; check the address; a proxy in between may be answering instead`,
    );
  }
}

/** Wait; rejects with the signal's reason when it is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

function queryText(query: Record<string, unknown> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const pairs = given.flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((each) => [name, String(each)]));
  return pairs.length ? `?${new URLSearchParams(pairs)}` : "";
}

function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const refused = !url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash;
  if (refused) {
    throw new TypeError("the API's address is no plain URL; it looks like https://api.example.com, without `/v1` and without a password");
  }
  return text.replace(/\/+$/, "");
}

function checkedToken(token: string): string {
  if (!/^[!-~]+$/.test(token)) {
    throw new TypeError("the token is empty, or contains spaces, line breaks or non-ASCII characters");
  }
  return token;
}
