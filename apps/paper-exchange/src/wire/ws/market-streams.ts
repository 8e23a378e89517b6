import type { Commit, Exchange } from '../../engine/exchange.js';
import { type MarketSpec, SYMBOLS } from '../../engine/symbols.js';
import type { MarketHistories } from '../../market-data/history.js';
import { averageView, bestOf, dayView } from '../market-views.js';
import { DepthTracker } from './depth-diff.js';
import type { ListenKeyStreams } from './listen-key-streams.js';
import type { Peer } from './peer.js';
import { ALL_MINI_TICKERS, ALL_TICKERS, readStreamName, type StreamName } from './stream-name.js';
import { runStreamRequest } from './stream-requests.js';
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
import type { UserSubscription } from './user-subscription.js';

const FAST_DEPTH_EVERY_MS = 100;
const SLOW_EVENTS_EVERY_MS = 1_000;
/** Some clients number their connections in the path, which the venue ignores. */
const CONNECTION_NUMBER = /^\d{1,9}$/;

export interface MarketStreamsOptions {
  readonly exchange: Exchange;
  readonly histories: MarketHistories;
  readonly listenKeyStreams: ListenKeyStreams;
  readonly now: () => number;
}

/** A connection and its subscriptions. A combined connection gets the name of the stream with each event. */
interface Subscriber {
  readonly peer: Peer;
  readonly isCombined: boolean;
  readonly names: Set<string>;
  /** The subscriptions to user events, by listen key. */
  readonly users: Map<string, UserSubscription>;
}

/** A stream with at least one subscriber. */
interface Stream {
  readonly name: StreamName;
  readonly subscribers: Set<Subscriber>;
  /** Set only for depth streams. */
  readonly depth?: DepthTracker;
  /** Set only for kline streams: the `openAt` of the last candle that was sent. */
  sentOpenAt?: number;
  /** Set only for book ticker streams: the last best prices that were sent. */
  sentBest?: string;
}

/** Serves the market streams on `/ws` and `/stream`, like the venue. A stream without subscribers has no events. */
export class MarketStreams {
  private readonly streams = new Map<string, Stream>();
  private readonly timers: readonly NodeJS.Timeout[];

  private readonly exchange: Exchange;
  private readonly histories: MarketHistories;
  private readonly now: () => number;

