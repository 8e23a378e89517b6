import { CONTRACTS, type ContractSpec } from '../../../engine/futures/contracts.js';
import { findInterval, type Interval, SECOND } from '../../../market-data/intervals.js';

const CHANNELS = ['trade', 'aggTrade', 'ticker', 'miniTicker', 'bookTicker', 'forceOrder'] as const;
type Channel = (typeof CHANNELS)[number];
/** The streams of all contracts at once, and the streams of one contract whose events they contain. */
const ALL: Readonly<Record<string, Channel>> = {
  '!ticker@arr': 'ticker',
  '!miniTicker@arr': 'miniTicker',
  '!bookTicker': 'bookTicker',
  '!forceOrder@arr': 'forceOrder',
};
const MARK_PRICE = /^(?:!markPrice@arr|markPrice)(@1s)?$/;
const DEPTH = /^depth(5|10|20)?(?:@(100ms|250ms|500ms))?$/;

/** One market stream of futures: `<symbol>@<channel>`, or a stream of all contracts, which has no `spec`. */
export interface FuturesStreamName {
  readonly text: string;
  readonly spec?: ContractSpec;
  readonly channel: Channel | 'depth' | 'partialDepth' | 'markPrice' | 'kline';
  /** Set only for depth streams and mark price streams: the interval of their events. */
  readonly everyMs?: number;
  /** Set only for partial depth streams, which send the best `levels` of each side. */
  readonly levels?: number;
  /** Set only for `kline` streams. */
  readonly interval?: Interval;
}

/** Parses a stream name. Returns undefined if the stream is not supported; a subscription to it is refused. */
export function readFuturesStreamName(text: string): FuturesStreamName | undefined {
  const all = ALL[text];
  if (all !== undefined) return { text, channel: all };
  if (text.startsWith('!')) return readMarkPrice(text, text);
  const at = text.indexOf('@');
  const spec = CONTRACTS.find(({ id }) => id.toLowerCase() === text.slice(0, at));
  if (at < 0 || spec === undefined) return undefined;
  const rest = text.slice(at + 1);
  const channel = CHANNELS.find((name) => name === rest);
  if (channel !== undefined) return { text, spec, channel };
  const name = readMarkPrice(rest, text) ?? readDepth(rest, text) ?? readKline(rest, text);
  return name === undefined ? undefined : { ...name, spec };
}

function readMarkPrice(rest: string, text: string): FuturesStreamName | undefined {
  const match = MARK_PRICE.exec(rest);
  if (match === null || rest.startsWith('!') !== text.startsWith('!')) return undefined;
  return { text, channel: 'markPrice', everyMs: match[1] === undefined ? 3_000 : 1_000 };
}

function readDepth(rest: string, text: string): FuturesStreamName | undefined {
  const match = DEPTH.exec(rest);
  if (match === null) return undefined;
  const [, levels, speed = '250ms'] = match;
  const everyMs = Number.parseInt(speed, 10);
  return levels === undefined
    ? { text, channel: 'depth', everyMs }
    : { text, channel: 'partialDepth', everyMs, levels: Number(levels) };
}

function readKline(rest: string, text: string): FuturesStreamName | undefined {
  const interval = rest.startsWith('kline_') ? findInterval(rest.slice('kline_'.length)) : undefined;
  return interval === undefined || interval.name === SECOND.name
    ? undefined
    : { text, channel: 'kline', interval };
}
