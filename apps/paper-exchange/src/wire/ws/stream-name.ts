import { SYMBOLS, type SymbolSpec } from '../../engine/symbols.js';
import { findInterval, type Interval } from '../../market-data/intervals.js';

const CHANNELS = ['depth', 'depth@100ms', 'trade', 'aggTrade', 'ticker', 'miniTicker', 'bookTicker'] as const;
type Channel = (typeof CHANNELS)[number];

/** One market stream, named `<symbol>@<channel>`. */
export interface StreamName {
  readonly text: string;
  readonly spec: SymbolSpec;
  readonly channel: Channel | 'kline';
  /** `kline` streams only. */
  readonly interval?: Interval;
}

/** Parses a stream name; undefined if unsupported. As at the venue, such a subscription succeeds and stays silent. */
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
