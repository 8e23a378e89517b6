/** Bitget's streams: https://www.bitget.com/api-doc/uta/websocket/private/Account-Channel */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type {
  Dialect,
  Source,
  StreamConnection,
  StreamSession,
} from '../../../../conformance/scripted/dialect.js';
import type { Account, ExchangeEvent, ScriptedMarket } from '../../../../conformance/scripted/model.js';
import { docs } from './call.js';
import { tickerFields } from './public-routes.js';
import {
  categoryOf,
  coinFields,
  idOf,
  marginFields,
  marketOf,
  streamedFill,
  streamedOrder,
  streamedPosition,
} from './views.js';

const ALL = ['spot', 'margin', 'perpetual'] as const;
const INTRO = 'https://www.bitget.com/api-doc/common/websocket-intro';
/** The documentation names the pair `symbol`; the recorded client sent the older name. */
const PAIR = ['arg.symbol', 'arg.instId'];
const SOURCES = {
  login: { recordings: ['Subscriptions/Unified/Order#1'], page: INTRO },
  subscribePrivate: { recordings: ['Subscriptions/Unified/Order#2'], page: INTRO },
  subscribePublic: {
    recordings: ['Subscriptions/Unified/Book#1'],
    documented: PAIR,
    page: docs('websocket/public/Order-Book-Channel'),
  },
  order: {
    recordings: ['Subscriptions/Unified/Order#3'],
    page: docs('websocket/private/Order-Channel'),
  },
  fill: { recordings: ['Subscriptions/Unified/UserTrade#3'], page: docs('websocket/private/Fill-Channel') },
  account: {
    recordings: ['Subscriptions/Unified/Account#3'],
    page: docs('websocket/private/Account-Channel'),
  },
  position: {
    recordings: ['Subscriptions/Unified/Position#3'],
    page: docs('websocket/private/Positions-Channel'),
  },
  books: {
    recordings: ['Subscriptions/Unified/Book#2'],
    // The numbers are longer than a JavaScript number can be. A test cannot render them as JSON numbers.
    documented: ['data.seq', 'data.pseq', 'data.maxDepth', 'data.checksum'],
    page: docs('websocket/public/Order-Book-Channel'),
  },
  ticker: {
    recordings: ['Subscriptions/Unified/Ticker#2'],
    documented: PAIR,
    page: docs('websocket/public/Tickers-Channel'),
  },
  unsubscribe: { page: INTRO },
  refusal: { page: docs('error-code/websocket') },
} as const satisfies Readonly<Record<string, Source>>;

export const CHANNELS: Dialect['channels'] = [
  { name: 'login', capability: 'stream login', tradingTypes: ALL, source: SOURCES.login },
  { name: 'order', capability: 'stream of orders', tradingTypes: ALL, source: SOURCES.order },
  { name: 'fill', capability: 'stream of fills', tradingTypes: ALL, source: SOURCES.fill },
  { name: 'account', capability: 'stream of balances', tradingTypes: ALL, source: SOURCES.account },
  {
    name: 'position',
    capability: 'stream of positions',
    tradingTypes: ['perpetual'],
    source: SOURCES.position,
  },
  { name: 'books', capability: 'stream of books', tradingTypes: ALL, source: SOURCES.books },
  { name: 'ticker', capability: 'stream of prices', tradingTypes: ALL, source: SOURCES.ticker },
];

const login = z.strictObject({
  apiKey: z.string(),
  passphrase: z.string(),
  timestamp: z.string(),
  sign: z.string(),
});
const op = z.enum(['subscribe', 'unsubscribe']);
const privateChannel = z.strictObject({
  instType: z.literal('UTA'),
  topic: z.enum(['order', 'fill', 'account', 'position']),
});
const publicChannel = z.strictObject({
  instType: z.enum(['spot', 'usdt-futures', 'usdc-futures']),
  topic: z.enum(['books', 'ticker']),
  symbol: z.string(),
});
const privateRequest = z.union([
  z.strictObject({ op: z.literal('login'), args: z.tuple([login]) }),
  z.strictObject({ op, args: z.array(privateChannel).min(1) }),
]);
const publicRequest = z.strictObject({ op, args: z.array(publicChannel).min(1) });
type PrivateChannel = z.output<typeof privateChannel>;
type PublicChannel = z.output<typeof publicChannel>;

const LOGIN_LIFE_MS = 30_000;

export function openBitgetStream(connection: StreamConnection): StreamSession | undefined {
  if (connection.path === '/v3/ws/private') return new PrivateSession(connection);
  return connection.path === '/v3/ws/public' ? new PublicSession(connection) : undefined;
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

  protected refuse(code: number): void {
    this.connection.send({ event: 'error', code, msg: 'refused' }, SOURCES.refusal);
    this.connection.close();
  }

  protected change(event: 'subscribe' | 'unsubscribe', channels: readonly C[], source: Source): void {
    for (const arg of channels) {
      this.connection.send({ event, arg }, event === 'subscribe' ? source : SOURCES.unsubscribe);
      if (event === 'unsubscribe') this.channels.delete(JSON.stringify(arg));
      else {
        this.channels.set(JSON.stringify(arg), arg);
        this.onSubscribed(arg);
      }
    }
  }

  protected push(arg: C, records: readonly unknown[], source: Source, action = 'snapshot'): void {
    this.connection.send({ action, arg, data: records, ts: Date.now() }, source);
  }
}

