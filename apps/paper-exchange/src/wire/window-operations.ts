import type { MarketSpec } from '../engine/symbols.js';
import { VENUE_ERRORS } from '../errors.js';
import { windowView } from './market-views.js';
import { type Operation, publicOperation, type VenueContext } from './operation.js';
import { isMiniTicker, symbolsOf } from './params.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WINDOW = /^(?:([1-9]|[1-5]\d)m|([1-9]|1\d|2[0-3])h|([1-7])d)$/;

/** Declares the statistics over a rolling window and over the trading day. Trades are kept for 24 hours. */
export function windowOperations({ exchange, histories, now }: VenueContext): Operation[] {
  const statistics = (params: URLSearchParams, startAt: number): object => {
    const isMini = isMiniTicker(params);
    if (!params.has('symbol') && !params.has('symbols')) throw VENUE_ERRORS.missingBoth('symbol', 'symbols');
    const { specs, isOne } = symbolsOf(params);
    const views = specs.map((spec: MarketSpec) =>
      windowView(exchange, spec, histories.of(spec), { startAt, now: now(), isMini }),
    );
    return isOne ? (views[0] ?? {}) : views;
  };
  return [
    publicOperation(
      'GET /api/v3/ticker',
      { params: ['symbol', 'symbols', 'windowSize', 'type'], socketMethod: 'ticker' },
      (params) => statistics(params, startOfMinute(now()) - windowMs(params) + MINUTE_MS),
    ),
    publicOperation(
      'GET /api/v3/ticker/tradingDay',
      { params: ['symbol', 'symbols', 'timeZone', 'type'], socketMethod: 'ticker.tradingDay' },
      (params) => statistics(params, startOfDay(now(), params)),
    ),
  ];
}

/** The venue's windows begin at whole minutes. */
function startOfMinute(at: number): number {
  return Math.floor(at / MINUTE_MS) * MINUTE_MS;
}

function windowMs(params: URLSearchParams): number {
  const match = WINDOW.exec(params.get('windowSize') ?? '1d');
  if (match === null) throw VENUE_ERRORS.invalidValue('windowSize');
  const [, minutes = '0', hours = '0', days = '0'] = match;
  return Number(minutes) * MINUTE_MS + Number(hours) * HOUR_MS + Number(days) * DAY_MS;
}

/** Days are those of UTC; another time zone is refused. */
function startOfDay(at: number, params: URLSearchParams): number {
  if (!['0', '0:00', '00:00', '+00:00'].includes(params.get('timeZone') ?? '0'))
    throw VENUE_ERRORS.invalidValue('timeZone');
  return Math.floor(at / DAY_MS) * DAY_MS;
}
