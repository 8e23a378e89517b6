/** What the dialog that retries many dead letters says about their number. */

/** One request retries at most this many, oldest first. */
export const RETRIED_MAX = 10_000;

export const lettersOf = (count: number) => (count === 1 ? '1 dead letter' : `${count} dead letters`);

/** Says how many pending dead letters a retry would send. */
export function matchWords(count: number): string {
  if (count === 0) return 'No pending dead letter matches.';
  const words = count === 1 ? '1 pending dead letter matches.' : `${count} pending dead letters match.`;
  return count > RETRIED_MAX ? `${words} The oldest ${RETRIED_MAX} are retried first.` : words;
}

/** The label of the button that retries them; undefined `count`: it is not known. */
export function retryLabel(count: number | undefined): string {
  return count === undefined || count === 0
    ? 'Retry matching'
    : `Retry ${lettersOf(Math.min(count, RETRIED_MAX))}`;
}

export const uncountedWords = (isFailed: boolean): string =>
  isFailed ? 'The matching dead letters could not be counted.' : 'Counting';
