/** HTX's streams: https://huobiapi.github.io/docs/spot/v1/en/#websocket-market-data and #websocket-account-and-order */
import { z } from 'zod';
import type {
  Dialect,
  Source,
  StreamConnection,
  StreamSession,
} from '../../../../conformance/scripted/dialect.js';
import {
  type Account,
  type BookChange,
  type ExchangeEvent,
  type Fill,
  type Order,
  Refusal,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { accountOfSignature } from './access.js';
import { statisticsOf } from './public-routes.js';
import {
  accountIdOf,
  cancellationView,
  clearingView,
  creationView,
  docs,
  idOf,
  text,
  tradeView,
} from './views.js';

const SPOT = ['spot'] as const;
const recorded = 'Subscriptions/Spot';
const SOURCES = {
  subscribed: { recordings: [`${recorded}/Symbols#1`], page: docs('subscribe-to-topic') },
  unsubscribed: { page: docs('unsubscribe') },
  detail: { recordings: [`${recorded}/Symbols#2`], page: docs('market-details') },
  bookChange: {
    recordings: [`${recorded}/OrderBookChange#2`],
    // With 150 levels, a message has both sides. What was recorded has 5.
    documented: ['tick.bids'],
    page: docs('market-by-price-incremental-update'),
  },
  book: { page: docs('market-by-price-incremental-update') },
  ping: { page: docs('heartbeat-and-connection') },
  login: { recordings: [`${recorded}/Account#1`], page: docs('authentication-2') },
  channel: { recordings: [`${recorded}/Order1#2`], page: docs('subscribe-order-updates') },
  creation: { recordings: [`${recorded}/Order1#3`], page: docs('subscribe-order-updates') },
  orders: { page: docs('subscribe-order-updates') },
  fills: {
    recordings: [`${recorded}/OrderTrade#3`],
    // Documented in the list of fields. The example of the page, which was recorded, lacks it.
    documented: ['data.orderType'],
    page: docs('subscribe-trade-details-amp-order-cancellation-post-clearing'),
  },
  balances: {
    recordings: [`${recorded}/Account#3`],
    // What was recorded is of mode 1, which reports one of the two amounts.
    documented: ['data.balance'],
    page: docs('subscribe-account-change'),
  },
  marketRefusal: { page: docs('error-code-11') },
  accountRefusal: { page: docs('error-code-12') },
} as const satisfies Readonly<Record<string, Source>>;

type Channel = Dialect['channels'][number];
const channel = (name: string, capability: Channel['capability'], source: Source): Channel => ({
  name,
  capability,
  tradingTypes: SPOT,
  source,
});

export const CHANNELS: Dialect['channels'] = [
  channel('auth', 'stream login', SOURCES.login),
  channel('orders#*: creation', 'stream of orders', SOURCES.creation),
  channel('orders#*: trade, cancellation', 'stream of orders', SOURCES.orders),
  channel('trade.clearing#*#0', 'stream of fills', SOURCES.fills),
  channel('accounts.update#2', 'stream of balances', SOURCES.balances),
  channel('market.*.mbp.150', 'stream of books', SOURCES.bookChange),
  channel('market.*.mbp.150: req', 'stream of books', SOURCES.book),
  channel('market.*.detail', 'stream of prices', SOURCES.detail),
];

const MARKET_PATHS = ['/ws', '/feed'];

/** Messages about markets are compressed, those about accounts are not. */
export const compressesStream = (path: string): boolean => MARKET_PATHS.includes(path);

export function openStream(connection: StreamConnection): StreamSession | undefined {
  if (connection.path === '/ws/v2') return new AccountSession(connection);
  return compressesStream(connection.path) ? new MarketSession(connection) : undefined;
}

/**
 * The exchange sends pings at intervals, and disconnects a client that does not answer two of them. Here it sends one
 * ping, and does nothing else before it is answered.
 */
abstract class PingedSession implements StreamSession {
  readonly #sentAt = Date.now();
  #waiting: string[] | undefined = [];

  constructor(protected readonly connection: StreamConnection) {
    connection.send(this.pingOf(this.#sentAt), SOURCES.ping);
  }

  onMessage(message: string): void {
    const parsed: unknown = JSON.parse(message);
    if (this.pongOf(parsed) === this.#sentAt) {
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      for (const each of waiting) this.onRequest(JSON.parse(each));
    } else if (this.#waiting === undefined) this.onRequest(parsed);
    else this.#waiting.push(message);
  }

  abstract onEvent(event: ExchangeEvent): void;
  protected abstract onRequest(request: unknown): void;
  protected abstract pingOf(at: number): object;
  protected abstract pongOf(message: unknown): number | undefined;
}

const marketRequest = z.union([
  z.strictObject({ sub: z.string(), id: z.string() }),
  z.strictObject({ unsub: z.string(), id: z.string() }),
  z.strictObject({ req: z.string(), id: z.string() }),
]);
const pong = z.strictObject({ pong: z.number() });

class MarketSession extends PingedSession {
  readonly #topics = new Set<string>();

  onEvent(event: ExchangeEvent): void {
    if (event.kind === 'book') this.#pushBook(event.market, event.change);
    else if (event.kind === 'trade') this.#pushDetail(event.market);
  }

  protected override onRequest(message: unknown): void {
    const request = marketRequest.parse(message);
    const common = { id: request.id, status: 'ok', ts: Date.now() };
    if ('sub' in request) {
      if (!this.#isTopic(request.sub)) {
        const error = { 'err-code': 'bad-request', 'err-msg': `invalid topic ${request.sub}` };
        this.connection.send({ ...common, status: 'error', ...error }, SOURCES.marketRefusal);
        return;
      }
      this.#topics.add(request.sub);
      this.connection.send({ ...common, subbed: request.sub }, SOURCES.subscribed);
    } else if ('unsub' in request) {
      this.#topics.delete(request.unsub);
      this.connection.send({ ...common, unsubbed: request.unsub }, SOURCES.unsubscribed);
    } else this.#sendBook(request.req, request.id);
  }

  protected override pingOf(ping: number): object {
    return { ping };
  }

  protected override pongOf(message: unknown): number | undefined {
    return pong.safeParse(message).data?.pong;
  }

  /** Changes of books have an address of their own. */
  #isTopic(topic: string): boolean {
    const { exchange, path } = this.connection;
    const suffix = path === '/feed' ? 'mbp.150' : 'detail';
    return exchange.markets.some((market) => topic === `market.${idOf(market)}.${suffix}`);
  }

  #sendBook(rep: string, id: string): void {
    const { exchange } = this.connection;
    const market = exchange.markets.find((each) => rep === `market.${idOf(each)}.mbp.150`);
    if (market === undefined) throw new Error(`no book ${rep}`);
    const book = exchange.bookOf(market);
    const data = {
      seqNum: book.sequence,
      bids: numbers(book.levelsOf('BUY')),
      asks: numbers(book.levelsOf('SELL')),
    };
    this.connection.send({ id, rep, status: 'ok', data }, SOURCES.book);
  }

  #pushBook(market: ScriptedMarket, { sequence, bids, asks }: BookChange): void {
    const ch = `market.${idOf(market)}.mbp.150`;
    if (!this.#topics.has(ch)) return;
    const sides = { bids: numbers(bids), asks: numbers(asks) };
    const tick = { seqNum: sequence, prevSeqNum: sequence - 1, ...sides };
    this.connection.send({ ch, ts: Date.now(), tick }, SOURCES.bookChange);
  }

  #pushDetail(market: ScriptedMarket): void {
    const ch = `market.${idOf(market)}.detail`;
    if (!this.#topics.has(ch)) return;
    const { exchange } = this.connection;
    const id = exchange.bookOf(market).trades.length;
    const tick = { id, version: id, ...statisticsOf(exchange, market) };
    this.connection.send({ ch, ts: Date.now(), tick }, SOURCES.detail);
  }
}

const numbers = (levels: BookChange['bids']) => levels.map((level) => level.map(Number));

const accountRequest = z.union([
  z.strictObject({
    action: z.literal('req'),
    ch: z.literal('auth'),
    params: z.strictObject({
      authType: z.literal('api'),
      accessKey: z.string(),
      signatureMethod: z.literal('HmacSHA256'),
      signatureVersion: z.literal('2.1'),
      timestamp: z.string(),
      signature: z.string(),
    }),
  }),
  z.strictObject({
    action: z.literal('sub'),
    ch: z.enum(['orders#*', 'trade.clearing#*#0', 'accounts.update#2']),
  }),
]);
type Login = Extract<z.output<typeof accountRequest>, { action: 'req' }>['params'];
const accountPong = z.strictObject({ action: z.literal('pong'), data: z.strictObject({ ts: z.number() }) });

class AccountSession extends PingedSession {
  readonly #channels = new Set<string>();
  #account: Account | undefined;

  onEvent(event: ExchangeEvent): void {
    if (event.kind === 'order' && event.order.account === this.#account)
      this.#pushOrder(event.order, event.fill);
    if (event.kind === 'balances' && event.account === this.#account)
      for (const asset of event.assets) this.#pushBalance(event.account, asset, 'order.match');
  }

  protected override onRequest(message: unknown): void {
    const request = accountRequest.parse(message);
    if (request.action === 'req') this.#login(request.params);
    else this.#subscribe(request.ch);
  }

  protected override pingOf(ts: number): object {
    return { action: 'ping', data: { ts } };
  }

  protected override pongOf(message: unknown): number | undefined {
    return accountPong.safeParse(message).data?.data.ts;
  }

  #login({ accessKey, signatureMethod, signatureVersion, timestamp, signature }: Login): void {
    const query = [
      `accessKey=${encodeURIComponent(accessKey)}`,
      `signatureMethod=${signatureMethod}`,
      `signatureVersion=${signatureVersion}`,
      `timestamp=${encodeURIComponent(timestamp)}`,
    ].join('&');
    const { exchange } = this.connection;
    try {
      const signed = { method: 'GET', path: '/ws/v2', query, accessKey, timestamp, signature };
      this.#account = accountOfSignature(signed, exchange);
      this.connection.send({ action: 'req', code: 200, ch: 'auth', data: {} }, SOURCES.login);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.connection.send(
        { action: 'req', code: 2002, ch: 'auth', message: 'auth.fail' },
        SOURCES.accountRefusal,
      );
    }
  }

  #subscribe(ch: string): void {
    if (this.#account === undefined) {
      const refusal = { action: 'sub', code: 2002, ch, message: 'invalid.auth.state' };
      this.connection.send(refusal, SOURCES.accountRefusal);
      return;
    }
    this.#channels.add(ch);
    this.connection.send({ action: 'sub', code: 200, ch, data: {} }, SOURCES.channel);
    // The first messages are the balances of all accounts of the user.
    if (ch === 'accounts.update#2')
      for (const asset of this.#account.wallets.keys()) this.#pushBalance(this.#account, asset, null);
  }

  #pushOrder(order: Order, fill: Fill | undefined): void {
    if (fill !== undefined) {
      this.#push('orders#*', tradeView(order, fill), SOURCES.orders);
      if (this.#channels.has('trade.clearing#*#0'))
        this.connection.send({ ch: 'trade.clearing#*#0', data: clearingView(fill) }, SOURCES.fills);
    } else if (order.status === 'OPEN') this.#push('orders#*', creationView(order), SOURCES.creation);
    else this.#push('orders#*', cancellationView(order), SOURCES.orders);
  }

  #pushBalance(account: Account, asset: string, changeType: string | null): void {
    const wallet = account.wallets.get(asset);
    if (wallet === undefined) return;
    const data = {
      currency: asset.toLowerCase(),
      accountId: accountIdOf(account),
      balance: text(wallet.free.plus(wallet.locked)),
      available: text(wallet.free),
      changeType,
      accountType: 'trade',
      seqNum: '86872993928',
      changeTime: changeType === null ? null : Date.now(),
    };
    this.#push('accounts.update#2', data, SOURCES.balances);
  }

  #push(ch: string, data: object, source: Source): void {
    if (this.#channels.has(ch)) this.connection.send({ action: 'push', ch, data }, source);
  }
}
