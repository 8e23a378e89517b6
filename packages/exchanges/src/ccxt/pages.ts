/** Reads lists that are longer than one response. */

/** One page of a list, and the cursor of the next one; undefined after the last. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string | undefined;
}

/** A list longer than this is read by shorter time ranges, or is endless. */
const PAGES_MAX = 200;

/** Returns the items of all pages. */
export async function allPages<T>(
  fetchPage: (cursor: string | undefined) => Promise<Page<T>>,
): Promise<readonly T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const { items: more, next } = await fetchPage(cursor);
    items.push(...more);
    if (next === undefined || next === '' || next === cursor || more.length === 0) return items;
    cursor = next;
  }
  throw new Error(`more than ${PAGES_MAX} pages`);
}

/** The time ranges in which an exchange lists what happened. */
export interface TimeRanges {
  /** The longest range of a list, in milliseconds. */
  readonly spanMs: number;
  /** How far back lists reach, in milliseconds. */
  readonly historyMs: number;
}

/**
 * Returns the items of all time ranges from `since` until now, or of as many as the exchange keeps.
 * @param fetchRange `to` is inclusive
 */
export async function allRanges<T>(
  since: Date,
  { spanMs, historyMs }: TimeRanges,
  fetchRange: (from: Date, to: Date) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const items: T[] = [];
  const end = Date.now() + FUTURE_MS;
  for (let from = Math.max(since.getTime(), end - historyMs); from <= end; from += spanMs)
    items.push(...(await fetchRange(new Date(from), new Date(Math.min(end, from + spanMs - 1)))));
  return items;
}

/** The clock of the exchange may be ahead of ours. */
const FUTURE_MS = 60_000;
