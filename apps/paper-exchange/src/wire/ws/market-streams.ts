import { z } from 'zod';
import type { Commit, Exchange } from '../../engine/exchange.js';
import { type MarketSpec, SYMBOLS } from '../../engine/symbols.js';
import type { MarketHistories } from '../../market-data/history.js';
import { bestOf, dayView } from '../market-views.js';
import { DepthTracker } from './depth-diff.js';
import type { Peer } from './peer.js';
import { readStreamName, type StreamName } from './stream-name.js';
import {
  aggregateEvent,
  depthEvent,
  klineEvent,
  miniTickerEvent,
  tickerEvent,
  tradeEvent,
} from './stream-views.js';

const MAX_STREAMS_PER_CONNECTION = 1_024;
const FAST_DEPTH_EVERY_MS = 100;
const SLOW_EVENTS_EVERY_MS = 1_000;

const Request = z.object({
  method: z.enum(['SUBSCRIBE', 'UNSUBSCRIBE', 'LIST_SUBSCRIPTIONS']),
  params: z.array(z.string().max(100)).max(MAX_STREAMS_PER_CONNECTION).default([]),
  id: z.union([z.int(), z.string().max(36), z.null()]),
});

/** A connection and its subscriptions. A combined connection gets the name of the stream with each event. */
interface Subscriber {
  readonly peer: Peer;
  readonly isCombined: boolean;
  readonly names: Set<string>;
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

  constructor(
    private readonly exchange: Exchange,
    private readonly histories: MarketHistories,
    private readonly now: () => number,
  ) {
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
      setInterval(() => this.publishDepth('depth@100ms'), FAST_DEPTH_EVERY_MS),
      setInterval(() => this.publishSlowEvents(), SLOW_EVENTS_EVERY_MS),
    ];
    for (const timer of this.timers) timer.unref();
  }

  /**
   * Serves a connection to `/ws/<stream>/<stream>` or `/stream?streams=<stream>/<stream>`. The client can subscribe to
   * more streams by SUBSCRIBE requests.
   */
  attach(peer: Peer, url: URL): void {
    const isCombined = url.pathname.startsWith('/stream');
    const subscriber: Subscriber = { peer, isCombined, names: new Set() };
    const initial = isCombined ? (url.searchParams.get('streams') ?? '') : url.pathname.slice('/ws/'.length);
    for (const name of initial.split('/').filter(Boolean)) this.subscribe(subscriber, name);
    peer.onMessage((message) => peer.send(this.handleRequest(subscriber, message)));
    peer.onClose(() => {
      for (const name of subscriber.names) this.unsubscribe(subscriber, name);
    });
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  private handleRequest(subscriber: Subscriber, message: unknown): object {
    const request = Request.safeParse(message);
    if (!request.success) {
      const { path, message: problem } = request.error.issues[0] ?? { path: [], message: 'malformed' };
      return { error: { code: 2, msg: `Invalid request: ${[...path, problem].join(' ')}` }, id: null };
    }
    const { method, params, id } = request.data;
    if (method === 'LIST_SUBSCRIPTIONS') return { result: [...subscriber.names], id };
    for (const name of params) {
      if (method === 'UNSUBSCRIBE') this.unsubscribe(subscriber, name);
      else if (!this.subscribe(subscriber, name)) return { error: { code: 3, msg: 'Too many streams' }, id };
    }
    return { result: null, id };
  }

  private subscribe(subscriber: Subscriber, text: string): boolean {
    if (!subscriber.names.has(text) && subscriber.names.size >= MAX_STREAMS_PER_CONNECTION) return false;
    subscriber.names.add(text);
    const name = readStreamName(text);
    if (name !== undefined) this.streamOf(name).subscribers.add(subscriber);
    return true;
  }

  private unsubscribe(subscriber: Subscriber, text: string): void {
    subscriber.names.delete(text);
    const stream = this.streams.get(text);
    stream?.subscribers.delete(subscriber);
    if (stream?.subscribers.size === 0) this.streams.delete(text);
  }

  private streamOf(name: StreamName): Stream {
    const existing = this.streams.get(name.text);
    if (existing !== undefined) return existing;
    const { exchange } = this;
    const depth = name.channel.startsWith('depth')
      ? new DepthTracker(exchange.book(name.spec).levels(), exchange.depthVersion(name.spec))
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

  /** Publishes the streams that have an event each second: depth, tickers and candles. */
  private publishSlowEvents(): void {
    this.publishDepth('depth');
    for (const spec of SYMBOLS) {
      const day = () => dayView(this.exchange, spec, this.histories.of(spec), this.now());
      this.publish(`${wireName(spec)}@ticker`, () => tickerEvent(day(), this.now()));
      this.publish(`${wireName(spec)}@miniTicker`, () => miniTickerEvent(day(), this.now()));
    }
    for (const stream of this.streams.values()) this.publishCandle(stream);
  }

  /** Sends the current candle. If earlier candles ended since the last event, sends their final values first. */
  private publishCandle(stream: Stream): void {
    const { spec, interval } = stream.name;
    if (interval === undefined) return;
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
