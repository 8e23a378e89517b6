/** Below this ratio, the product sends a margin call. */
const CALL_BELOW = 1.25;
/** From this ratio on, a later margin call is a new one. */
const ENOUGH_FROM = 1.5;

export type MarginState = 'enough' | 'low' | 'call';

/** Judges a margin ratio as the margin calls do; undefined if it is not known. */
export function marginStateOf(ratio: string | undefined): MarginState | undefined {
  if (ratio === undefined) return undefined;
  const value = Number(ratio);
  if (value < CALL_BELOW) return 'call';
  return value < ENOUGH_FROM ? 'low' : 'enough';
}
