/** @param {import('./outcome.mjs').Outcome} outcome */
export function describeOutcome(outcome) {
  if (outcome.kind === 'found') return `found by ${outcome.by}`;
  return outcome.kind === 'missed' ? 'NOT FOUND' : `NOT FOUND: ${outcome.why}`;
}

/**
 * @param {number} foundCount
 * @param {number} count
 */
export const totalLine = (foundCount, count) => `${foundCount} of ${count} planted faults found`;
