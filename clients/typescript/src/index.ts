export { Minutehand } from "./client.js";
export type { Answer, ListPath, Options, PathOf } from "./client.js";
export { AnswerError, MinutehandError, ProblemError, StillRunningError, UnreachableError } from "./errors.js";
export { LateAnswer } from "./late-answer.js";
export type { LateAnswerOptions } from "./late-answer.js";
export type { Settings } from "./transport.js";
export type * from "./openapi.js";
