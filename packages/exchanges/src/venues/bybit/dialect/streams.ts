/** Bybit's streams: https://bybit-exchange.github.io/docs/v5/ws/connect */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type {
  Dialect,
  Source,
  StreamConnection,
  StreamSession,
} from '../../../../conformance/scripted/dialect.js';
import type { Account, ExchangeEvent, ScriptedMarket } from '../../../../conformance/scripted/model.js';
import { marketOf } from './calls.js';
import { categoryOf, idOf, streamedFill, streamedOrder, streamedPosition, walletView } from './views.js';

const ALL = ['spot', 'margin', 'perpetual'] as const;
const privateChannel = (name: string, documented: readonly string[] = []): Source => ({
  recordings: [`Subscriptions/V5/Private/${name}#3`],
  documented,
  page: 'https://bybit-exchange.github.io/docs/v5/websocket/private/order',
});
const SOURCES = {
  auth: { recordings: ['Subscriptions/V5/Private/Order#1'] },
  subscribe: { recordings: ['Subscriptions/V5/Private/Order#2'] },
  order: privateChannel('Order', ['data.createType']),
  execution: privateChannel('UserTrades', ['data.feeCurrency']),
  wallet: privateChannel('Balance'),
  position: privateChannel('Position'),
  orderbook: { page: 'https://bybit-exchange.github.io/docs/v5/websocket/public/orderbook' },
  tickers: { recordings: ['Subscriptions/V5/Spot/Ticker#2', 'Subscriptions/V5/Linear/Ticker#2'] },
  refusal: { page: 'https://bybit-exchange.github.io/docs/v5/ws/connect' },
} as const satisfies Readonly<Record<string, Source>>;

export const CHANNELS: Dialect['channels'] = [
  { name: 'auth', capability: 'stream login', tradingTypes: ALL, source: SOURCES.auth },
  { name: 'order', capability: 'stream of orders', tradingTypes: ALL, source: SOURCES.order },
  { name: 'execution', capability: 'stream of fills', tradingTypes: ALL, source: SOURCES.execution },
  { name: 'wallet', capability: 'stream of balances', tradingTypes: ALL, source: SOURCES.wallet },
  {
    name: 'position',
    capability: 'stream of positions',
    tradingTypes: ['perpetual'],
    source: SOURCES.position,
  },
  { name: 'orderbook', capability: 'stream of books', tradingTypes: ALL, source: SOURCES.orderbook },
  { name: 'tickers', capability: 'stream of prices', tradingTypes: ALL, source: SOURCES.tickers },
];

const request = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('ping') }),
  z.strictObject({ op: z.literal('auth'), args: z.tuple([z.string(), z.number(), z.string()]) }),
  z.strictObject({ op: z.enum(['subscribe', 'unsubscribe']), args: z.array(z.string()).min(1) }),
]);

export function openBybitStream(connection: StreamConnection): StreamSession | undefined {
  if (connection.path === '/v5/private') return new PrivateSession(connection);
  return /^\/v5\/public\/(?:spot|linear)$/.test(connection.path) ? new PublicSession(connection) : undefined;
}

abstract class Session implements StreamSession {
  protected readonly topics = new Set<string>();

  constructor(protected readonly connection: StreamConnection) {}

  onMessage(text: string): void {
    const message = request.parse(JSON.parse(text));
    if (message.op === 'ping')
      this.connection.send({ success: true, ret_msg: 'pong', op: 'ping' }, SOURCES.refusal);
    else if (message.op === 'auth') this.login(...message.args);
    else this.change(message.op, message.args);
  }

  abstract onEvent(event: ExchangeEvent): void;

  protected abstract login(key: string, expires: number, signature: string): void;

  protected change(op: 'subscribe' | 'unsubscribe', topics: readonly string[]): void {
    for (const topic of topics)
      if (op === 'subscribe') this.topics.add(topic);
      else this.topics.delete(topic);
    this.acknowledge(op, true, SOURCES.subscribe);
  }

  protected acknowledge(op: string, success: boolean, source: Source): void {
    const message = {
      success,
      ret_msg: success ? op : 'refused',
      op,
      conn_id: 'cejreaspqfh3sjdnldmg-p',
      req_id: '',
    };
    this.connection.send(message, source);
  }
}

