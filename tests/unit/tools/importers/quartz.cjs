// Reads one JSON question a line, {"pattern", "after", "count"}, and answers the instants that croner finds, in seconds, or null for a
// pattern that it refuses. Days of the week are numbered from 1 (Sunday), as in Quartz.
const { createInterface } = require("node:readline");
const { Cron } = require("croner");

createInterface({ input: process.stdin }).on("line", (line) => {
  const { pattern, after, count } = JSON.parse(line);
  let found = null;
  try {
    const cron = new Cron(pattern, { timezone: "UTC", alternativeWeekdays: true, sloppyRanges: true, paused: true });
    found = cron.nextRuns(count, new Date(after * 1000)).map((date) => date.getTime() / 1000);
  } catch {}
  console.log(JSON.stringify(found));
});
