import { type MarketSpec, SYMBOLS } from '../../engine/symbols.js';
import { findInterval, type Interval } from '../../market-data/intervals.js';

const CHANNELS = ['depth', 'depth@100ms', 'trade', 'aggTrade', 'ticker', 'miniTicker', 'bookTicker'] as const;
type Channel = (typeof CHANNELS)[number];

/** One market stream, named `<symbol>@<channel>`. */
export interface StreamName {
  readonly text: string;
  readonly spec: MarketSpec;
  readonly channel: Channel | 'kline';
  /** Set only for `kline` streams. */
  readonly interval?: Interval;
}

/**
 * Parses a stream name. Returns undefined if the stream is not supported. As at the venue, a subscription to an
 * unsupported stream succeeds but gets no events.
 */
export function readStreamName(text: string): StreamName | undefined {
  const at = text.indexOf('@');
  const spec = SYMBOLS.find(({ id }) => id.toLowerCase() === text.slice(0, at));
  if (at < 0 || spec === undefined) return undefined;
  const rest = text.slice(at + 1);
  const channel = CHANNELS.find((name) => name === rest);
  if (channel !== undefined) return { text, spec, channel };
  const interval = rest.startsWith('kline_') ? findInterval(rest.slice('kline_'.length)) : undefined;
  return interval === undefined ? undefined : { text, spec, channel: 'kline', interval };
}
