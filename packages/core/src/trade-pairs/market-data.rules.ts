import { CANDLES_DEFAULT, CANDLES_MAX, type Decimal, DomainError } from '@trading-automation/contracts';
import { BigDecimal, roundToStep } from '../values/index.js';

/** Returns the change from one price to another in percent, with two decimals; null if one of them is unknown. */
export function changePercent(from: Decimal | null, to: Decimal | null): Decimal | null {
  if (from === null || to === null) return null;
  const percent = new BigDecimal(to).minus(from).div(from).times(100);
  return roundToStep(percent, '0.01');
}

/**
 * Returns the opening times of the first candle of a range and of the first candle after it, in Unix milliseconds. The
 * default range ends now.
 *
 * @param candleMs length of a candle
 * @throws {DomainError} `invalid_query` if the range has too many candles
 */
export function candleRange(
  candleMs: number,
  query: { readonly from?: string | undefined; readonly to?: string | undefined },
  nowMs: number,
): { readonly from: number; readonly to: number } {
  const toMs = query.to === undefined ? nowMs : Date.parse(query.to);
  const fromMs = query.from === undefined ? toMs - CANDLES_DEFAULT * candleMs : Date.parse(query.from);
  const from = Math.max(0, Math.floor(fromMs / candleMs) * candleMs);
  const to = Math.ceil(toMs / candleMs) * candleMs;
  const count = (to - from) / candleMs;
  if (count <= CANDLES_MAX) return { from, to };
  const message = `The range has ${count} candles; a response has at most ${CANDLES_MAX}. Choose a later from, an earlier to, or a longer interval.`;
  throw new DomainError('invalid_query', undefined, [{ field: 'from', code: 'range_is_too_long', message }]);
}
