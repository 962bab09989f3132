/**
 * Writes src/openapi.ts, the types of the API, from its OpenAPI description; with `--check` it writes nothing, and exits with 1
 * if the file is stale.
 */
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import openapiTS, { astToString } from "openapi-typescript";

const SOURCE = new URL("../../functions/minutehand/entrypoints/api/openapi.json", import.meta.url);
const TARGET = new URL("src/openapi.ts", import.meta.url);
const HEADER = "/** The types of Minutehand's API. Generated from its OpenAPI description: do not edit, but run `npm run generate`. */\n\n";

/** Leave out what would only make the file longer: examples, and errors, each of which is a `Problem`. */
function slim(description) {
  for (const operation of Object.values(description.paths).flatMap(Object.values)) {
    for (const status of Object.keys(operation.responses ?? {})) {
      if (Number(status) >= 400) delete operation.responses[status];
    }
    for (const part of [operation.requestBody, ...Object.values(operation.responses ?? {})]) {
      for (const content of Object.values(part?.content ?? {})) delete content.example;
    }
  }
  return description;
}

/** The generator makes `unknown` of an alternative that only requires fields: types cannot express it, and the API checks it. */
function withoutRequirements(schema) {
  for (const kind of ["anyOf", "oneOf"]) {
    if (schema[kind]?.every((each) => Object.keys(each).join() === "required")) delete schema[kind];
  }
}

const ast = await openapiTS(slim(JSON.parse(await readFile(SOURCE, "utf8"))), {
  defaultNonNullable: false, // a field with a default may be left out
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  transform: withoutRequirements,
});
const text = HEADER + astToString(ast);
if (!process.argv.includes("--check")) {
  await writeFile(TARGET, text);
} else if ((await readFile(TARGET, "utf8").catch(() => "")) !== text) {
  console.error("src/openapi.ts is stale. Run: npm run generate");
  process.exitCode = 1;
}
