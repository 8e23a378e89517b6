const { appendFileSync } = require('node:fs');
const { relative } = require('node:path');

/**
 * With ASSERTION_LOG=<file>, writes one line per test: `[file, title, number of executed expect calls]`.
 * `compare-assertions.mjs` compares two such logs.
 */
afterEach(() => {
  const { testPath, currentTestName, assertionCalls } = expect.getState();
  const file = relative(process.cwd(), testPath);
  appendFileSync(process.env.ASSERTION_LOG, `${JSON.stringify([file, currentTestName, assertionCalls])}\n`);
});
