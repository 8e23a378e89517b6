/**
 * What became of a fault, with its defence and without.
 *
 * @typedef {{
 *   fault: import('./world.mjs').Fault,
 *   defended: RunResult[], undefended: RunResult | undefined,
 * }} Row
 *
 * @typedef {import('./world.mjs').FaultOutcome & { seed: number, seconds: number, isBroken?: boolean }} RunResult
 *   a run that broke off (`isBroken`) shows nothing, with the defence or without
 */

/** @param {Row} row */
export function isAsPromised({ defended, undefended }) {
  const hasFallen = undefended === undefined || (undefended.verdict.length > 0 && !undefended.isBroken);
  return hasFallen && defended.every(({ verdict }) => verdict.length === 0);
}

/**
 * Everything that was measured, for reading in a terminal.
 *
 * @param {readonly Row[]} rows
 */
export function printTable(rows) {
  for (const row of rows) {
    const { fault, defended, undefended } = row;
    console.log(`\n${fault.id}  ${fault.title}: ${isAsPromised(row) ? 'as promised' : 'NOT AS PROMISED'}`);
    console.log(`  target     ${fault.target}`);
    for (const result of defended) console.log(`  seed ${result.seed}     ${inWords(result)}`);
    if (undefended !== undefined) console.log(`  without    ${fault.defence}: ${inWords(undefended)}`);
  }
}

/**
 * The rows of the table in docs/reliability.md.
 *
 * @param {readonly Row[]} rows
 */
export function printMarkdown(rows) {
  console.log(
    '\n| # | fault | target | measured | result without the defence |\n| --- | --- | --- | --- | --- |',
  );
  for (const { fault, defended, undefended } of rows) {
    const reached = defended.map(
      (result) => `seed ${result.seed}: ${verdictInWords(result)}: ${figuresInWords(result)}`,
    );
    const fallen = undefended?.verdict.join(', ') || 'held all the same';
    const without = undefended === undefined ? fault.defence : `${fault.defence}: ${fallen}`;
    const cells = [fault.id, fault.title, fault.target, reached.join('<br>'), without];
    console.log(`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
  }
}

/** @param {RunResult} result */
const inWords = (result) =>
  `${verdictInWords(result)} (${result.seconds.toFixed(1)} s) ${JSON.stringify(result.figures)}`;

/** @param {RunResult} result */
const verdictInWords = ({ verdict }) => (verdict.length === 0 ? 'held' : verdict.join(', '));

/** Of a reckoning, what a reader asks for first; the rest of it is what the verdict judges. */
const shownFirst = new Set(['owed', 'lost', 'duplicates', 'early']);
const judged = new Set(
  'events webhooks requests delivered waiting dead discarded unexplained badSignatures bodyVariants stuck addsUp'.split(
    ' ',
  ),
);

/** @param {RunResult} result */
function figuresInWords({ figures }) {
  const entries = Object.entries(figures).filter(([name]) => !judged.has(name));
  const [first, own] = [true, false].map((isFirst) =>
    entries.filter(([name]) => shownFirst.has(name) === isFirst),
  );
  const inWord = (/** @type {unknown} */ value) =>
    typeof value === 'object' ? JSON.stringify(value) : String(value);
  return [...(first ?? []), ...(own ?? [])].map(([name, value]) => `${name} ${inWord(value)}`).join(', ');
}
