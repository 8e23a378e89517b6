import type { Commit, Exchange } from '../../engine/exchange.js';
import { type MarketSpec, SYMBOLS } from '../../engine/symbols.js';
import type { MarketHistories } from '../../market-data/history.js';
import { averageView, bestOf, dayView } from '../market-views.js';
import { DepthTracker } from './depth-diff.js';
import { type HubStream, type KeyedStreams, StreamHub } from './stream-hub.js';
import { ALL_MINI_TICKERS, ALL_TICKERS, readStreamName, type StreamName } from './stream-name.js';
import type { ConnectionRoute } from './stream-server.js';
import {
  aggregateEvent,
  averageEvent,
  depthEvent,
  klineEvent,
  miniTickerEvent,
  partialDepthEvent,
  tickerEvent,
  tradeEvent,
} from './stream-views.js';

const FAST_DEPTH_EVERY_MS = 100;
const SLOW_EVENTS_EVERY_MS = 1_000;
/** Some clients number their connections in the path, which the venue ignores. */
const CONNECTION_NUMBER = /^\d{1,9}$/;

export interface MarketStreamsOptions {
  readonly exchange: Exchange;
  readonly histories: MarketHistories;
  readonly listenKeyStreams: KeyedStreams;
  readonly now: () => number;
}

/** What is remembered about a stream between its events. */
interface Memory {
  /** Set only for depth streams. */
  readonly depth?: DepthTracker;
  /** Set only for kline streams: the `openAt` of the last candle that was sent. */
  sentOpenAt?: number;
  /** Set only for book ticker streams: the last best prices that were sent. */
  sentBest?: string;
}
type Stream = HubStream<StreamName, Memory>;

/** Serves the market streams on `/ws` and `/stream`, like the venue. A stream without subscribers has no events. */
export class MarketStreams {
  private readonly hub: StreamHub<StreamName, Memory>;
  private readonly timers: readonly NodeJS.Timeout[];

  private readonly exchange: Exchange;
  private readonly histories: MarketHistories;
  private readonly now: () => number;

  constructor({ exchange, histories, listenKeyStreams, now }: MarketStreamsOptions) {
    this.hub = new StreamHub({
      readName: readStreamName,
      remember: (name) => this.remember(name),
      keyedStreams: listenKeyStreams,
    });
    this.exchange = exchange;
    this.histories = histories;
    this.now = now;
    exchange.onCommit((commit) => this.observeBooks(commit));
    histories.onTrades((spec, trades, aggregates) => {
      for (const trade of trades) {
        this.hub.publish(`${wireName(spec)}@trade`, () => tradeEvent(spec, trade, now()));
      }
      for (const aggregate of aggregates) {
        this.hub.publish(`${wireName(spec)}@aggTrade`, () => aggregateEvent(spec, aggregate, now()));
      }
    });
    this.timers = [
      setInterval(() => this.publishFastDepth(), FAST_DEPTH_EVERY_MS),
      setInterval(() => this.publishSlowEvents(), SLOW_EVENTS_EVERY_MS),
    ];
    for (const timer of this.timers) timer.unref();
  }

