/**
 * The results of a fault, with its defence and without it.
 *
 * @typedef {{
 *   fault: import('./environment.mjs').Fault,
 *   defended: RunResult[], undefended: RunResult | undefined,
 * }} Row
 *
 * @typedef {import('./environment.mjs').FaultOutcome & { seed: number, seconds: number, isAborted?: boolean }} RunResult
 *   `isAborted`: the run threw an error, so it proves nothing, with or without the defence
 */

/** @param {Row} row */
export function hasExpectedResult({ defended, undefended }) {
  const failsWithoutDefence =
    undefended === undefined || (undefended.violations.length > 0 && !undefended.isAborted);
  return failsWithoutDefence && defended.every(({ violations }) => violations.length === 0);
}

/**
 * Prints all measured figures to the terminal.
 *
 * @param {readonly Row[]} rows
 */
export function printTable(rows) {
  for (const row of rows) {
    const { fault, defended, undefended } = row;
    console.log(
      `\n${fault.id}  ${fault.title}: ${hasExpectedResult(row) ? 'expected result' : 'UNEXPECTED RESULT'}`,
    );
    console.log(`  target     ${fault.target}`);
    for (const result of defended) console.log(`  seed ${result.seed}     ${describe(result)}`);
    if (undefended !== undefined) console.log(`  without    ${fault.defence}: ${describe(undefended)}`);
  }
}

/**
 * Prints the rows of the table in docs/reliability.md.
 *
 * @param {readonly Row[]} rows
 */
export function printMarkdown(rows) {
  console.log(
    '\n| # | fault | target | measured | result without the defence |\n| --- | --- | --- | --- | --- |',
  );
  for (const { fault, defended, undefended } of rows) {
    const measured = defended.map(
      (result) => `seed ${result.seed}: ${describeResult(result)}: ${describeFigures(result)}`,
    );
    const failures = undefended?.violations.join(', ') || 'passed anyway';
    const without = undefended === undefined ? fault.defence : `${fault.defence}: ${failures}`;
    const cells = [fault.id, fault.title, fault.target, measured.join('<br>'), without];
    console.log(`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
  }
}

/** @param {RunResult} result */
const describe = (result) =>
  `${describeResult(result)} (${result.seconds.toFixed(1)} s) ${JSON.stringify(result.figures)}`;

/** @param {RunResult} result */
const describeResult = ({ violations }) => (violations.length === 0 ? 'passed' : violations.join(', '));

/** Figures of `environment.reconcile` that are printed before the fault's own figures. */
const printedFirst = new Set(['expected', 'lost', 'duplicates', 'early']);
/** The other figures of `environment.reconcile`. They are not printed, because the violations cover them. */
const notPrinted = new Set(
  'events webhooks requests delivered waiting dead discarded unexplained badSignatures bodyVariants stuck addsUp'.split(
    ' ',
  ),
);

/** @param {RunResult} result */
function describeFigures({ figures }) {
  const entries = Object.entries(figures).filter(([name]) => !notPrinted.has(name));
  const [general, own] = [true, false].map((isFirst) =>
    entries.filter(([name]) => printedFirst.has(name) === isFirst),
  );
  const format = (/** @type {unknown} */ value) =>
    typeof value === 'object' ? JSON.stringify(value) : String(value);
  return [...(general ?? []), ...(own ?? [])].map(([name, value]) => `${name} ${format(value)}`).join(', ');
}
