import { type MarketSpec, SYMBOLS } from '../../engine/symbols.js';
import { findInterval, type Interval } from '../../market-data/intervals.js';

const CHANNELS = [
  'depth',
  'depth@100ms',
  'trade',
  'aggTrade',
  'ticker',
  'miniTicker',
  'bookTicker',
  'avgPrice',
] as const;
type Channel = (typeof CHANNELS)[number];

/** The streams of all markets at once. */
export const ALL_TICKERS = '!ticker@arr';
export const ALL_MINI_TICKERS = '!miniTicker@arr';

const PARTIAL_DEPTH = /^depth(5|10|20)(?:@(100ms|1000ms))?$/;

/** One market stream: `<symbol>@<channel>`, or a stream of all markets, which has no `spec`. */
export interface StreamName {
  readonly text: string;
  readonly spec?: MarketSpec;
  readonly channel: Channel | 'kline' | 'partialDepth' | typeof ALL_TICKERS | typeof ALL_MINI_TICKERS;
  /** Set only for `kline` streams. */
  readonly interval?: Interval;
  /** Set only for partial depth streams, which send the best `levels` of each side every `everyMs`. */
  readonly levels?: number;
  readonly everyMs?: 100 | 1_000;
}

/** Parses a stream name. Returns undefined if the stream is not supported; a subscription to it is refused. */
export function readStreamName(text: string): StreamName | undefined {
  if (text === ALL_TICKERS || text === ALL_MINI_TICKERS) return { text, channel: text };
  const at = text.indexOf('@');
  const spec = SYMBOLS.find(({ id }) => id.toLowerCase() === text.slice(0, at));
  if (at < 0 || spec === undefined) return undefined;
  const rest = text.slice(at + 1);
  const channel = CHANNELS.find((name) => name === rest);
  if (channel !== undefined) return { text, spec, channel };
  const [, levels, speed] = PARTIAL_DEPTH.exec(rest) ?? [];
  if (levels !== undefined) {
    const everyMs = speed === '100ms' ? 100 : 1_000;
    return { text, spec, channel: 'partialDepth', levels: Number(levels), everyMs };
  }
  const interval = rest.startsWith('kline_') ? findInterval(rest.slice('kline_'.length)) : undefined;
  return interval === undefined ? undefined : { text, spec, channel: 'kline', interval };
}
