/** OKX's streams: https://www.okx.com/docs-v5/en/#overview-websocket */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type {
  Dialect,
  Source,
  StreamConnection,
  StreamSession,
} from '../../../../conformance/scripted/dialect.js';
import type { Account, ExchangeEvent, ScriptedMarket } from '../../../../conformance/scripted/model.js';
import { tickerOf } from './public-routes.js';
import { idOf, marketOf, positionView, productOf, sizeOf, streamedOrder, walletView } from './views.js';

const ALL = ['spot', 'margin', 'perpetual'] as const;
const docs = (section: string) => `https://www.okx.com/docs-v5/en/#${section}`;
const SOURCES = {
  login: { recordings: ['Subscriptions/Unified/Trading/Order#1'], page: docs('overview-websocket-login') },
  subscribePrivate: {
    recordings: [
      'Subscriptions/Unified/Trading/Order#2',
      'Subscriptions/Unified/Account/Balance#2',
      'Subscriptions/Unified/Trading/Position#2',
    ],
    // The exchange repeats all parameters of the request.
    documented: ['arg.extraParams'],
    page: docs('overview-websocket-subscribe'),
  },
  subscribePublic: {
    recordings: ['Subscriptions/Unified/ExchangeData/OrderBook#1'],
    page: docs('overview-websocket-subscribe'),
  },
  orders: {
    recordings: ['Subscriptions/Unified/Trading/Order#3'],
    page: docs('order-book-trading-trade-ws-order-channel'),
  },
  account: {
    recordings: ['Subscriptions/Unified/Account/Balance#3'],
    documented: ['arg.extraParams', 'data.details.coinUsdPrice'],
    page: docs('trading-account-websocket-account-channel'),
  },
  positions: {
    recordings: ['Subscriptions/Unified/Trading/Position#3'],
    documented: ['arg.extraParams'],
    page: docs('trading-account-websocket-positions-channel'),
  },
  books: {
    recordings: ['Subscriptions/Unified/ExchangeData/OrderBook#2'],
    // Whether the message is a complete book or a change. The recording is cut.
    documented: ['action'],
    page: docs('order-book-trading-market-data-ws-order-book-channel'),
  },
  tickers: {
    recordings: ['Subscriptions/Unified/ExchangeData/Ticker#2'],
    page: docs('order-book-trading-market-data-ws-tickers-channel'),
  },
  unsubscribe: { page: docs('overview-websocket-unsubscribe') },
  refusal: { page: docs('error-code-websocket-public') },
} as const satisfies Readonly<Record<string, Source>>;

export const CHANNELS: Dialect['channels'] = [
  { name: 'login', capability: 'stream login', tradingTypes: ALL, source: SOURCES.login },
  { name: 'orders', capability: 'stream of orders', tradingTypes: ALL, source: SOURCES.orders },
  { name: 'orders (last fill)', capability: 'stream of fills', tradingTypes: ALL, source: SOURCES.orders },
  { name: 'account', capability: 'stream of balances', tradingTypes: ALL, source: SOURCES.account },
  {
    name: 'positions',
    capability: 'stream of positions',
    tradingTypes: ['perpetual'],
    source: SOURCES.positions,
  },
  { name: 'books', capability: 'stream of books', tradingTypes: ALL, source: SOURCES.books },
  { name: 'tickers', capability: 'stream of prices', tradingTypes: ALL, source: SOURCES.tickers },
];

const login = z.strictObject({
  apiKey: z.string(),
  passphrase: z.string(),
  timestamp: z.string(),
  sign: z.string(),
});
const extraParams = z.string().refine((value) => JSON.parse(value).updateInterval === '0');
const privateChannel = z.discriminatedUnion('channel', [
  z.strictObject({ channel: z.literal('orders'), instType: z.enum(['SPOT', 'MARGIN', 'SWAP']) }),
  z.strictObject({ channel: z.literal('account'), extraParams: extraParams.optional() }),
  z.strictObject({
    channel: z.literal('positions'),
    instType: z.literal('SWAP'),
    extraParams: extraParams.optional(),
  }),
]);
const publicChannel = z.strictObject({ channel: z.enum(['books', 'tickers']), instId: z.string() });
const op = z.enum(['subscribe', 'unsubscribe']);
const privateRequest = z.union([
  z.strictObject({ op: z.literal('login'), args: z.tuple([login]) }),
  z.strictObject({ op, args: z.array(privateChannel).min(1) }),
]);
const publicRequest = z.strictObject({ op, args: z.array(publicChannel).min(1) });
type PrivateChannel = z.output<typeof privateChannel>;
type PublicChannel = z.output<typeof publicChannel>;

const CONNECTION = 'a4d3ae55';
const LOGIN_LIFE_MS = 30_000;

export function openOkxStream(connection: StreamConnection): StreamSession | undefined {
  if (connection.path === '/ws/v5/private') return new PrivateSession(connection);
  return connection.path === '/ws/v5/public' ? new PublicSession(connection) : undefined;
}

abstract class Session<C extends object> implements StreamSession {
  protected readonly channels = new Map<string, C>();

  constructor(protected readonly connection: StreamConnection) {}

  onMessage(text: string): void {
    if (text === 'ping') this.connection.sendText('pong');
    else this.receive(JSON.parse(text));
  }

  abstract onEvent(event: ExchangeEvent): void;

  protected abstract receive(message: unknown): void;
  protected abstract onSubscribed(channel: C): void;