  /**
   * Returns the handler of a connection to `/ws/<stream>/<stream>` or `/stream?streams=<stream>/<stream>`. The client can
   * subscribe to more streams by SUBSCRIBE requests. Returns `invalid` for an unknown stream or an unsupported option.
   */
  route(url: URL): ConnectionRoute {
    if (!/^\/(ws|stream)(\/|$)/.test(url.pathname)) return undefined;
    const isCombined = url.pathname.startsWith('/stream');
    const path = isCombined ? (url.searchParams.get('streams') ?? '') : url.pathname.slice('/ws/'.length);
    const names = path.split('/').filter((name) => name !== '' && !CONNECTION_NUMBER.test(name));
    const options = [...url.searchParams.keys()].filter((name) => !(isCombined && name === 'streams'));
    const isMilliseconds =
      options.every((name) => name === 'timeUnit') &&
      (url.searchParams.get('timeUnit') ?? 'MILLISECOND').toUpperCase() === 'MILLISECOND';
    if (!isMilliseconds || !names.every((name) => this.hub.isKnown(name))) return 'invalid';
    return (peer) => this.hub.attach(peer, isCombined, names);
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  private remember({ spec, channel }: StreamName): Memory {
    if (spec === undefined || (channel !== 'depth' && channel !== 'depth@100ms')) return {};
    const { exchange } = this;
    return { depth: new DepthTracker(exchange.book(spec).levels(), exchange.depthVersion(spec)) };
  }

  /** Passes the changed books to the depth streams and publishes changed best prices. */
  private observeBooks(commit: Commit): void {
    for (const spec of SYMBOLS) {
      if (!commit.symbols.has(spec.id)) continue;
      for (const channel of ['depth', 'depth@100ms']) {
        this.hub
          .get(`${wireName(spec)}@${channel}`)
          ?.memory.depth?.observe(this.exchange.book(spec).levels());
      }
      this.publishBest(spec);
    }
  }

  private publishBest(spec: MarketSpec): void {
    const stream = this.hub.get(`${wireName(spec)}@bookTicker`);
    if (stream === undefined) return;
    const { bid, ask } = bestOf(this.exchange, spec);
    const best = [...bid, ...ask].join(' ');
    if (best === stream.memory.sentBest) return;
    stream.memory.sentBest = best;
    const u = this.exchange.depthVersion(spec);
    this.hub.send(stream, { u, s: spec.id, b: bid[0], B: bid[1], a: ask[0], A: ask[1] });
  }

  private publishDepth(channel: string): void {
    for (const spec of SYMBOLS) {
      const stream = this.hub.get(`${wireName(spec)}@${channel}`);
      const diff = stream?.memory.depth?.take(this.exchange.depthVersion(spec));
      if (stream !== undefined && diff !== undefined)
        this.hub.send(stream, depthEvent(spec, diff, this.now()));
    }
  }

  private publishFastDepth(): void {
    this.publishDepth('depth@100ms');
    this.publishPartialDepth(FAST_DEPTH_EVERY_MS);
  }

  /** Sends the best levels of each side, changed or not. */
  private publishPartialDepth(everyMs: number): void {
    for (const stream of this.hub.all()) {
      const { spec, levels, everyMs: streamEveryMs } = stream.name;
      if (spec === undefined || levels === undefined || streamEveryMs !== everyMs) continue;
      const version = this.exchange.depthVersion(spec);
      this.hub.send(stream, partialDepthEvent(spec, this.exchange.book(spec).levels(), levels, version));
    }
  }

  /** Publishes the streams that have an event each second: depth, tickers and candles. */
  private publishSlowEvents(): void {
    this.publishDepth('depth');
    this.publishPartialDepth(SLOW_EVENTS_EVERY_MS);
    const dayOf = (spec: MarketSpec) => dayView(this.exchange, spec, this.histories.of(spec), this.now());
    this.hub.publish(ALL_TICKERS, () => SYMBOLS.map((spec) => tickerEvent(dayOf(spec), this.now())));
    this.hub.publish(ALL_MINI_TICKERS, () => SYMBOLS.map((spec) => miniTickerEvent(dayOf(spec), this.now())));
    for (const spec of SYMBOLS) {
      const day = () => dayOf(spec);
      this.hub.publish(`${wireName(spec)}@avgPrice`, () =>
        averageEvent(spec, averageView(this.exchange, spec, this.histories.of(spec), this.now()), this.now()),
      );
      this.hub.publish(`${wireName(spec)}@ticker`, () => tickerEvent(day(), this.now()));
      this.hub.publish(`${wireName(spec)}@miniTicker`, () => miniTickerEvent(day(), this.now()));
    }
    for (const stream of this.hub.all()) this.publishCandle(stream);
  }

  /** Sends the current candle. If earlier candles ended since the last event, sends their final values first. */
  private publishCandle(stream: Stream): void {
    const { spec, interval } = stream.name;
    if (spec === undefined || interval === undefined) return;
    const at = this.now();
    const candles = this.histories.of(spec).candles(interval, at);
    const firstOpenAt = stream.memory.sentOpenAt ?? candles.at(-1)?.openAt ?? at;
    for (const candle of candles) {
      if (candle.openAt >= firstOpenAt) this.hub.send(stream, klineEvent(spec, interval, candle, at));
    }
    const last = candles.at(-1);
    if (last !== undefined) stream.memory.sentOpenAt = last.openAt;
  }
}

function wireName(spec: MarketSpec): string {
  return spec.id.toLowerCase();
}
