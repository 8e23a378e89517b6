/**
 * The streams of spot and margin. Accounts subscribe over the WebSocket API:
 * https://developers.binance.com/docs/binance-spot-api-docs/websocket-api/user-data-stream-requests
 */
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
  Refusal,
  type RefusalKind,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { checkTime, idOf, signatureOf } from './common.js';
import { miniTicker, textsOf } from './market-data.js';
import { MarketSession } from './market-session.js';
import { COMMON_REFUSALS } from './refusals.js';
import { accountPosition, executionReport } from './spot-views.js';

const PAGE =
  'https://developers.binance.com/docs/binance-spot-api-docs/websocket-api/user-data-stream-requests';
const SOURCES = {
  // The recordings of accepted requests are no JSON.
  response: { page: PAGE },
  order: { recordings: ['Subscriptions/Spot/Account/Order#2'], page: PAGE },
  account: { recordings: ['Subscriptions/Spot/Account/AccountPosition#2'], page: PAGE },
  book: { page: 'https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams' },
  price: { recordings: ['Subscriptions/Spot/ExchangeData/MiniTicker#2'], part: 'data' },
} as const satisfies Readonly<Record<string, Source>>;

const BOTH = ['spot', 'margin'] as const;

export const SPOT_CHANNELS: Dialect['channels'] = [
  { name: 'userDataStream', capability: 'stream login', tradingTypes: BOTH, source: SOURCES.response },
  { name: 'executionReport', capability: 'stream of orders', tradingTypes: BOTH, source: SOURCES.order },
  { name: 'executionReport', capability: 'stream of fills', tradingTypes: BOTH, source: SOURCES.order },
  {
    name: 'outboundAccountPosition',
    capability: 'stream of balances',
    tradingTypes: BOTH,
    source: SOURCES.account,
  },
  { name: '@depth@100ms', capability: 'stream of books', tradingTypes: BOTH, source: SOURCES.book },
  { name: '@miniTicker', capability: 'stream of prices', tradingTypes: BOTH, source: SOURCES.price },
];

export function openSpotStream(connection: StreamConnection): StreamSession | undefined {
  if (connection.path === '/ws-api/v3') return new ApiSession(connection);
  return connection.path === '/ws'
    ? new SpotMarketSession(connection, ['@depth@100ms', '@miniTicker'])
    : undefined;
}

export const listenTokenOf = (number: number): string => `6xXxePXwZRjVSHKhzUCCGnmN3fkvMTXru-${number}`;

const request = z.discriminatedUnion('method', [
  z.strictObject({
    id: z.string(),
    method: z.literal('userDataStream.subscribe.signature'),
    params: z.strictObject({
      apiKey: z.string(),
      timestamp: z.number(),
      recvWindow: z.number(),
      signature: z.string(),
    }),
  }),
  z.strictObject({
    id: z.string(),
    method: z.literal('userDataStream.subscribe.listenToken'),
    params: z.strictObject({ listenToken: z.string() }),
  }),
  z.strictObject({
    id: z.string(),
    method: z.literal('userDataStream.unsubscribe'),
    params: z.strictObject({ subscriptionId: z.number() }),
  }),
]);
type Request = z.output<typeof request>;

/** A connection of the WebSocket API, which carries the streams of several accounts. */
class ApiSession implements StreamSession {
  readonly #subscriptions = new Map<number, Account>();
  #subscriptionCount = 0;

  constructor(private readonly connection: StreamConnection) {}

  onMessage(text: string): void {
    const message = request.parse(JSON.parse(text));
    const { id } = message;
    try {
      this.connection.send({ id, status: 200, result: this.#resultOf(message) }, SOURCES.response);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#refuse(id, error.kind);
    }
  }

  onEvent(event: ExchangeEvent): void {
    for (const [subscriptionId, account] of this.#subscriptions) {
      const send = (rendered: unknown, source: Source) =>
        this.connection.send({ subscriptionId, event: rendered }, source);
      if (event.kind === 'order' && event.order.account === account)
        send(executionReport(event.order, event.fill), SOURCES.order);
      if (event.kind === 'balances' && event.account === account)
        send(accountPosition(account, event.assets, this.connection.exchange.now()), SOURCES.account);
    }
  }

  #resultOf(message: Request): unknown {
    if (message.method === 'userDataStream.unsubscribe') {
      this.#subscriptions.delete(message.params.subscriptionId);
      return {};
    }
    const isToken = message.method === 'userDataStream.subscribe.listenToken';
    const account = isToken
      ? this.#accountOfToken(message.params.listenToken)
      : this.#signedBy(message.params);
    const subscriptionId = this.#subscriptionCount++;
    this.#subscriptions.set(subscriptionId, account);
    return isToken
      ? { subscriptionId, expirationTime: this.connection.exchange.now() + 86_400_000 }
      : { subscriptionId };
  }

  #accountOfToken(token: string): Account {
    const account = this.connection.exchange.accounts.find(({ number }) => listenTokenOf(number) === token);
    if (account === undefined) throw new Refusal('UNKNOWN_KEY');
    return account;
  }

  /** The signature covers the parameters in alphabetical order. */
  #signedBy({ signature, ...params }: { readonly apiKey: string; readonly signature: string }): Account {
    const account = this.connection.exchange.accounts.find(({ apiKey }) => apiKey === params.apiKey);
    if (account === undefined) throw new Refusal('UNKNOWN_KEY');
    const sorted = Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1));
    const signed = sorted.map(([name, value]) => `${name}=${value}`).join('&');
    if (signature !== signatureOf(signed, account)) throw new Refusal('BAD_SIGNATURE');
    checkTime(params, this.connection.exchange);
    return account;
  }

  #refuse(id: string, kind: RefusalKind): void {
    const [code, msg] = COMMON_REFUSALS[kind] ?? [-1000, 'An unknown error occurred.'];
    this.connection.send({ id, status: 400, error: { code, msg } }, SOURCES.response);
  }
}

class SpotMarketSession extends MarketSession {
  override onBook(market: ScriptedMarket, { bids, asks, sequence }: BookChange): void {
    const E = this.connection.exchange.now();
    const numbers = { U: sequence + 1, u: sequence + 1 };
    const sides = { b: textsOf(bids), a: textsOf(asks) };
    this.connection.send({ e: 'depthUpdate', E, s: idOf(market), ...numbers, ...sides }, SOURCES.book);
  }

  override onTrade(market: ScriptedMarket): void {
    this.connection.send(miniTicker(this.connection.exchange, market), SOURCES.price);
  }
}
