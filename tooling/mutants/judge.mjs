/**
 * A mutant: one expression of a rules file, replaced.
 *
 * @typedef {{
 *   file: string, lineNumber: number, line: string, mutator: string, original: string, replacement: string,
 *   status: string,
 * }} Mutant `line`: the first line of the expression, without the space around it
 *
 * A survivor that is accepted, with the reason. `count`: how many equal mutants it stands for, if there are several.
 * @typedef {{
 *   file: string, line: string, mutator: string, original: string, replacement: string, count?: number, reason: string,
 * }} Accepted
 *
 * @typedef {{
 *   killed: number, survived: number, invalid: number,
 *   unlisted: readonly Mutant[], gone: readonly Accepted[], withoutReason: readonly Accepted[],
 * }} Judgement
 */

/** The largest share of the mutants of an area that may survive. */
const MAX_SURVIVING_SHARE = 0.05;

const KILLED = ['Killed', 'Timeout'];
const SURVIVED = ['Survived', 'NoCoverage'];
/** The product cannot even be loaded with such a mutant, so it says nothing about the tests. */
const INVALID = ['RuntimeError', 'CompileError'];

/**
 * Compares the mutants of a run with the accepted survivors.
 *
 * @param {readonly Mutant[]} mutants
 * @param {readonly Accepted[]} accepted the accepted survivors of the same files
 * @returns {Judgement}
 * @throws {RangeError} if a mutant has an unknown status
 */
export function judge(mutants, accepted) {
  const unknown = mutants.find(({ status }) => ![...KILLED, ...SURVIVED, ...INVALID].includes(status));
  if (unknown !== undefined)
    throw new RangeError(`A mutant must be killed or survive; got ${unknown.status}.`);
  const survivors = mutants.filter(({ status }) => SURVIVED.includes(status));
  const room = new Map(accepted.map((each) => [keyOf(each), each.count ?? 1]));
  const unlisted = survivors.filter((mutant) => {
    const count = room.get(keyOf(mutant)) ?? 0;
    if (count > 0) room.set(keyOf(mutant), count - 1);
    return count === 0;
  });
  return {
    killed: mutants.filter(({ status }) => KILLED.includes(status)).length,
    survived: survivors.length,
    invalid: mutants.filter(({ status }) => INVALID.includes(status)).length,
    unlisted,
    gone: accepted.filter((each) => room.get(keyOf(each)) !== 0),
    withoutReason: accepted.filter(({ reason }) => reason.trim() === ''),
  };
}

/** @param {Mutant | Accepted} mutant */
const keyOf = ({ file, line, mutator, original, replacement }) =>
  JSON.stringify([file, line, mutator, original, replacement]);

/**
 * Returns what is wrong with a run; empty if nothing is.
 *
 * @param {Judgement} judgement
 * @returns {string[]}
 */
export function problemsOf({ killed, survived, unlisted, gone, withoutReason }) {
  const share = survived / Math.max(killed + survived, 1);
  const problems = [
    ...unlisted.map(
      ({ file, lineNumber, mutator, original, replacement }) =>
        `SURVIVED ${file}:${lineNumber} ${mutator}: ${shortened(original)} → ${shortened(replacement)}`,
    ),
    ...gone.map(
      ({ file, line, original, replacement }) =>
        `LISTED BUT GONE ${file}: ${shortened(original)} → ${shortened(replacement)} in \`${line}\`. Remove it from survivors.json, or correct its count.`,
    ),
    ...withoutReason.map(
      ({ file, line }) => `WITHOUT A REASON ${file}: \`${line}\`. Say why it may survive.`,
    ),
  ];
  if (share > MAX_SURVIVING_SHARE)
    problems.push(`${percent(share)} of the mutants survive; at most ${percent(MAX_SURVIVING_SHARE)} may.`);
  return problems;
}

/** @param {number} share */
export const percent = (share) => `${(share * 100).toFixed(1)} %`;

/** @param {string} code */
function shortened(code) {
  const text = code.replaceAll(/\s+/g, ' ');
  return text.length > 90 ? `${text.slice(0, 90)}…` : text;
}

/**
 * Returns the unlisted survivors in the form of survivors.json, with an empty reason to fill in.
 *
 * @param {readonly Mutant[]} unlisted
 * @returns {Accepted[]}
 */
export function asAccepted(unlisted) {
  /** @type {Map<string, Accepted>} */
  const entries = new Map();
  for (const mutant of unlisted) {
    const { file, line, mutator, original, replacement } = mutant;
    const known = entries.get(keyOf(mutant));
    entries.set(keyOf(mutant), {
      ...{ file, line, mutator, original, replacement },
      ...(known === undefined ? {} : { count: (known.count ?? 1) + 1 }),
      reason: '',
    });
  }
  return [...entries.values()];
}
