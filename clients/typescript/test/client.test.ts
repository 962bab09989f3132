/** Against an API whose address and token are in the environment; `make test` starts one over memory. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { AnswerError, Minutehand, ProblemError, StillRunningError, UnreachableError, type JobInput, type Run } from "../src/index.js";

const url = process.env.MINUTEHAND_URL ?? assert.fail("MINUTEHAND_URL is not set: run `make test`");
const token = process.env.MINUTEHAND_TOKEN ?? assert.fail("MINUTEHAND_TOKEN is not set");
const JOB = "/v1/namespaces/{namespace}/jobs/{name}";
const JOBS = "/v1/namespaces/{namespace}/jobs";
const hourly: JobInput = { schedule: "@hourly", target: { type: "http", url: "https://example.com/hook" } };
const api = new Minutehand({ url, token, backoff: 1 });
const copy = { namespace: "demo", name: "copy" };

/** A client whose first answers are scripted: an answer, a lost connection, or one that is lost after the API has acted. */
function troubled(...script: (Response | "lost" | "answer lost")[]) {
  const sent: Request[] = [];
  const client = new Minutehand({
    url,
    token,
    backoff: 1,
    fetch: async (...request) => {
      sent.push(new Request(...request));
      const next = script.shift();
      if (next instanceof Response) return next;
      if (next === "answer lost") await fetch(...request);
      if (next) throw new TypeError("fetch failed");
      return fetch(...request);
    },
  });
  return { client, sent };
}

before(() => api.put(JOB, { path: copy, body: hourly }));

test("a saved job is read with its status", async () => {
  const job = await api.get(JOB, { path: copy });
  assert.deepEqual([job.schedule, job.target.type, job.status.revision], ["@hourly", "http", 1]);
});

test("a call without a token is refused with the API's problem", async () => {
  const health = await new Minutehand({ url }).get("/v1/health");
  assert.equal(health.status, "ok");
  await assert.rejects(new Minutehand({ url }).get(JOB, { path: copy }), { name: "ProblemError", status: 401 });
});

