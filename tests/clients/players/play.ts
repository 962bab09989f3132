/** Plays a target with the package: `node play.js URL TOKEN ACTION…`; each action prints a line. */
import { LateAnswer, ProblemError } from "@minutehand/client";

const [url, token, ...actions] = process.argv.slice(2);
const result = {
  files: 5,
  text: 'quote " back \\ line\n tab\t low \u0001 é 😀 </b>',
  list: [1, 2.5, true, null],
  empty: {},
  none: [],
};
const odd = new RangeError("odd \x00\x1b[2J half \ud83d " + "x".repeat(5000));

const answer = LateAnswer.fromHeaders(
  {
    "minutehand-job": "demo/copy",
    "minutehand-run-id": "20261120T080000Z",
    "minutehand-attempt": "2",
    "minutehand-attempts-left": "3",
    "minutehand-deadline": "2026-11-20T15:00:00Z",
    "minutehand-callback-url": url || undefined,
    "minutehand-token": token || undefined,
  },
  { backoff: 1, every: 10 },
);

const DEEDS: Record<string, () => unknown> = {
  about: () => `${answer.job} ${answer.runId} ${answer.attempt} ${answer.attemptsLeft} ${answer.deadline?.getTime()}`,
  progress: async () => ((await answer.progress(40, "2 of 5 files")) ? "stop" : "go on"),
  text: async () => ((await answer.progress(null, "3 of 5 files")) ? "stop" : "go on"),
  heartbeat: async () => ((await answer.heartbeat()) ? "stop" : "go on"),
  succeeded: () => answer.succeeded(result),
  failed: () => answer.failed("DiskFull", "no room", { result: { copied: 3 } }),
  large: () => answer.succeeded("x".repeat(300_000)),
  work: () => answer.work(() => Promise.resolve(result)).then(() => "done"),
  break: () => answer.work(() => Promise.reject(odd)),
  unwanted: () => String(answer.unwanted),
  wait: () =>
    answer.work(
      (signal) => new Promise((resolve) => (signal.aborted ? resolve("told") : signal.addEventListener("abort", () => resolve("told")))),
    ),
};

for (const action of actions) {
  try {
    console.log((await DEEDS[action]?.()) ?? "done");
  } catch (error) {
    if (error === odd) console.log("raised");
    else console.log(error instanceof ProblemError ? `${error.status} ${error.type.split(":").pop()}` : `error ${(error as Error).message}`);
  }
}
