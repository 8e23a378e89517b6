/** Kraken's spot streams, version 2: https://docs.kraken.com/exchange/api-reference/spot-websocket */
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import type {
  Dialect,
  Source,
  StreamConnection,
  StreamSession,
} from '../../../../conformance/scripted/dialect.js';
import type {
  Account,
  Exact,
  ExchangeEvent,
  Fill,
  Order,
  ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { tokenOf } from './spot-routes.js';
import { decimalsOf, orderIdOf, streamNameOf, tradeIdOf } from './spot-views.js';

const SPOT = ['spot'] as const;
const docs = (page: string) => `https://docs.kraken.com/exchange/api-reference/spot-websocket-v2/${page}`;
const SOURCES = {
  subscribed: {
    recordings: ['Subscriptions/Spot/Ticker#1', 'Subscriptions/Spot/AggBook#1'],
    // The recorded request has a number of its own; ours have none.
    documented: ['req_id', 'result.depth', 'result.event_trigger'],
    page: docs('ticker'),
  },
  private: { page: docs('executions') },
  balances: { page: docs('balances') },
  refusal: { page: docs('executions') },
  pong: { page: docs('ping') },
  book: {
    recordings: ['Subscriptions/Spot/AggBook#2'],
    documented: ['data.timestamp'],
    page: docs('book'),
  },
  ticker: {
    recordings: ['Subscriptions/Spot/Ticker#2'],
    documented: ['data.timestamp'],
    page: docs('ticker'),
  },
} as const satisfies Readonly<Record<string, Source>>;

export const SPOT_CHANNELS: Dialect['channels'] = [
  { name: 'executions', capability: 'stream of orders', tradingTypes: SPOT, source: SOURCES.private },
  { name: 'executions (trade)', capability: 'stream of fills', tradingTypes: SPOT, source: SOURCES.private },
  { name: 'balances', capability: 'stream of balances', tradingTypes: SPOT, source: SOURCES.balances },
  { name: 'book', capability: 'stream of books', tradingTypes: SPOT, source: SOURCES.book },
  { name: 'ticker', capability: 'stream of prices', tradingTypes: SPOT, source: SOURCES.ticker },
];

const privateParams = z.discriminatedUnion('channel', [
  z.strictObject({
    channel: z.literal('executions'),
    token: z.string(),
    snap_orders: z.boolean(),
    snap_trades: z.boolean(),
    order_status: z.boolean(),
  }),
  z.strictObject({ channel: z.literal('balances'), token: z.string(), snapshot: z.boolean() }),
]);
const publicParams = z.discriminatedUnion('channel', [
  z.strictObject({ channel: z.literal('book'), symbol: z.array(z.string()).min(1), depth: z.literal(100) }),
  z.strictObject({
    channel: z.literal('ticker'),
    symbol: z.array(z.string()).min(1),
    event_trigger: z.literal('trades'),
  }),
]);
const request = z.discriminatedUnion('method', [
  z.strictObject({ method: z.literal('ping') }),
  z.strictObject({ method: z.enum(['subscribe', 'unsubscribe']), params: z.unknown() }),
]);

export function openSpotStream(connection: StreamConnection): StreamSession | undefined {
  if (connection.path !== '/v2') return undefined;
  return new SpotSession(connection);
}

const number = (value: Exact): number => value.toNumber();
const time = (ms: number): string => `${new Date(ms).toISOString().slice(0, -1)}000Z`;

/** The public and the private stream have the same path on different hosts. */
class SpotSession implements StreamSession {
  #account: Account | undefined;
  readonly #channels = new Set<string>();
  readonly #sequences = new Map<string, number>();
  /** The orders whose terms were sent. */
  readonly #known = new Set<Order>();

  constructor(private readonly connection: StreamConnection) {}

  onMessage(text: string): void {
    const message = request.parse(JSON.parse(text));
    if (message.method === 'ping') {
      const at = time(Date.now());
      this.connection.send({ method: 'pong', time_in: at, time_out: at }, SOURCES.pong);
      return;
    }
    const { data } = privateParams.safeParse(message.params);
    if (data !== undefined) this.#subscribePrivately(data);
    else this.#change(message.method, publicParams.parse(message.params));
  }

  onEvent(event: ExchangeEvent): void {
    if (event.kind === 'order' && event.order.account === this.#account)
      this.#pushOrder(event.order, event.fill);
    if (event.kind === 'balances' && event.account === this.#account && this.#channels.has('balances'))
      this.#pushBalances(event.account, event.assets);
    if (event.kind === 'book' && this.#channels.has(`book:${streamNameOf(event.market)}`))
      this.#pushBook(event.market, 'update', event.change);
    if (event.kind === 'trade' && this.#channels.has(`ticker:${streamNameOf(event.market)}`))
      this.#pushTicker(event.market, 'update');
  }

  #subscribePrivately(params: z.output<typeof privateParams>): void {
    const account = this.connection.exchange.accounts.find(({ apiKey }) => tokenOf(apiKey) === params.token);
    if (account === undefined) {
      const refusal = { method: 'subscribe', success: false, error: 'ESession:Invalid session' };
      this.connection.send(this.#timed(refusal), SOURCES.refusal);
      return;
    }
    this.#account = account;
    this.#channels.add(params.channel);
    const { token: _, ...result } = params;
    this.connection.send(this.#timed({ method: 'subscribe', result, success: true }), SOURCES.private);
    if (params.channel !== 'executions') return;
    const open = this.connection.exchange.openOrdersOf(account);
    for (const order of open) this.#known.add(order);
    const reports = open.map((order) => ({ ...termsOf(order), ...stateOf(order), exec_type: 'new' }));
    this.#send('executions', 'snapshot', reports, SOURCES.private);
  }

  #change(method: 'subscribe' | 'unsubscribe', { symbol, ...params }: z.output<typeof publicParams>): void {
    for (const name of symbol) {
      const market = this.connection.exchange.markets.find((each) => streamNameOf(each) === name);
      const acknowledgement = { method, result: { ...params, snapshot: true, symbol: name }, success: true };
      this.connection.send(this.#timed(acknowledgement), SOURCES.subscribed);
      if (method === 'unsubscribe') this.#channels.delete(`${params.channel}:${name}`);
      if (method === 'unsubscribe' || market === undefined) continue;
      this.#channels.add(`${params.channel}:${name}`);
      if (params.channel === 'ticker') this.#pushTicker(market, 'snapshot');
      else {
        const book = this.connection.exchange.bookOf(market);
        this.#pushBook(market, 'snapshot', { bids: book.levelsOf('BUY'), asks: book.levelsOf('SELL') });
      }
    }
  }

  #pushOrder(order: Order, fill: Fill | undefined): void {
    if (!this.#channels.has('executions')) return;
    const isNew = !this.#known.has(order);
    this.#known.add(order);
    if (isNew) {
      const pending = {
        ...termsOf(order),
        exec_type: 'pending_new',
        order_status: 'pending_new',
        cum_cost: 0,
      };
      this.#pushExecution({ ...pending, timestamp: time(order.createdAt) });
    }
    const common = { order_id: orderIdOf(order), cl_ord_id: order.clientOrderId };
    if (fill !== undefined) this.#pushExecution({ ...common, ...stateOf(order), ...tradeOf(fill) });
    const execType = EXEC_TYPES[order.status];
    // An order that rests is live after its first report.
    if (fill === undefined || order.status === 'FILLED')
      this.#pushExecution({ ...common, ...stateOf(order), exec_type: execType });
  }

  #pushExecution(report: object): void {
    this.#send('executions', 'update', [report], SOURCES.private);
  }

  #pushBalances({ wallets }: Account, assets: readonly string[]): void {
    const entries = assets.map((asset) => {
      const wallet = wallets.get(asset);
      return {
        ledger_id: 'DATKX6-PEHL3-HZMKBT',
        ref_id: 'LEAGQR-CCBRB-IIZZKX',
        timestamp: time(Date.now()),
        type: 'trade',
        asset,
        asset_class: 'currency',
        category: 'trade',
        wallet_type: 'spot',
        wallet_id: 'main',
        amount: 0,
        fee: 0,
        balance: wallet === undefined ? 0 : number(wallet.free.plus(wallet.locked)),
      };
    });
    this.#send('balances', 'update', entries, SOURCES.balances);
  }

  #pushBook(
    market: ScriptedMarket,
    type: 'snapshot' | 'update',
    changes: { bids: Levels; asks: Levels },
  ): void {
    const book = this.connection.exchange.bookOf(market);
    const levels = (side: Levels) =>
      side.map(([price, amount]) => ({ price: number(price), qty: number(amount) }));
    const text = [...book.levelsOf('SELL').slice(0, 10), ...book.levelsOf('BUY').slice(0, 10)]
      .map(([price, qty]) => digits(price, market.tick) + digits(qty, market.step))
      .join('');
    const data = {
      symbol: streamNameOf(market),
      bids: levels(changes.bids),
      asks: levels(changes.asks),
      checksum: crc32(text),
      timestamp: time(Date.now()),
    };
    this.connection.send({ channel: 'book', type, data: [data] }, SOURCES.book);
  }

  #pushTicker(market: ScriptedMarket, type: 'snapshot' | 'update'): void {
    const book = this.connection.exchange.bookOf(market);
    const last = book.lastPrice?.toNumber() ?? 0;
    const bestOf = (side: 'BUY' | 'SELL') => book.levelsOf(side)[0]?.map(number) ?? [0, 0];
    const [[bid, bid_qty], [ask, ask_qty]] = [bestOf('BUY'), bestOf('SELL')];
    const prices = { last, volume: 0, vwap: last, low: last, high: last, change: 0, change_pct: 0 };
    const data = { symbol: streamNameOf(market), bid, bid_qty, ask, ask_qty, ...prices };
    const message = { channel: 'ticker', type, data: [{ ...data, timestamp: time(Date.now()) }] };
    this.connection.send(message, SOURCES.ticker);
  }

  #send(channel: string, type: 'snapshot' | 'update', data: readonly object[], source: Source): void {
    const sequence = (this.#sequences.get(channel) ?? 0) + 1;
    this.#sequences.set(channel, sequence);
    this.connection.send({ channel, type, data, sequence }, source);
  }

  #timed(message: object): object {
    const at = time(Date.now());
    return { ...message, time_in: at, time_out: at };
  }
}

type Levels = readonly (readonly [price: Exact, amount: Exact])[];

/** The digits of a number with the decimals of a step, without its point and leading zeros. */
const digits = (value: Exact, step: string): string =>
  value.toFixed(decimalsOf(step)).replace('.', '').replace(/^0+/, '');

const EXEC_TYPES = {
  WAITING: 'new',
  OPEN: 'new',
  FILLED: 'filled',
  CANCELLED: 'canceled',
  EXPIRED: 'canceled',
} as const;

const termsOf = (order: Order) => ({
  order_id: orderIdOf(order),
  cl_ord_id: order.clientOrderId,
  symbol: streamNameOf(order.market),
  side: order.side.toLowerCase(),
  order_type: order.type.toLowerCase(),
  order_qty: number(order.amount),
  time_in_force: order.timeInForce === 'POST_ONLY' ? 'GTC' : order.timeInForce,
  ...(order.timeInForce === 'POST_ONLY' ? { post_only: true } : {}),
  ...(order.price === undefined ? {} : { limit_price_type: 'static', limit_price: number(order.price) }),
  fee_usd_equiv: 0,
  fee_ccy_pref: 'fciq',
});

function stateOf(order: Order) {
  const { status, filled, cost, updatedAt } = order;
  const live = filled.isZero() ? 'new' : 'partially_filled';
  return {
    order_status: status === 'OPEN' ? live : EXEC_TYPES[status],
    ...(filled.isZero() ? {} : { cum_qty: number(filled), cum_cost: number(cost) }),
    timestamp: time(updatedAt),
  };
}

const tradeOf = (fill: Fill) => ({
  exec_type: 'trade',
  exec_id: tradeIdOf(fill),
  trade_id: fill.number,
  symbol: streamNameOf(fill.order.market),
  side: fill.order.side.toLowerCase(),
  order_type: fill.order.type.toLowerCase(),
  last_qty: number(fill.amount),
  last_price: number(fill.price),
  liquidity_ind: fill.isMaker ? 'm' : 't',
  cost: number(fill.price.times(fill.amount)),
  fee_usd_equiv: number(fill.fee.amount),
  fees: [{ asset: fill.fee.currency, qty: number(fill.fee.amount) }],
});
