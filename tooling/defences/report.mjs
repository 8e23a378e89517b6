/**
 * @typedef {{
 *   defence: import('./defences.mjs').Defence, result: import('./progress.mjs').Result | undefined,
 * }} DefenceResult `result`: undefined if nothing is proven
 */

/** At most this part of the defences may survive their removal. */
export const SURVIVORS_MAX = 0.05;

/**
 * Formats one line per defence, by area.
 *
 * @param {readonly DefenceResult[]} results
 */
export function tableOf(results) {
  const rows = [
    ['area', 'defence', 'result', 'seconds', 'test'],
    ...results.map(({ defence: { area, name }, result }) => [
      area,
      name,
      result?.kind ?? 'not proven',
      String(result?.seconds ?? ''),
      result?.by ?? '',
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * Judges the results: each defence is held by a test, or is a listed survivor and really survives.
 *
 * @param {readonly DefenceResult[]} results
 * @param {Readonly<Record<string, string>>} survivors the reasons by `area: name`
 * @returns {{ isPassed: boolean, lines: string[] }}
 */
export function verdictOf(results, survivors) {
  const kindOf = (/** @type {DefenceResult} */ { result }) => result?.kind ?? 'unproven';
  const titled = results.map((each) => ({ title: titleOf(each.defence), kind: kindOf(each) }));
  const isListed = (/** @type {string} */ title) => Object.hasOwn(survivors, title);
  const faults = titled.flatMap(({ title, kind }) => {
    if (kind === 'unproven') return [`not proven: ${title}`];
    if (kind === 'survived') return isListed(title) ? [] : [`no test fails without the defence: ${title}`];
    return isListed(title) ? [`a test now holds it, so remove it from survivors.mjs: ${title}`] : [];
  });
  const count = (/** @type {string} */ wanted) => titled.filter(({ kind }) => kind === wanted).length;
  const survived = titled.filter(({ kind, title }) => kind === 'survived' && isListed(title));
  return {
    isPassed: faults.length === 0,
    lines: [
      ...faults,
      ...survived.map(({ title }) => `survives: ${title}: ${survivors[title]}`),
      `${count('held')} of ${titled.length} defences held, ${count('survived')} survived, ${count('unproven')} not proven`,
    ],
  };
}

/** @param {Pick<import('./defences.mjs').Defence, 'area' | 'name'>} defence */
export const titleOf = ({ area, name }) => `${area}: ${name}`;
