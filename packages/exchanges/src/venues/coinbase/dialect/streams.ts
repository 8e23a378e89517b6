/** Coinbase's streams: https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/websocket */
import { z } from 'zod';
import type {
  Dialect,
  Source,
  StreamConnection,
  StreamSession,
} from '../../../../conformance/scripted/dialect.js';
import {
  type Account,
  type Exact,
  type ExchangeEvent,
  Refusal,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { accountOfToken } from './access.js';
import { portfolioOf, productIdOf, streamedOrderView } from './views.js';

const SPOT = ['spot'] as const;
const docs = (page: string) =>
  `https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/websocket/${page}`;
const SOURCES = {
  subscriptions: {
    recordings: [
      'Subscriptions/AdvancedTrade/User#1',
      'Subscriptions/AdvancedTrade/Ticker#1',
      'Subscriptions/AdvancedTrade/Heartbeat#1',
    ],
    // Each recording has one of them.
    documented: ['events.subscriptions.level2'],
    page: docs('user'),
  },
  user: {
    recordings: ['Subscriptions/AdvancedTrade/User#2'],
    // Positions belong to portfolios of futures.
    documented: ['events.positions'],
    page: docs('user'),
  },
  ticker: { recordings: ['Subscriptions/AdvancedTrade/Ticker#2'], page: docs('ticker') },
  book: { page: docs('level2') },
  refusal: { page: docs('user') },
} as const satisfies Readonly<Record<string, Source>>;

export const CHANNELS: Dialect['channels'] = [
  { name: 'subscriptions', capability: 'stream login', tradingTypes: SPOT, source: SOURCES.subscriptions },
  { name: 'user', capability: 'stream of orders', tradingTypes: SPOT, source: SOURCES.user },
  { name: 'level2', capability: 'stream of books', tradingTypes: SPOT, source: SOURCES.book },
  { name: 'ticker', capability: 'stream of prices', tradingTypes: SPOT, source: SOURCES.ticker },
];

const request = z.union([
  z.strictObject({ type: z.literal('subscribe'), channel: z.literal('user'), jwt: z.string() }),
  z.strictObject({ type: z.literal('subscribe'), channel: z.literal('heartbeats') }),
  z.strictObject({
    type: z.enum(['subscribe', 'unsubscribe']),
    channel: z.enum(['level2', 'ticker']),
    product_ids: z.array(z.string()).min(1),
  }),
]);

export function openStream(connection: StreamConnection): StreamSession | undefined {
  return connection.path === '/' ? new Session(connection) : undefined;
}

class Session implements StreamSession {
  #account: Account | undefined;
  readonly #subscriptions = new Map<string, Set<string>>();
  /** The number of the last message of the connection, those that are lost included. */
  #sequence = -1;

  constructor(private readonly connection: StreamConnection) {
    connection.exchange.onEvent((event) => {
      if (event.kind === 'book' && this.#has('level2', event.market)) this.#sequence += 1;
    });
  }

  onMessage(text: string): void {
    const message = request.parse(JSON.parse(text));
    if (message.channel === 'user') this.#login(message.jwt);
    else if (message.channel === 'heartbeats') this.#acknowledge('heartbeats', ['heartbeats']);
    else {
      const products = this.#subscriptions.get(message.channel) ?? new Set();
      this.#subscriptions.set(message.channel, products);
      for (const id of message.product_ids)
        if (message.type === 'subscribe') products.add(id);
        else products.delete(id);
      this.#acknowledge(message.channel, [...products]);
      if (message.type === 'subscribe') this.#sendFirst(message.channel, message.product_ids);
    }
  }

  onEvent(event: ExchangeEvent): void {
    if (event.kind === 'order' && event.order.account === this.#account)
      this.#send('user', [{ type: 'update', orders: [streamedOrderView(event.order)] }], SOURCES.user);
    // The number of this message was counted when the book changed.
    if (event.kind === 'book' && this.#has('level2', event.market))
      this.#sendBook(event.market, 'update', event.change, this.#sequence);
    if (event.kind === 'trade' && this.#has('ticker', event.market)) this.#sendTicker(event.market, 'update');
  }

  #login(token: string): void {
    const { exchange } = this.connection;
    try {
      this.#account = accountOfToken(token, undefined, exchange);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.connection.send({ type: 'error', message: 'authentication failure' }, SOURCES.refusal);
      return;
    }
    const open = exchange.openOrdersOf(this.#account);
    this.#acknowledge('user', [portfolioOf(this.#account)]);
    this.#send('user', [{ type: 'snapshot', orders: open.map(streamedOrderView) }], SOURCES.user);
  }

  #sendFirst(channel: 'level2' | 'ticker', ids: readonly string[]): void {
    const { exchange } = this.connection;
    for (const market of exchange.markets.filter((each) => ids.includes(productIdOf(each)))) {
      if (channel === 'ticker') this.#sendTicker(market, 'snapshot');
      else {
        const book = exchange.bookOf(market);
        const levels = { bids: book.levelsOf('BUY'), asks: book.levelsOf('SELL') };
        this.#sequence += 1;
        this.#sendBook(market, 'snapshot', levels, this.#sequence);
      }
    }
  }

  #has(channel: string, market: ScriptedMarket): boolean {
    return this.#subscriptions.get(channel)?.has(productIdOf(market)) === true;
  }

  #sendBook(
    market: ScriptedMarket,
    type: 'snapshot' | 'update',
    { bids, asks }: { bids: Levels; asks: Levels },
    sequence_num: number,
  ): void {
    const event_time = new Date().toISOString();
    const updates = (side: 'bid' | 'offer', levels: Levels) =>
      levels.map(([price, amount]) => ({
        side,
        event_time,
        price_level: price.toString(),
        new_quantity: amount.toString(),
      }));
    const events = [
      {
        type,
        product_id: productIdOf(market),
        updates: [...updates('bid', bids), ...updates('offer', asks)],
      },
    ];
    const message = { channel: 'l2_data', client_id: '', timestamp: event_time, sequence_num, events };
    this.connection.send(message, SOURCES.book);
  }

  #sendTicker(market: ScriptedMarket, type: 'snapshot' | 'update'): void {
    const book = this.connection.exchange.bookOf(market);
    const best = (side: 'BUY' | 'SELL') => book.levelsOf(side)[0]?.map(String) ?? ['0', '0'];
    const [[best_bid, best_bid_quantity], [best_ask, best_ask_quantity]] = [best('BUY'), best('SELL')];
    const price = book.lastPrice?.toString() ?? '';
    const tickers = [
      {
        type: 'ticker',
        product_id: productIdOf(market),
        price,
        volume_24_h: '0',
        low_24_h: price,
        high_24_h: price,
        low_52_w: price,
        high_52_w: price,
        price_percent_chg_24_h: '0',
        best_bid,
        best_bid_quantity,
        best_ask,
        best_ask_quantity,
      },
    ];
    this.#send('ticker', [{ type, tickers }], SOURCES.ticker);
  }

  #acknowledge(channel: string, members: readonly string[]): void {
    this.#send('subscriptions', [{ subscriptions: { [channel]: members } }], SOURCES.subscriptions);
  }

  #send(channel: string, events: readonly object[], source: Source): void {
    this.#sequence += 1;
    const message = { channel, client_id: '', timestamp: new Date().toISOString() };
    this.connection.send({ ...message, sequence_num: this.#sequence, events }, source);
  }
}

type Levels = readonly (readonly [price: Exact, amount: Exact])[];
