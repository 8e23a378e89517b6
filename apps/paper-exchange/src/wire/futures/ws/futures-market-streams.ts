import { CONTRACTS, type ContractSpec, contractOf } from '../../../engine/futures/contracts.js';
import type { FuturesExchange } from '../../../engine/futures/futures-exchange.js';
import type { FuturesCommit } from '../../../engine/futures/futures-log.js';
import type { MarketHistories } from '../../../market-data/history.js';
import { bestOf } from '../../market-views.js';
import { DepthTracker } from '../../ws/depth-diff.js';
import { type HubStream, type KeyedStreams, StreamHub } from '../../ws/stream-hub.js';
import type { ConnectionRoute, Product } from '../../ws/stream-server.js';
import { klineEvent } from '../../ws/stream-views.js';
import { type FuturesStreamName, readFuturesStreamName } from './futures-stream-name.js';
import {
  type ContractEvents,
  contractAggregateEvent,
  contractTradeEvent,
  depthUpdate,
  forceOrderEvent,
} from './futures-stream-views.js';

const DEPTH_EVERY_MS = [100, 250, 500];
const MARK_EVERY_MS = [1_000, 3_000];
const TICKER_EVERY_MS = 1_000;
/** The base paths by which the venue separates its streams. Each of them serves all streams here. */
const BASE_PATH = /^\/(?:public|market|private)(?=\/)/;
/** Some clients number their connections in the path, which the venue ignores. */
const CONNECTION_NUMBER = /^\d{1,9}$/;

/** The names of the user events, of which a connection may select some. */
const USER_EVENTS: ReadonlySet<string> = new Set([
  'ORDER_TRADE_UPDATE',
  'ACCOUNT_UPDATE',
  'ALGO_UPDATE',
  'ACCOUNT_CONFIG_UPDATE',
  'MARGIN_CALL',
  'listenKeyExpired',
]);

interface Memory {
  /** Set only for depth streams. */
  readonly depth?: DepthTracker;
  /** Set only for kline streams: the `openAt` of the last candle that was sent. */
  sentOpenAt?: number;
}
type Stream = HubStream<FuturesStreamName, Memory>;

/** Serves the market streams of futures, and user streams by listen key, on `/ws` and `/stream` like the venue. */
export class FuturesMarketStreams {
  private readonly hub: StreamHub<FuturesStreamName, Memory>;
  private readonly sentBest = new Map<string, string>();
  private readonly timers: readonly NodeJS.Timeout[];

  constructor(
    private readonly futures: FuturesExchange,
    private readonly histories: MarketHistories,
    private readonly events: ContractEvents,
    private readonly keyedStreams: KeyedStreams,
  ) {
    this.hub = new StreamHub({
      readName: readFuturesStreamName,
      remember: (name) => this.remember(name),
      keyedStreams,
    });
    futures.onCommit((commit) => this.observe(commit));
    histories.onTrades(({ id }, trades, aggregates) => {
      const spec = contractOf(id);
      const at = events.now();
      for (const trade of trades)
        this.hub.publish(`${wireName(spec)}@trade`, () => contractTradeEvent(spec, trade, at));
      for (const aggregate of aggregates)
        this.hub.publish(`${wireName(spec)}@aggTrade`, () => contractAggregateEvent(spec, aggregate, at));
    });
    this.timers = [
      ...DEPTH_EVERY_MS.map((ms) => setInterval(() => this.publishDepth(ms), ms)),
      ...MARK_EVERY_MS.map((ms) => setInterval(() => this.publishMarks(ms), ms)),
      setInterval(() => this.publishTickers(), TICKER_EVERY_MS),
    ];
    for (const timer of this.timers) timer.unref();
  }

