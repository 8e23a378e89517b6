/**
 * The fields of Jest's result file that are used here.
 *
 * @typedef {{
 *   ancestorTitles: readonly string[], title: string, fullName: string, status: string,
 *   failureMessages?: readonly string[] | null,
 * }} TestResult
 * @typedef {{ message: string, assertionResults: readonly TestResult[] }} FileResult
 * @typedef {{ numRuntimeErrorTestSuites: number, testResults: readonly FileResult[] }} JestResult
 *
 * `found`: a test failed by an assertion. `missed`: every test passed. `unusable`: the run proves nothing.
 * @typedef {{ kind: 'found', by: string } | { kind: 'missed' } | { kind: 'unusable', why: string }} Outcome
 */

/**
 * Classifies a run of specs. A suite that does not load, a missing suite, and a test that fails without an assertion
 * (for example by a syntax error or a timeout) do not count as found.
 *
 * @param {JestResult | null} result null if Jest wrote none
 * @param {number} specCount the number of spec files that should have run
 * @returns {Outcome}
 */
export function outcomeOf(result, specCount) {
  if (result === null) return { kind: 'unusable', why: 'Jest wrote no result' };
  const { testResults } = result;
  if (testResults.length !== specCount)
    return { kind: 'unusable', why: `${testResults.length} of ${specCount} spec files ran` };
  const unloaded = testResults.find(({ assertionResults }) => assertionResults.length === 0);
  if (unloaded !== undefined || result.numRuntimeErrorTestSuites > 0)
    return { kind: 'unusable', why: `a spec file did not run: ${firstLine(unloaded?.message)}` };
  const tests = testResults.flatMap((file) => file.assertionResults.map((test) => ({ ...test, file })));
  if (!tests.some(({ status }) => status === 'passed' || status === 'failed'))
    return { kind: 'unusable', why: 'no test ran' };
  const failed = tests.filter(({ status }) => status === 'failed');
  const asserted = failed.find((test) => hasFailedAssertion(test, test.file));
  if (asserted !== undefined) return { kind: 'found', by: asserted.fullName };
  const [first] = failed;
  if (first === undefined) return { kind: 'missed' };
  const why = `no assertion failed, but ${first.fullName}: ${firstLine(first.failureMessages?.[0])}`;
  return { kind: 'unusable', why };
}

const ASSERTION = String.raw`expect(?:\(|\.assertions\(|\.hasAssertions\()`;
const IN_MESSAGE = new RegExp(String.raw`^(?:\w+: )?${ASSERTION}`);
const IN_CAUSE = new RegExp(String.raw`^ *Cause:\n *${ASSERTION}`, 'm');

/**
 * Returns whether an assertion failed in a test. A property of fast-check fails with an error whose cause is the
 * assertion; only the report of the file contains causes.
 *
 * @param {TestResult} test
 * @param {FileResult} file
 */
function hasFailedAssertion({ ancestorTitles, title, failureMessages }, { message }) {
  if (failureMessages?.some((each) => IN_MESSAGE.test(each))) return true;
  const heading = `${[...ancestorTitles, title].join(' › ')}\n`;
  const report = message.split(/^ {2}● /m).find((section) => section.startsWith(heading));
  return report !== undefined && IN_CAUSE.test(report);
}

/** @param {string | undefined} text */
const firstLine = (text = '') => text.trim().split('\n', 1)[0] ?? '';