  constructor(private readonly options: MarketStreamsOptions) {
    const { exchange, histories, now } = options;
    this.exchange = exchange;
    this.histories = histories;
    this.now = now;
    exchange.onCommit((commit) => this.observeBooks(commit));
    histories.onTrades((spec, trades, aggregates) => {
      for (const trade of trades) {
        this.publish(`${wireName(spec)}@trade`, () => tradeEvent(spec, trade, now()));
      }
      for (const aggregate of aggregates) {
        this.publish(`${wireName(spec)}@aggTrade`, () => aggregateEvent(spec, aggregate, now()));
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
    if (!isMilliseconds || !names.every((name) => this.isKnown(name))) return 'invalid';
    return (peer) => this.attach(peer, isCombined, names);
  }

  private attach(peer: Peer, isCombined: boolean, names: readonly string[]): void {
    const subscriber: Subscriber = { peer, isCombined, names: new Set(), users: new Map() };
    const subscriptions = {
      names: subscriber.names,
      isKnown: (name: string) => this.isKnown(name),
      subscribe: (name: string) => this.subscribe(subscriber, name),
      unsubscribe: (name: string) => this.unsubscribe(subscriber, name),
    };
    for (const name of names) this.subscribe(subscriber, name);
    peer.onMessage((message) => peer.send(runStreamRequest(subscriptions, message)));
    peer.onClose(() => {
      for (const name of subscriber.names) this.unsubscribe(subscriber, name);
    });
  }

  private isKnown(name: string): boolean {
    return readStreamName(name) !== undefined || this.options.listenKeyStreams.has(name);
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  private subscribe(subscriber: Subscriber, text: string): void {
    if (subscriber.names.has(text)) return;
    subscriber.names.add(text);
    const name = readStreamName(text);
    if (name !== undefined) this.streamOf(name).subscribers.add(subscriber);
    else this.subscribeUser(subscriber, text);
  }

  private subscribeUser(subscriber: Subscriber, listenKey: string): void {
    const { peer, isCombined, users } = subscriber;
    const envelope = (event: object) => (isCombined ? { stream: listenKey, data: event } : event);
    const user = this.options.listenKeyStreams.subscribe(listenKey, peer, envelope);
    if (user !== undefined) users.set(listenKey, user);
  }

  private unsubscribe(subscriber: Subscriber, text: string): void {
    subscriber.names.delete(text);
    const user = subscriber.users.get(text);
    if (user !== undefined) this.options.listenKeyStreams.drop(user);
    subscriber.users.delete(text);
    const stream = this.streams.get(text);
    stream?.subscribers.delete(subscriber);
    if (stream?.subscribers.size === 0) this.streams.delete(text);
  }

  private streamOf(name: StreamName): Stream {
    const existing = this.streams.get(name.text);
    if (existing !== undefined) return existing;
    const { exchange } = this;
    const { spec, channel } = name;
    const depth =
      spec !== undefined && (channel === 'depth' || channel === 'depth@100ms')
        ? new DepthTracker(exchange.book(spec).levels(), exchange.depthVersion(spec))
        : undefined;
    const stream = { name, subscribers: new Set<Subscriber>(), ...(depth === undefined ? {} : { depth }) };
    this.streams.set(name.text, stream);
    return stream;
  }

  /** Passes the changed books to the depth streams and publishes changed best prices. */
  private observeBooks(commit: Commit): void {
    for (const spec of SYMBOLS) {
      if (!commit.symbols.has(spec.id)) continue;
      for (const channel of ['depth', 'depth@100ms']) {
        this.streams.get(`${wireName(spec)}@${channel}`)?.depth?.observe(this.exchange.book(spec).levels());
      }
      this.publishBest(spec);
    }
  }

  private publishBest(spec: MarketSpec): void {
    const stream = this.streams.get(`${wireName(spec)}@bookTicker`);
    if (stream === undefined) return;
    const { bid, ask } = bestOf(this.exchange, spec);
    const best = [...bid, ...ask].join(' ');
    if (best === stream.sentBest) return;
    stream.sentBest = best;
    const u = this.exchange.depthVersion(spec);
    this.sendToSubscribers(stream, { u, s: spec.id, b: bid[0], B: bid[1], a: ask[0], A: ask[1] });
  }

  private publishDepth(channel: string): void {
    for (const spec of SYMBOLS) {
      const stream = this.streams.get(`${wireName(spec)}@${channel}`);
      const diff = stream?.depth?.take(this.exchange.depthVersion(spec));
      if (stream !== undefined && diff !== undefined)
        this.sendToSubscribers(stream, depthEvent(spec, diff, this.now()));
    }
  }

  private publishFastDepth(): void {
    this.publishDepth('depth@100ms');
    this.publishPartialDepth(FAST_DEPTH_EVERY_MS);
  }

  /** Sends the best levels of each side, changed or not. */
  private publishPartialDepth(everyMs: number): void {
    for (const stream of this.streams.values()) {
      const { spec, levels, everyMs: streamEveryMs } = stream.name;
      if (spec === undefined || levels === undefined || streamEveryMs !== everyMs) continue;
      const version = this.exchange.depthVersion(spec);
      this.sendToSubscribers(
        stream,
        partialDepthEvent(spec, this.exchange.book(spec).levels(), levels, version),
      );
    }
  }

  /** Publishes the streams that have an event each second: depth, tickers and candles. */
  private publishSlowEvents(): void {
    this.publishDepth('depth');
    this.publishPartialDepth(SLOW_EVENTS_EVERY_MS);
    const dayOf = (spec: MarketSpec) => dayView(this.exchange, spec, this.histories.of(spec), this.now());
    this.publish(ALL_TICKERS, () => SYMBOLS.map((spec) => tickerEvent(dayOf(spec), this.now())));
    this.publish(ALL_MINI_TICKERS, () => SYMBOLS.map((spec) => miniTickerEvent(dayOf(spec), this.now())));
    for (const spec of SYMBOLS) {
      const day = () => dayOf(spec);
      this.publish(`${wireName(spec)}@avgPrice`, () =>
        averageEvent(spec, averageView(this.exchange, spec, this.histories.of(spec), this.now()), this.now()),
      );
      this.publish(`${wireName(spec)}@ticker`, () => tickerEvent(day(), this.now()));
      this.publish(`${wireName(spec)}@miniTicker`, () => miniTickerEvent(day(), this.now()));
    }
    for (const stream of this.streams.values()) this.publishCandle(stream);
  }

  /** Sends the current candle. If earlier candles ended since the last event, sends their final values first. */
  private publishCandle(stream: Stream): void {
    const { spec, interval } = stream.name;
    if (spec === undefined || interval === undefined) return;
    const at = this.now();
    const candles = this.histories.of(spec).candles(interval, at);
    const firstOpenAt = stream.sentOpenAt ?? candles.at(-1)?.openAt ?? at;
    for (const candle of candles) {
      if (candle.openAt >= firstOpenAt)
        this.sendToSubscribers(stream, klineEvent(spec, interval, candle, at));
    }
    const last = candles.at(-1);
    if (last !== undefined) stream.sentOpenAt = last.openAt;
  }

  private publish(text: string, event: () => object): void {
    const stream = this.streams.get(text);
    if (stream !== undefined) this.sendToSubscribers(stream, event());
  }

  private sendToSubscribers({ name, subscribers }: Stream, event: object): void {
    const raw = JSON.stringify(event);
    for (const { peer, isCombined } of subscribers) {
      peer.send(isCombined ? `{"stream":${JSON.stringify(name.text)},"data":${raw}}` : raw);
    }
  }
}

function wireName(spec: MarketSpec): string {
  return spec.id.toLowerCase();
}
