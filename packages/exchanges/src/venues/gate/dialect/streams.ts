/** Gate's streams: https://www.gate.com/docs/developers/apiv4/ws/en/ and .../futures/ws/en/ */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type {
  Dialect,
  Source,
  StreamConnection,
  StreamSession,
} from '../../../../conformance/scripted/dialect.js';
import type {
  Account,
  BookChange,
  ExchangeEvent,
  ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import * as futures from './futures-views.js';
import { hasDecimalSizes, withSizes } from './sizes.js';
import * as spot from './spot-views.js';

const SPOT = ['spot', 'margin'] as const;
const PERPETUAL = ['perpetual'] as const;
const spotChannel = (name: string): Source => ({ recordings: [`Subscriptions/Spot/${name}#2`] });
const futuresChannel = (name: string, documented: readonly string[] = []): Source => ({
  recordings: [`Subscriptions/Futures/${name}#2`],
  documented,
  page: 'https://www.gate.com/docs/developers/futures/ws/en/',
});

const SOURCES = {
  'spot.orders': spotChannel('SubscribeToOrderUpdates'),
  'spot.usertrades': spotChannel('SubscribeToUserTradeUpdates'),
  'spot.balances': spotChannel('SubscribeToBalanceUpdates'),
  'spot.cross_balances': spotChannel('SubscribeToCrossMarginBalanceUpdates'),
  'spot.order_book_update': spotChannel('SubscribeToOrderBookUpdates'),
  'spot.tickers': spotChannel('SubscribeToTickerUpdates'),
  'futures.orders': futuresChannel('SubscribeToOrderUpdates'),
  'futures.usertrades': futuresChannel('SubscribeToUserTradeUpdates'),
  'futures.balances': futuresChannel('SubscribeToBalanceUpdates'),
  'futures.positions': futuresChannel('SubscribeToPositionUpdates'),
  'futures.order_book_update': futuresChannel('SubscribeToBookUpdates'),
  'futures.tickers': futuresChannel('SubscribeToTickerUpdates'),
} as const satisfies Readonly<Record<string, Source>>;
type Channel = keyof typeof SOURCES;

const subscribed: Source = {
  recordings: ['Subscriptions/Spot/SubscribeToOrderUpdates#1'],
  // Payloads of books and futures are lists of strings, too.
  documented: ['payload'],
};
const refused: Source = { page: 'https://www.gate.com/docs/developers/apiv4/ws/en/#error' };

const channel = (
  name: Channel,
  capability: Dialect['channels'][number]['capability'],
  tradingTypes: Dialect['channels'][number]['tradingTypes'] = name.startsWith('futures') ? PERPETUAL : SPOT,
): Dialect['channels'][number] => ({ name, capability, tradingTypes, source: SOURCES[name] });

export const CHANNELS: Dialect['channels'] = [
  { name: 'subscribe', capability: 'stream login', tradingTypes: [...SPOT, 'perpetual'], source: subscribed },
  channel('spot.orders', 'stream of orders'),
  channel('spot.usertrades', 'stream of fills'),
  channel('spot.balances', 'stream of balances', ['spot']),
  channel('spot.cross_balances', 'stream of balances', ['margin']),
  channel('spot.order_book_update', 'stream of books'),
  channel('spot.tickers', 'stream of prices'),
  channel('futures.orders', 'stream of orders'),
  channel('futures.usertrades', 'stream of fills'),
  channel('futures.balances', 'stream of balances'),
  channel('futures.positions', 'stream of positions'),
  channel('futures.order_book_update', 'stream of books'),
  channel('futures.tickers', 'stream of prices'),
];

const PUBLIC: ReadonlySet<string> = new Set([
  'spot.order_book_update',
  'spot.tickers',
  'futures.order_book_update',
  'futures.tickers',
]);

const request = z.strictObject({
  time: z.number().int(),
  id: z.number().int().optional(),
  channel: z.enum(Object.keys(SOURCES) as [Channel, ...Channel[]]),
  event: z.enum(['subscribe', 'unsubscribe']),
  payload: z.array(z.string()).optional(),
  auth: z.strictObject({ method: z.literal('api_key'), KEY: z.string(), SIGN: z.string() }).optional(),
});
type Request = z.output<typeof request>;

const CLOCK_S = 60;
const AUTHENTICATION_FAILED = { code: 4, message: 'Authentication fail' };
const INVALID_ARGUMENT = { code: 2, message: 'Invalid argument provided' };

export function openGateStream(connection: StreamConnection): StreamSession | undefined {
  if (connection.path === '/ws/v4/') return new Session(connection, 'spot');
  return connection.path === '/v4/ws/usdt' ? new Session(connection, 'futures') : undefined;
}

class Session implements StreamSession {
  readonly #channels = new Map<Channel, ReadonlySet<string>>();
  #account: Account | undefined;

  constructor(
    private readonly connection: StreamConnection,
    private readonly side: 'spot' | 'futures',
  ) {}

  onMessage(text: string): void {
    const message = request.parse(JSON.parse(text));
    const error = this.#problemOf(message);
    if (error === undefined) this.#channels.set(message.channel, new Set(message.payload));
    this.#acknowledge(message, error);
  }

  onEvent(event: ExchangeEvent): void {
    if (event.kind === 'book') this.#pushBook(event.market, event.change);
    else if (event.kind === 'trade') this.#pushTicker(event.market, event.price.toString());
    else if (event.kind !== 'mark price') this.#onAccountEvent(event);
  }

  #onAccountEvent(event: Exclude<ExchangeEvent, { kind: 'book' | 'trade' | 'mark price' }>): void {
    const views = this.side === 'spot' ? spot : futures;
    if (event.kind === 'order') {
      if (event.order.account !== this.#account) return;
      if (event.fill !== undefined) this.#push(`${this.side}.usertrades`, [views.streamedFill(event.fill)]);
      this.#push(`${this.side}.orders`, [views.streamedOrder(event.order)]);
      return;
    }
    const { account } = event;
    if (account !== this.#account) return;
    if (event.kind === 'position')
      this.#push('futures.positions', [futures.streamedPosition(account, event.position)]);
    else if (this.side === 'futures') this.#push('futures.balances', [futures.streamedWallet(account)]);
    else this.#pushBalances(account, event.assets);
  }

  #pushBalances(account: Account, assets: readonly string[]): void {
    for (const name of ['spot.balances', 'spot.cross_balances'] as const)
      this.#push(
        name,
        assets.map((asset) => spot.streamedBalance(account, asset)),
      );
  }

  /** Checks the signature of a subscription to a private channel. */
  #problemOf({ channel: name, event, time, auth, payload = [] }: Request) {
    const { exchange } = this.connection;
    if (!name.startsWith(this.side)) return INVALID_ARGUMENT;
    if (PUBLIC.has(name)) return payload.length === 0 ? INVALID_ARGUMENT : undefined;
    const account = exchange.accounts.find(({ apiKey }) => apiKey === auth?.KEY);
    const signed = `channel=${name}&event=${event}&time=${time}`;
    const expected = account && createHmac('sha512', account.apiSecret).update(signed).digest('hex');
    const isLate = Math.abs(exchange.now() / 1_000 - time) > CLOCK_S;
    if (account === undefined || auth?.SIGN !== expected || isLate) return AUTHENTICATION_FAILED;
    this.#account = account;
    const isUser = payload[0] === String(spot.userIdOf(account));
    return this.side === 'futures' && !isUser ? INVALID_ARGUMENT : undefined;
  }

  #acknowledge(message: Request, error: typeof INVALID_ARGUMENT | undefined): void {
    const now = Date.now();
    const common = {
      time: String(Math.floor(now / 1_000)),
      time_ms: now,
      id: message.id ?? 0,
      conn_id: '28838ac31473dcbb',
      trace_id: '789a534faf3c51651b7764b0ac63b4a8',
      channel: message.channel,
      event: message.event,
      payload: message.payload ?? ['!all'],
      requestId: '789a534faf3c51651b7764b0ac63b4a8',
    };
    if (error === undefined) this.connection.send({ ...common, result: { status: 'success' } }, subscribed);
    else this.connection.send({ ...common, error, result: null }, refused);
  }

  #push(name: Channel, result: unknown): void {
    if (!this.#channels.has(name)) return;
    const now = Date.now();
    const time = Math.floor(now / 1_000);
    const spotTicker = name === 'spot.tickers' ? { conn_id: '' } : {};
    const sizes = this.side === 'spot' ? result : withSizes(result, hasDecimalSizes(this.connection.headers));
    const message = { time, time_ms: now, ...spotTicker, channel: name, event: 'update', result: sizes };
    this.connection.send(message, SOURCES[name]);
  }

  #pushBook(market: ScriptedMarket, { sequence, bids, asks }: BookChange): void {
    const name = `${this.side}.order_book_update` as const;
    if (this.#channels.get(name)?.has(spot.idOf(market)) !== true) return;
    const now = Date.now();
    const common = { t: now, s: spot.idOf(market), U: sequence, u: sequence };
    if (this.side === 'spot') {
      const texts = (levels: BookChange['bids']) => levels.map((level) => level.map(String));
      const event = { e: 'depthUpdate', E: Math.floor(now / 1_000) };
      this.#push(name, { ...common, ...event, b: texts(bids), a: texts(asks) });
      return;
    }
    const levels = (side: BookChange['bids']) =>
      side.map(([price, amount]) => ({
        p: price.toString(),
        s: String(futures.contractsOf(amount, market)),
      }));
    this.#push(name, { ...common, b: levels(bids), a: levels(asks) });
  }

  #pushTicker(market: ScriptedMarket, last: string): void {
    const name = `${this.side}.tickers` as const;
    if (this.#channels.get(name)?.has(spot.idOf(market)) !== true) return;
    this.#push(name, this.side === 'spot' ? spotTicker(market, last) : [futuresTicker(market, last)]);
  }
}

const spotTicker = (market: ScriptedMarket, last: string) => ({
  currency_pair: spot.idOf(market),
  last,
  lowest_ask: last,
  highest_bid: last,
  change_percentage: '0',
  base_volume: '0',
  quote_volume: '0',
  high_24h: last,
  low_24h: last,
});

const futuresTicker = (market: ScriptedMarket, last: string) => ({
  contract: spot.idOf(market),
  last,
  change_percentage: '0',
  funding_rate: '0',
  funding_rate_indicative: '0',
  mark_price: last,
  index_price: last,
  total_size: '0',
  volume_24h: '0',
  volume_24h_btc: '0',
  volume_24h_usd: '0',
  quanto_base_rate: '',
  volume_24h_quote: '0',
  volume_24h_settle: '0',
  volume_24h_base: '0',
  low_24h: last,
  high_24h: last,
});