class PrivateSession extends Session<PrivateChannel> {
  #account: Account | undefined;

  onEvent(event: ExchangeEvent): void {
    const account = this.#account;
    if (account === undefined) return;
    if (event.kind === 'order' && event.order.account === account) {
      const { exchange } = this.connection;
      const fills = exchange.fills.filter((fill) => fill.order === event.order);
      // The exchange does not promise which of the two comes first.
      this.#push('order', streamedOrder(event.order, fills));
      if (event.fill !== undefined) this.#push('fill', streamedFill(event.fill));
    }
    if (event.kind === 'balances' && event.account === account) this.#pushAccount(account);
    if (event.kind === 'position' && event.account === account)
      this.#push('position', streamedPosition(this.connection.exchange, account, event.position));
  }

  protected receive(message: unknown): void {
    const request = privateRequest.parse(message);
    if (request.op === 'login') this.#login(request.args[0]);
    else if (this.#account === undefined) this.refuse(30_004);
    else this.change(request.op, request.args, SOURCES.subscribePrivate);
  }

  /** The exchange sends the present state of the account after the subscription. */
  protected onSubscribed({ topic }: PrivateChannel): void {
    if (topic === 'account' && this.#account !== undefined) this.#pushAccount(this.#account);
  }

  #login({ apiKey, passphrase, timestamp, sign }: z.output<typeof login>): void {
    const { exchange } = this.connection;
    const account = exchange.accounts.find((each) => each.apiKey === apiKey);
    if (account === undefined) {
      this.refuse(30_011);
      return;
    }
    const signed = `${timestamp}GET/user/verify`;
    const expected = createHmac('sha256', account.apiSecret).update(signed).digest('base64');
    if (sign !== expected) this.refuse(30_015);
    else if (passphrase !== account.passphrase) this.refuse(30_012);
    else if (!(Math.abs(exchange.now() - Number(timestamp) * 1_000) <= LOGIN_LIFE_MS)) this.refuse(30_014);
    else {
      this.#account = account;
      this.connection.send({ event: 'login', code: '0', msg: '' }, SOURCES.login);
    }
  }

  #pushAccount(account: Account): void {
    const { exchange } = this.connection;
    const margin = exchange.marginOf(account, 'USDT');
    const coin = coinFields(account).map((each) => ({ ...each, debts: '0', borrow: '0' }));
    this.#push('account', {
      ...marginFields(exchange, account),
      unrealisedPnL: margin.unrealized.toString(),
      totalEquity: margin.equity.toString(),
      coin,
    });
  }

  #push(topic: PrivateChannel['topic'], record: unknown): void {
    for (const arg of this.channels.values())
      if (arg.topic === topic) this.push(arg, [record], SOURCES[topic]);
  }
}

/** The numbers of books are longer than a JavaScript number can be. */
const numberOf = (sequence: number): string => String(1_304_314_508_780_744_705n + BigInt(sequence));

class PublicSession extends Session<PublicChannel> {
  onEvent(event: ExchangeEvent): void {
    if (event.kind !== 'book' && event.kind !== 'trade') return;
    const instType = categoryOf(event.market).toLowerCase();
    for (const arg of this.channels.values()) {
      if (arg.symbol !== idOf(event.market) || arg.instType !== instType) continue;
      if (event.kind === 'book' && arg.topic === 'books') {
        const { bids, asks, sequence } = event.change;
        this.#sendBook(arg, { action: 'update', bids, asks, sequence });
      }
      if (event.kind === 'trade' && arg.topic === 'ticker')
        this.push(arg, [tickerFields(this.connection.exchange, event.market)], SOURCES.ticker);
    }
  }

  protected receive(message: unknown): void {
    const request = publicRequest.parse(message);
    this.change(request.op, request.args, SOURCES.subscribePublic);
  }

  protected onSubscribed(arg: PublicChannel): void {
    if (arg.topic !== 'books') return;
    const market: ScriptedMarket = marketOf(this.connection.exchange, arg.instType.toUpperCase(), arg.symbol);
    const book = this.connection.exchange.bookOf(market);
    const [bids, asks] = [book.levelsOf('BUY'), book.levelsOf('SELL')];
    this.#sendBook(arg, { action: 'snapshot', bids, asks, sequence: book.sequence });
  }

  #sendBook(arg: PublicChannel, { action, bids, asks, sequence }: BookMessage): void {
    const levels = (side: Levels) => side.map((level) => level.map(String));
    const data = {
      a: levels(asks),
      b: levels(bids),
      pseq: action === 'snapshot' ? 0 : numberOf(sequence - 1),
      seq: numberOf(sequence),
      checksum: 0,
      ts: String(this.connection.exchange.now()),
    };
    this.push(arg, [data], SOURCES.books, action);
  }
}

type Levels = readonly (readonly [price: { toString(): string }, amount: { toString(): string }])[];
interface BookMessage {
  readonly action: 'snapshot' | 'update';
  readonly bids: Levels;
  readonly asks: Levels;
  readonly sequence: number;
}
