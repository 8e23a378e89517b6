/** Computes the figures of `dashboard.mjs` from what a browser reports. */
import { quantile } from './rest-load.mjs';

/** Two shifts with a shorter gap belong to the same window, which has a maximum length. As the web vital is defined. */
const SHIFT_GAP_MS = 1_000;
const SHIFT_WINDOW_MS = 5_000;
/** A browser reports no event that took less. */
export const SHORTEST_EVENT_MS = 16;

/**
 * Returns the cumulative layout shift: the largest sum of the shifts of one window.
 *
 * @param {readonly { at: number, value: number }[]} shifts in order; without those that an input caused
 */
export function layoutShiftOf(shifts) {
  let [largest, sum, startedAt, lastAt] = [0, 0, 0, Number.NEGATIVE_INFINITY];
  for (const { at, value } of shifts) {
    if (at - lastAt >= SHIFT_GAP_MS || at - startedAt >= SHIFT_WINDOW_MS) [sum, startedAt] = [0, at];
    sum += value;
    lastAt = at;
    largest = Math.max(largest, sum);
  }
  return largest;
}

/**
 * Returns the interaction to next paint: the longest event of the slowest interaction.
 *
 * @param {readonly { interactionId: number, duration: number }[]} events
 */
export const slowestInteractionOf = (events) =>
  Math.max(
    SHORTEST_EVENT_MS,
    ...events.filter(({ interactionId }) => interactionId > 0).map(({ duration }) => duration),
  );

/**
 * Adds the sizes of scripts: those that were requested until an instant, and those that were requested later.
 *
 * @param {readonly { requestedAt: number, bytes: number }[]} scripts
 * @param {number} until
 */
export function scriptSizesOf(scripts, until) {
  const sumOf = (some) => some.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    first: sumOf(scripts.filter(({ requestedAt }) => requestedAt <= until)),
    later: sumOf(scripts.filter(({ requestedAt }) => requestedAt > until)),
  };
}

export const median = (values) => quantile(values, 0.5);

/**
 * Returns the median of a page, that of the empty page, and the median of the ratios of the rounds.
 *
 * @param {readonly { page: number, empty: number }[]} rounds
 */
export const compare = (rounds) => ({
  page: median(rounds.map(({ page }) => page)),
  empty: median(rounds.map(({ empty }) => empty)),
  ratio: median(rounds.map(({ page, empty }) => page / empty)),
});

/**
 * Returns the median of a page, that of the empty page, and their ratio. All visits of the empty page in the run count, because
 * one of them may take half as long again as the next.
 *
 * @param {readonly number[]} pages
 * @param {readonly number[]} empties
 */
export function compareWithAll(pages, empties) {
  const [page, empty] = [median(pages), median(empties)];
  return { page, empty, ratio: page / empty };
}

/**
 * Returns the line of a figure, and whether it keeps its limit.
 *
 * @typedef {{
 *   name: string, value: number, limit: number, isMinimum?: boolean, digits?: number, unit?: string, note?: string,
 * }} Figure `note`: for example the times beside a ratio
 *
 * @param {Figure} figure
 */
export function judge({ name, value, limit, isMinimum = false, digits = 2, unit = '', note = '' }) {
  const isMet = isMinimum ? value >= limit : value <= limit;
  const text = `${value.toFixed(digits)}${unit}${note === '' ? '' : ` (${note})`}`;
  const sign = isMinimum ? '≥' : '≤';
  return { isMet, line: `${name}: ${text}, limit ${sign} ${limit}${unit}: ${isMet ? 'met' : 'missed'}` };
}