class PrivateSession extends Session {
  #account: Account | undefined;

  protected login(key: string, expires: number, signature: string): void {
    const { exchange } = this.connection;
    const account = exchange.accounts.find(({ apiKey }) => apiKey === key);
    const expected =
      account && createHmac('sha256', account.apiSecret).update(`GET/realtime${expires}`).digest('hex');
    const isAccepted = signature === expected && expires > exchange.now();
    if (isAccepted) this.#account = account;
    this.acknowledge('auth', isAccepted, isAccepted ? SOURCES.auth : SOURCES.refusal);
  }

  onEvent(event: ExchangeEvent): void {
    const { exchange } = this.connection;
    if (event.kind === 'order' && event.order.account === this.#account) {
      // The exchange does not promise which of the two comes first.
      if (event.fill !== undefined) this.#push('execution', streamedFill(event.fill));
      this.#push('order', streamedOrder(event.order));
    }
    if (event.kind === 'balances' && event.account === this.#account)
      this.#push('wallet', walletView(exchange, event.account));
    if (event.kind === 'position' && event.account === this.#account)
      this.#push('position', streamedPosition(exchange, event.account, event.position));
  }

  #push(topic: 'order' | 'execution' | 'wallet' | 'position', record: unknown): void {
    if (!this.topics.has(topic)) return;
    const message = { id: '5923240c6880ab', topic, creationTime: Date.now(), data: [record] };
    this.connection.send(message, SOURCES[topic]);
  }
}

/** A depth whose books the exchange streams. */
const BOOK_TOPIC = /^orderbook\.(?:1|50|200|1000)\./;

class PublicSession extends Session {
  protected login(): void {
    this.acknowledge('auth', false, SOURCES.refusal);
  }

  protected override change(op: 'subscribe' | 'unsubscribe', topics: readonly string[]): void {
    super.change(op, topics);
    if (op === 'unsubscribe') return;
    for (const topic of topics) {
      const market = marketOf(this.connection.exchange, topic.split('.').at(-1));
      if (BOOK_TOPIC.test(topic)) this.#pushBook(topic, market);
    }
  }

  onEvent(event: ExchangeEvent): void {
    if (event.kind === 'book') {
      const { bids, asks, sequence } = event.change;
      for (const topic of this.topics)
        if (BOOK_TOPIC.test(topic) && topic.endsWith(`.${idOf(event.market)}`))
          this.#sendBook(topic, 'delta', { bids, asks, sequence });
    }
    if (event.kind === 'trade' && this.topics.has(`tickers.${idOf(event.market)}`))
      this.#pushTicker(event.market, event.price.toString());
  }

  #pushBook(topic: string, market: ScriptedMarket): void {
    const book = this.connection.exchange.bookOf(market);
    const { sequence } = book;
    this.#sendBook(topic, 'snapshot', { bids: book.levelsOf('BUY'), asks: book.levelsOf('SELL'), sequence });
  }

  #sendBook(
    topic: string,
    type: 'snapshot' | 'delta',
    { bids, asks, sequence }: { bids: Levels; asks: Levels; sequence: number },
  ): void {
    const [ts, u] = [Date.now(), sequence + 1];
    const data = { s: topic.split('.').at(-1), b: bids.map(texts), a: asks.map(texts), u, seq: u };
    this.connection.send({ topic, type, ts, data, cts: ts }, SOURCES.orderbook);
  }

  #pushTicker(market: ScriptedMarket, lastPrice: string): void {
    const common = {
      symbol: idOf(market),
      lastPrice,
      highPrice24h: lastPrice,
      lowPrice24h: lastPrice,
      prevPrice24h: lastPrice,
      volume24h: '0',
      turnover24h: '0',
      price24hPcnt: '0',
    };
    const data = categoryOf(market) === 'spot' ? { ...common, usdIndexPrice: lastPrice } : common;
    const message = { topic: `tickers.${idOf(market)}`, ts: Date.now(), type: 'snapshot', cs: 1, data };
    this.connection.send(message, SOURCES.tickers);
  }
}

type Levels = readonly (readonly [price: { toString(): string }, amount: { toString(): string }])[];
const texts = (level: Levels[number]): readonly string[] => level.map(String);
