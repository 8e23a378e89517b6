/** Kraken's futures streams: https://docs.kraken.com/exchange/api-reference/futures-websocket */
import { z } from 'zod';
import type {
  Dialect,
  Source,
  StreamConnection,
  StreamSession,
} from '../../../../conformance/scripted/dialect.js';
import type {
  Account,
  ExchangeEvent,
  Order,
  ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { isOpen } from '../../../../conformance/scripted/scripted-exchange.js';
import { signatureOf } from './futures-access.js';
import {
  accountUidOf,
  flexView,
  futuresTickerView,
  instrumentOf,
  number,
  orderUidOf,
  streamedFillView,
} from './futures-views.js';

const PERPETUAL = ['perpetual'] as const;
const docs = (page: string) => `https://docs.kraken.com/exchange/api-reference/futures-websocket/${page}`;
const SOURCES = {
  challenge: { recordings: ['Subscriptions/Futures/OrderUpdate#1'], page: docs('challenge') },
  subscribedPrivately: { recordings: ['Subscriptions/Futures/OrderUpdate#2'], page: docs('open_orders') },
  subscribed: { recordings: ['Subscriptions/Futures/Ticker#1'], page: docs('ticker') },
  refusal: { page: docs('challenge') },
  orders: {
    recordings: ['Subscriptions/Futures/OrderUpdate#3'],
    documented: ['order.cli_ord_id'],
    page: docs('open_orders'),
  },
  /** A message about an order that ended has no terms. */
  ended: { page: docs('open_orders') },
  fills: {
    recordings: ['Subscriptions/Futures/UserTrade#3'],
    // The recorded message is the one at the start, which names the account otherwise.
    documented: ['account', 'username', 'fills.cli_ord_id'],
    page: docs('fills'),
  },
  balances: { page: docs('balances') },
  book: { page: docs('book') },
  ticker: {
    recordings: ['Subscriptions/Futures/Ticker#2'],
    // A market without trades has no last price, and one without orders no best prices.
    documented: ['last', 'bid', 'ask', 'bid_size', 'ask_size'],
    page: docs('ticker'),
  },
} as const satisfies Readonly<Record<string, Source>>;

export const FUTURES_CHANNELS: Dialect['channels'] = [
  { name: 'challenge', capability: 'stream login', tradingTypes: PERPETUAL, source: SOURCES.challenge },
  { name: 'open_orders', capability: 'stream of orders', tradingTypes: PERPETUAL, source: SOURCES.orders },
  { name: 'fills', capability: 'stream of fills', tradingTypes: PERPETUAL, source: SOURCES.fills },
  { name: 'balances', capability: 'stream of balances', tradingTypes: PERPETUAL, source: SOURCES.balances },
  { name: 'book (futures)', capability: 'stream of books', tradingTypes: PERPETUAL, source: SOURCES.book },
  {
    name: 'ticker (futures)',
    capability: 'stream of prices',
    tradingTypes: PERPETUAL,
    source: SOURCES.ticker,
  },
];

const request = z.union([
  z.strictObject({ event: z.literal('challenge'), api_key: z.string() }),
  z.strictObject({
    event: z.literal('subscribe'),
    feed: z.enum(['open_orders', 'fills', 'balances']),
    api_key: z.string(),
    original_challenge: z.string(),
    signed_challenge: z.string(),
  }),
  z.strictObject({
    event: z.enum(['subscribe', 'unsubscribe']),
    feed: z.enum(['book', 'ticker']),
    product_ids: z.array(z.string()).min(1),
  }),
]);
type Request = z.output<typeof request>;

export function openFuturesStream(connection: StreamConnection): StreamSession | undefined {
  return connection.path === '/ws/v1' ? new FuturesSession(connection) : undefined;
}

class FuturesSession implements StreamSession {
  #account: Account | undefined;
  readonly #challenge = '226aee50-88fc-4618-a42a-34f7709570b2';
  readonly #feeds = new Set<string>();
  /** The number of the last change of each market: the exchange numbers each level that changes. */
  readonly #sequences = new Map<ScriptedMarket, number>();

  constructor(private readonly connection: StreamConnection) {
    // Counts messages that are lost on their way, too.
    connection.exchange.onEvent((event) => {
      if (event.kind !== 'book') return;
      const { bids, asks } = event.change;
      this.#sequences.set(event.market, this.#sequenceOf(event.market) + bids.length + asks.length);
    });
  }

  onMessage(text: string): void {
    const message = request.parse(JSON.parse(text));
    if (message.event === 'challenge') this.#sendChallenge(message.api_key);
    else if ('product_ids' in message) this.#change(message);
    else this.#subscribePrivately(message);
  }

  onEvent(event: ExchangeEvent): void {
    if (event.kind === 'order' && event.order.account === this.#account) {
      if (event.fill !== undefined && this.#feeds.has('fills')) {
        const message = { feed: 'fills', username: accountUidOf(event.order.account) };
        this.connection.send({ ...message, fills: [streamedFillView(event.fill)] }, SOURCES.fills);
      }
      if (this.#feeds.has('open_orders')) this.#pushOrder(event.order);
    }
    if (event.kind === 'balances' && event.account === this.#account && this.#feeds.has('balances'))
      this.#pushBalances(event.account);
    if (event.kind === 'book' && this.#feeds.has(`book:${instrumentOf(event.market)}`))
      this.#pushChanges(event.market, event.change);
    if (event.kind === 'trade' && this.#feeds.has(`ticker:${instrumentOf(event.market)}`))
      this.#pushTicker(event.market);
  }

  #sendChallenge(apiKey: string): void {
    const isKnown = this.connection.exchange.accounts.some((each) => each.apiKey === apiKey);
    if (isKnown) this.connection.send({ event: 'challenge', message: this.#challenge }, SOURCES.challenge);
    else this.connection.send({ event: 'error', message: 'Invalid API key' }, SOURCES.refusal);
  }

  #subscribePrivately(message: Extract<Request, { api_key: string; feed: string }>): void {
    const account = this.connection.exchange.accounts.find(({ apiKey }) => apiKey === message.api_key);
    const expected = account && signatureOf(this.#challenge, account);
    if (message.original_challenge !== this.#challenge || message.signed_challenge !== expected) {
      this.connection.send({ ...message, event: 'subscribed_failed' }, SOURCES.refusal);
      return;
    }
    this.#account = account;
    this.#feeds.add(message.feed);
    this.connection.send({ ...message, event: 'subscribed' }, SOURCES.subscribedPrivately);
  }

  #change({ event, feed, product_ids }: Extract<Request, { product_ids: string[] }>): void {
    const isSubscription = event === 'subscribe';
    const acknowledgement = isSubscription ? 'subscribed' : 'unsubscribed';
    this.connection.send({ event: acknowledgement, feed, product_ids }, SOURCES.subscribed);
    for (const id of product_ids) {
      const market = this.connection.exchange.markets.find((each) => instrumentOf(each) === id);
      if (!isSubscription) this.#feeds.delete(`${feed}:${id}`);
      if (!isSubscription || market === undefined) continue;
      this.#feeds.add(`${feed}:${id}`);
      if (feed === 'book') this.#pushBook(market);
      else this.#pushTicker(market);
    }
  }

  #pushOrder(order: Order): void {
    const order_id = orderUidOf(order);
    const cli_ord_id = order.clientOrderId;
    if (!isOpen(order)) {
      const reason = REASONS[order.status] ?? 'full_fill';
      const message = { feed: 'open_orders', order_id, cli_ord_id, is_cancel: true, reason };
      this.connection.send(message, SOURCES.ended);
      return;
    }
    const view = {
      instrument: instrumentOf(order.market),
      time: order.createdAt,
      last_update_time: order.updatedAt,
      qty: number(order.amount.minus(order.filled)),
      filled: number(order.filled),
      limit_price: order.price === undefined ? 0 : number(order.price),
      stop_price: 0,
      type: 'limit',
      order_id,
      cli_ord_id,
      direction: order.side === 'BUY' ? 0 : 1,
      reduce_only: order.reduceOnly === true,
    };
    const reason = order.filled.isZero() ? 'new_placed_order_by_user' : 'partial_fill';
    this.connection.send({ feed: 'open_orders', order: view, is_cancel: false, reason }, SOURCES.orders);
  }

  #pushBalances(account: Account): void {
    const { currencies } = flexView(this.connection.exchange, account);
    const message = { feed: 'balances', account: accountUidOf(account), timestamp: Date.now(), seq: 1 };
    this.connection.send({ ...message, flex_futures: { currencies } }, SOURCES.balances);
  }

  #pushBook(market: ScriptedMarket): void {
    const book = this.connection.exchange.bookOf(market);
    const levels = (side: 'BUY' | 'SELL') =>
      book.levelsOf(side).map(([price, qty]) => ({ price: number(price), qty: number(qty) }));
    const message = {
      feed: 'book_snapshot',
      product_id: instrumentOf(market),
      timestamp: Date.now(),
      seq: this.#sequenceOf(market),
      tickSize: null,
      bids: levels('BUY'),
      asks: levels('SELL'),
    };
    this.connection.send(message, SOURCES.book);
  }

  #pushChanges(
    market: ScriptedMarket,
    { bids, asks }: Extract<ExchangeEvent, { kind: 'book' }>['change'],
  ): void {
    const changes = [
      ...bids.map((level) => ({ side: 'buy', level })),
      ...asks.map((level) => ({ side: 'sell', level })),
    ];
    const first = this.#sequenceOf(market) - changes.length + 1;
    for (const [
      i,
      {
        side,
        level: [price, qty],
      },
    ] of changes.entries()) {
      const values = { side, seq: first + i, price: number(price), qty: number(qty), timestamp: Date.now() };
      this.connection.send({ feed: 'book', product_id: instrumentOf(market), ...values }, SOURCES.book);
    }
  }

  #pushTicker(market: ScriptedMarket): void {
    const view = futuresTickerView(this.connection.exchange, market);
    const [bid, ask] = [view.bid ?? 0, view.ask ?? 0];
    const at = Date.now();
    const message = {
      time: at,
      product_id: instrumentOf(market),
      funding_rate: 0.1,
      funding_rate_prediction: 0.1,
      relative_funding_rate: 0.0001,
      relative_funding_rate_prediction: 0.0001,
      next_funding_rate_time: at + 3_600_000,
      leverage: '10x',
      premium: 0,
      feed: 'ticker',
      bid,
      ask,
      bid_size: view.bidSize ?? 0,
      ask_size: view.askSize ?? 0,
      volume: view.vol24h,
      dtm: 0,
      index: view.indexPrice,
      ...(view.last === undefined ? {} : { last: view.last }),
      change: 0,
      suspended: false,
      tag: 'perpetual',
      pair: view.pair,
      openInterest: 0,
      markPrice: view.markPrice,
      maturityTime: 0,
      post_only: false,
      volumeQuote: view.volumeQuote,
      open: view.open24h,
      high: view.high24h,
      low: view.low24h,
    };
    this.connection.send(message, SOURCES.ticker);
  }

  #sequenceOf(market: ScriptedMarket): number {
    return this.#sequences.get(market) ?? 0;
  }
}

const REASONS: Readonly<Partial<Record<Order['status'], string>>> = {
  FILLED: 'full_fill',
  CANCELLED: 'cancelled_by_user',
  EXPIRED: 'ioc_order_failed_because_it_would_not_be_executed',
};