  protected refuse(code: string): void {
    this.connection.send({ event: 'error', code, msg: 'refused', connId: CONNECTION }, SOURCES.refusal);
    this.connection.close();
  }

  protected change(event: 'subscribe' | 'unsubscribe', channels: readonly C[], source: Source): void {
    for (const arg of channels) {
      const message = { event, arg, connId: CONNECTION };
      this.connection.send(message, event === 'subscribe' ? source : SOURCES.unsubscribe);
      if (event === 'unsubscribe') this.channels.delete(JSON.stringify(arg));
      else {
        this.channels.set(JSON.stringify(arg), arg);
        this.onSubscribed(arg);
      }
    }
  }
}

class PrivateSession extends Session<PrivateChannel> {
  #account: Account | undefined;

  onEvent(event: ExchangeEvent): void {
    const account = this.#account;
    if (account === undefined) return;
    if (event.kind === 'order' && event.order.account === account) {
      const record = streamedOrder(event.order, event.fill);
      this.#push('orders', record, productOf(event.order.market));
    }
    if (event.kind === 'balances' && event.account === account) this.#pushAccount(account, event.assets);
    if (event.kind === 'position' && event.account === account)
      this.#push('positions', positionView(this.connection.exchange, account, event.position));
  }

  protected receive(message: unknown): void {
    const request = privateRequest.parse(message);
    if (request.op === 'login') this.#login(request.args[0]);
    else if (this.#account === undefined) this.refuse('60011');
    else this.change(request.op, request.args, SOURCES.subscribePrivate);
  }

  /** The exchange sends the present state of the account after the subscription. */
  protected onSubscribed({ channel }: PrivateChannel): void {
    const account = this.#account;
    if (channel === 'account' && account !== undefined)
      this.#pushAccount(account, [...account.wallets.keys()]);
  }

  #login({ apiKey, passphrase, timestamp, sign }: z.output<typeof login>): void {
    const { exchange } = this.connection;
    const account = exchange.accounts.find((each) => each.apiKey === apiKey);
    if (account === undefined) {
      this.refuse('60005');
      return;
    }
    const signed = `${timestamp}GET/users/self/verify`;
    const expected = createHmac('sha256', account.apiSecret).update(signed).digest('base64');
    if (sign !== expected) this.refuse('60007');
    else if (passphrase !== account.passphrase) this.refuse('60024');
    else if (!(Math.abs(exchange.now() - Number(timestamp) * 1_000) <= LOGIN_LIFE_MS)) this.refuse('60006');
    else {
      this.#account = account;
      const message = { event: 'login', code: '0', msg: '', connId: CONNECTION };
      this.connection.send(message, SOURCES.login);
    }
  }

  #pushAccount(account: Account, assets: readonly string[]): void {
    const { details, ...rest } = walletView(this.connection.exchange, account);
    const changed = details.filter(({ ccy }) => assets.includes(ccy));
    this.#push('account', {
      ...rest,
      details: changed.map((detail) => ({ ...detail, coinUsdPrice: '1' })),
    });
  }

  #push(channel: PrivateChannel['channel'], record: unknown, instType?: string): void {
    for (const arg of this.channels.values()) {
      const isOther = arg.channel === 'orders' && arg.instType !== instType;
      if (arg.channel === channel && !isOther)
        this.connection.send({ arg, data: [record] }, SOURCES[channel]);
    }
  }
}

class PublicSession extends Session<PublicChannel> {
  onEvent(event: ExchangeEvent): void {
    for (const arg of this.channels.values()) {
      if (event.kind === 'book' && arg.channel === 'books' && arg.instId === idOf(event.market)) {
        const { bids, asks, sequence } = event.change;
        this.#sendBook(arg, event.market, { action: 'update', bids, asks, sequence });
      }
      if (event.kind === 'trade' && arg.channel === 'tickers' && arg.instId === idOf(event.market)) {
        const record = tickerOf(this.connection.exchange, event.market);
        this.connection.send({ arg, data: [record] }, SOURCES.tickers);
      }
    }
  }

  protected receive(message: unknown): void {
    const request = publicRequest.parse(message);
    this.change(request.op, request.args, SOURCES.subscribePublic);
  }

  protected onSubscribed(arg: PublicChannel): void {
    if (arg.channel !== 'books') return;
    const market = marketOf(this.connection.exchange, arg.instId);
    const book = this.connection.exchange.bookOf(market);
    const [bids, asks] = [book.levelsOf('BUY'), book.levelsOf('SELL')];
    this.#sendBook(arg, market, { action: 'snapshot', bids, asks, sequence: book.sequence });
  }

  #sendBook(arg: PublicChannel, market: ScriptedMarket, { action, bids, asks, sequence }: BookMessage): void {
    const levels = (side: Levels) =>
      side.map(([price, amount]) => [price.toString(), sizeOf(market, amount), '0', '1']);
    const prevSeqId = action === 'snapshot' ? -1 : sequence;
    const data = {
      asks: levels(asks),
      bids: levels(bids),
      ts: String(this.connection.exchange.now()),
      checksum: 0,
      prevSeqId,
      seqId: sequence + 1,
    };
    this.connection.send({ arg, action, data: [data] }, SOURCES.books);
  }
}

type Levels = readonly (readonly [price: { toString(): string }, amount: Parameters<typeof sizeOf>[1]])[];
interface BookMessage {
  readonly action: 'snapshot' | 'update';
  readonly bids: Levels;
  readonly asks: Levels;
  readonly sequence: number;
}