  /**
   * Returns the handler of a connection to `/ws/<stream>/<stream>`, `/ws?listenKey=<key>` or `/stream?streams=<streams>`,
   * also below `/public`, `/market` and `/private`. `events=<name>/<name>` selects user events. Without such a base path, and without a host in the path, the
   * connection belongs to spot unless it names a listen key of futures.
   */
  route(url: URL, product: Product | undefined): ConnectionRoute {
    const path = url.pathname.replace(BASE_PATH, '');
    if (!/^\/(ws|stream)(\/|$)/.test(path)) return undefined;
    const isCombined = path.startsWith('/stream');
    const listed = isCombined ? (url.searchParams.get('streams') ?? '') : path.slice('/ws/'.length);
    const names = [...listed.split('/'), url.searchParams.get('listenKey') ?? ''].filter(
      (name) => name !== '' && !CONNECTION_NUMBER.test(name),
    );
    const hasBase = path !== url.pathname;
    const isOwn = product === 'futures' || hasBase || names.some((name) => this.keyedStreams.has(name));
    if (!isOwn) return undefined;
    const options = [...url.searchParams.keys()].filter(
      (name) => name !== 'listenKey' && name !== 'events' && !(isCombined && name === 'streams'),
    );
    const events = url.searchParams.get('events')?.split('/');
    if (options.length > 0 || !names.every((name) => this.hub.isKnown(name))) return 'invalid';
    if (!(events ?? []).every((name) => USER_EVENTS.has(name))) return 'invalid';
    return (peer) => this.hub.attach(peer, isCombined, names, events && new Set(events));
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  private remember({ spec, channel }: FuturesStreamName): Memory {
    if (spec === undefined || channel !== 'depth') return {};
    const { futures } = this;
    return { depth: new DepthTracker(futures.book(spec).levels(), futures.depthVersion(spec)) };
  }

  /** Passes the changed books to the depth streams, and publishes changed best prices and liquidations. */
  private observe({ symbols, events }: FuturesCommit): void {
    const { futures } = this;
    for (const spec of CONTRACTS) {
      if (!symbols.has(spec.id)) continue;
      const depths = [...this.hub.all()].filter(
        ({ name, memory }) => name.spec?.id === spec.id && memory.depth !== undefined,
      );
      // Reading the levels is expensive.
      const levels = depths.length === 0 ? undefined : futures.book(spec).levels();
      if (levels !== undefined) for (const { memory } of depths) memory.depth?.observe(levels);
      this.publishBest(spec);
    }
    for (const event of events) {
      if (event.kind !== 'order' || event.report.execution !== 'CALCULATED') continue;
      const { order } = event.report;
      for (const text of [`${order.symbol.toLowerCase()}@forceOrder`, '!forceOrder@arr'])
        this.hub.publish(text, () => forceOrderEvent(order, this.events.now()));
    }
  }

  private publishBest(spec: ContractSpec): void {
    const texts = [`${wireName(spec)}@bookTicker`, '!bookTicker'];
    if (!texts.some((text) => this.hub.get(text) !== undefined)) return;
    const { bid, ask } = bestOf(this.futures, spec);
    const best = [...bid, ...ask].join(' ');
    if (this.sentBest.get(spec.id) === best) return;
    this.sentBest.set(spec.id, best);
    for (const text of texts) this.hub.publish(text, () => this.events.bookTicker(spec));
  }

  private publishDepth(everyMs: number): void {
    const { futures, events } = this;
    for (const stream of this.hub.all()) {
      const { spec, channel, levels = 0 } = stream.name;
      if (spec === undefined || stream.name.everyMs !== everyMs) continue;
      if (channel === 'depth') {
        const diff = stream.memory.depth?.take(futures.depthVersion(spec));
        if (diff !== undefined) this.hub.send(stream, depthUpdate(spec, diff, events.now()));
      } else if (channel === 'partialDepth') {
        const { bids, asks } = futures.book(spec).levels();
        const version = futures.depthVersion(spec);
        const diff = { firstVersion: version, lastVersion: version };
        const best = { bids: bids.slice(0, levels), asks: asks.slice(0, levels) };
        this.hub.send(stream, depthUpdate(spec, { ...diff, ...best }, events.now()));
      }
    }
  }

  private publishMarks(everyMs: number): void {
    for (const stream of this.hub.all()) {
      const { spec, channel } = stream.name;
      if (channel !== 'markPrice' || stream.name.everyMs !== everyMs) continue;
      const view = (one: ContractSpec) => this.events.markPrice(one);
      this.hub.send(stream, spec === undefined ? CONTRACTS.map(view) : view(spec));
    }
  }

  /** Publishes the tickers and the candles. */
  private publishTickers(): void {
    const at = this.events.now();
    for (const channel of ['ticker', 'miniTicker'] as const) {
      const event = (spec: ContractSpec) => this.events[channel](spec);
      this.hub.publish(`!${channel}@arr`, () => CONTRACTS.map(event));
      for (const spec of CONTRACTS) this.hub.publish(`${wireName(spec)}@${channel}`, () => event(spec));
    }
    for (const stream of this.hub.all()) this.publishCandles(stream, at);
  }

  /** Sends the current candle. If earlier candles ended since the last event, sends their final values first. */
  private publishCandles(stream: Stream, at: number): void {
    const { spec, interval } = stream.name;
    if (spec === undefined || interval === undefined) return;
    const candles = this.histories.of(spec).candles(interval, at);
    const firstOpenAt = stream.memory.sentOpenAt ?? candles.at(-1)?.openAt ?? at;
    for (const candle of candles)
      if (candle.openAt >= firstOpenAt) this.hub.send(stream, klineEvent(spec, interval, candle, at));
    const last = candles.at(-1);
    if (last !== undefined) stream.memory.sentOpenAt = last.openAt;
  }
}

function wireName({ id }: { readonly id: string }): string {
  return id.toLowerCase();
}
