/**
 * Judges how much time regular expressions can take: reads a JSON array of `{source, flags}`, and writes one of strings; null
 * for an expression that takes linear time. `regular-expressions.mjs` starts it.
 *
 * The checker analyses an automaton of an expression. For features that an automaton lacks (assertions, large
 * repetitions), it searches for slow inputs with a fixed seed.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The entry point of the checker that is JavaScript alone and starts no process. */
const { checkSync } = /** @type {typeof import('recheck')} */ (
  createRequire(import.meta.url)('recheck/lib/browser.js')
);

/** Without these characters, an expression repeats nothing. */
const REPETITION = /[*+{]/;
/** Repetitions of a range of lengths, whose automaton grows with their product. */
const RANGE = /\{(\d{1,4}),(\d{1,4})\}/g;
const RANGE_MAX = 16;
/** Not reached by any expression on an idle machine; the result of an analysis does not depend on it. */
const TIMEOUT_MS = 60_000;

/** @returns {string | undefined} undefined if the expression takes linear time */
function complexityOf(/** @type {{ source: string, flags: string }} */ { source, flags }) {
  if (!REPETITION.test(source)) return undefined;
  const ranges = [...source.matchAll(RANGE)].filter(([, min, max]) => Number(max) - Number(min) > RANGE_MAX);
  const isLarge = ranges.length > 1;
  // The second checker is for expressions that the first one cannot read.
  for (const checker of /** @type {const} */ (isLarge ? ['fuzz'] : ['automaton', 'fuzz'])) {
    const result = judge(source, flags, checker);
    if (result === 'unreadable') continue;
    return result;
  }
  return 'not readable by the checker';
}

/** @returns {string | undefined} */
function judge(
  /** @type {string} */ source,
  /** @type {string} */ flags,
  /** @type {'automaton' | 'fuzz'} */ checker,
) {
  let result;
  try {
    result = checkSync(source, flags, { checker, timeout: TIMEOUT_MS, randomSeed: 1 });
  } catch {
    // An automaton with very many states overflows the stack.
    return 'unreadable';
  }
  if (result.status === 'safe') return undefined;
  if (result.status === 'unknown')
    return result.error.kind === 'unsupported' ? 'unreadable' : result.error.kind;
  const { complexity } = result;
  return complexity.type === 'polynomial' ? `polynomial of degree ${complexity.degree}` : complexity.type;
}

/** @type {{ source: string, flags: string }[]} */
const expressions = JSON.parse(readFileSync(process.stdin.fd, 'utf8'));
process.stdout.write(JSON.stringify(expressions.map((each) => complexityOf(each) ?? null)));