test("a refusal names every invalid field", async () => {
  const wrong = { ...hourly, schedule: "every day", timezone: "Mars/Base" };
  await assert.rejects(api.put(JOB, { path: copy, body: wrong }), (error: ProblemError) => {
    assert.deepEqual([error.status, error.errors.map((each) => each.path)], [422, ["schedule", "timezone"]]);
    assert.match(error.type, /^https?:|^urn:|\//);
    assert.ok(error.detail);
    return true;
  });
});

test("a list is read over all its pages", async () => {
  const names = Array.from({ length: 7 }, (_, number) => `job-${number}`);
  await Promise.all(names.map((name) => api.put(JOB, { path: { namespace: "many", name }, body: hourly })));
  const found = [];
  for await (const job of api.items(JOBS, { path: { namespace: "many" }, query: { limit: 3 } })) found.push(job.name);
  assert.deepEqual(found, names);
  const sizes = [];
  for await (const page of api.pages(JOBS, { path: { namespace: "many" }, query: { limit: 3 } })) sizes.push(page.items.length);
  assert.deepEqual(sizes, [3, 3, 1]);
});

test("a trigger whose answer was lost is sent again with the same key, and starts one run", async () => {
  const { client, sent } = troubled("answer lost");
  const run = await client.post(`${JOB}/trigger`, { path: copy, body: { payload: { days: 3 } } });
  const [first, second] = sent.map((each) => each.headers.get("Idempotency-Key"));
  assert.ok(first);
  assert.equal(second, first);
  const runs: Run[] = [];
  for await (const each of api.items(`${JOB}/runs`, { path: copy })) runs.push(each);
  assert.deepEqual(runs.filter((each) => each.run_id.includes("trigger")).map((each) => each.run_id), [run.run_id]);
});

test("a key of one's own is kept, in any case", async () => {
  const { client, sent } = troubled();
  await client.post(`${JOB}/trigger`, { path: copy, headers: { "idempotency-key": "deploy-7" } });
  assert.equal(sent[0]?.headers.get("Idempotency-Key"), "deploy-7");
});

test("busy answers are repeated", async () => {
  const busy = [new Response(null, { status: 429 }), new Response(null, { status: 503 }), "lost" as const];
  const { client, sent } = troubled(...busy);
  assert.equal((await client.get(JOB, { path: copy })).name, "copy");
  assert.equal(sent.length, 4);
});

test("a deletion whose answer was lost succeeds", async () => {
  const path = { namespace: "demo", name: "short-lived" };
  await api.put(JOB, { path, body: hourly });
  await troubled("answer lost").client.delete(JOB, { path });
  await assert.rejects(api.delete(JOB, { path }), { status: 404 });
});

test("after the last try the error says why", async () => {
  const { client, sent } = troubled("lost", "lost", "lost", "lost");
  await assert.rejects(client.get(JOB, { path: copy }), (error: UnreachableError) => /fetch failed/.test(error.message));
  assert.equal(sent.length, 4);
  const down = troubled(...Array.from({ length: 4 }, () => Response.json({ message: "Internal server error" }, { status: 500 })));
  await assert.rejects(down.client.get(JOB, { path: copy }), { name: "ProblemError", status: 500, detail: "Internal server error" });
});

test("another server's answer is recognised", async () => {
  const page = () => new Response("<html>Sign in</html>", { headers: { "Content-Type": "text/html" } });
  await assert.rejects(troubled(page()).client.get(JOB, { path: copy }), AnswerError);
  const moved = new Response("{}", { status: 302 });
  await assert.rejects(troubled(moved).client.get(JOB, { path: copy }), AnswerError);
});

test("a call is given up when its signal is aborted", async () => {
  const stop = new AbortController();
  const slow = new Minutehand({ url, token, backoff: 60_000, fetch: () => Promise.reject(new TypeError("fetch failed")) });
  const call = slow.get(JOB, { path: copy, signal: stop.signal });
  stop.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
});

test("names that would lead to another path are refused", () => {
  assert.throws(() => api.get(JOB, { path: { namespace: "demo", name: ".." } }), TypeError);
});

test("an address or a token that cannot work is refused without showing the token", () => {
  assert.throws(() => new Minutehand({ url: "api.example.com" }), TypeError);
  assert.throws(() => new Minutehand({ url, token: "secret\n" }), (error: Error) => !error.message.includes("secret"));
});

test("waiting for a run ends with its last record, or after the timeout", async () => {
  // The API of the tests ends the runs of the job `ends` when they are read.
  const path = { namespace: "demo", name: "ends" };
  await api.put(JOB, { path, body: hourly });
  const run = await api.post(`${JOB}/trigger`, { path });
  assert.equal(run.state, "queued");
  assert.equal((await api.waitForRun(run)).state, "succeeded");
  const queued = await api.post(`${JOB}/trigger`, { path: copy });
  await assert.rejects(api.waitForRun(queued, { timeout: 0 }), (error: StillRunningError) => error.run.run_id === queued.run_id);
});

/** Refused by the compiler; never called. */
export function mistyped(): void {
  // @ts-expect-error: no such path
  void api.get("/v1/namespaces/{namespace}/job");
  // @ts-expect-error: this path has no DELETE
  void api.delete(JOBS, { path: { namespace: "demo" } });
  // @ts-expect-error: the path needs its parameters
  void api.get(JOB);
  // @ts-expect-error: no such parameter
  void api.get(JOBS, { path: { namespace: "demo" }, query: { size: 3 } });
  // @ts-expect-error: a job has a target
  void api.put(JOB, { path: copy, body: { schedule: "@hourly" } });
  // @ts-expect-error: this is no list
  void api.items(JOB, { path: copy });
}
