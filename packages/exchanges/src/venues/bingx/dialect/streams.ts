/** BingX's streams: https://bingx-api.github.io/docs-v3/#/en/Spot/Websocket%20Market%20Data */
import { z } from 'zod';
import type {
  Dialect,
  Source,
  StreamConnection,
  StreamSession,
} from '../../../../conformance/scripted/dialect.js';
import type { Account, ExchangeEvent, ScriptedMarket } from '../../../../conformance/scripted/model.js';
import { accountOfListenKey } from './access.js';
import { balanceChangeView, docs, executionView, idOf, levels, reference } from './views.js';

const recorded = 'Subscriptions/Spot';
const SOURCES = {
  // The pages of earlier versions show the message. The newest page names it alone.
  ping: { page: reference('references/websocket') },
  accepted: { recordings: [`${recorded}/Price#1`, `${recorded}/Order#1`, `${recorded}/Balance#1`] },
  refused: { page: docs('Spot/Websocket%20Market%20Data/Spot%20Latest%20Trade%20Price') },
  orders: {
    recordings: [`${recorded}/Order#2`],
    page: docs('Spot/Websocket%20Account%20Data/order%20update%20event'),
  },
  balances: {
    recordings: [`${recorded}/Balance#2`],
    page: docs('Spot/Websocket%20Account%20Data/Subscription%20account%20balance%20push'),
  },
  books: { page: reference('spot-ws-market/api-reference') },
  prices: {
    recordings: [`${recorded}/Price#2`],
    page: docs('Spot/Websocket%20Market%20Data/Spot%20Latest%20Trade%20Price'),
  },
} as const satisfies Readonly<Record<string, Source>>;

type Channel = Dialect['channels'][number];
const channel = (name: string, capability: Channel['capability'], source: Source): Channel => ({
  name,
  capability,
  tradingTypes: ['spot'],
  source,
});

const ORDERS = 'spot.executionReport';
const BALANCES = 'ACCOUNT_UPDATE';

export const CHANNELS: Dialect['channels'] = [
  channel(ORDERS, 'stream of orders', SOURCES.orders),
  channel(`${ORDERS}: TRADE`, 'stream of fills', SOURCES.orders),
  channel(BALANCES, 'stream of balances', SOURCES.balances),
  channel('*@incrDepth', 'stream of books', SOURCES.books),
  channel('*@lastPrice', 'stream of prices', SOURCES.prices),
];

const PATH = '/market';

export function openStream(connection: StreamConnection): StreamSession | undefined {
  if (connection.path !== PATH) return undefined;
  const listenKey = new URLSearchParams(connection.query).get('listenKey');
  const account = listenKey === null ? undefined : accountOfListenKey(connection.exchange, listenKey);
  return new Session(connection, account);
}

const request = z.strictObject({ id: z.string(), reqType: z.enum(['sub', 'unsub']), dataType: z.string() });
const pong = z.strictObject({ pong: z.string(), time: z.string() });

/**
 * The exchange sends pings at intervals, and disconnects a client that does not answer them. Here it sends one ping, and
 * does nothing else before it is answered.
 */
class Session implements StreamSession {
  readonly #ping = { ping: '2177c68e4d0e45679965f482929b59c2', time: new Date().toISOString() };
  readonly #topics = new Set<string>();
  #waiting: unknown[] | undefined = [];

  constructor(
    private readonly connection: StreamConnection,
    private readonly account: Account | undefined,
  ) {
    connection.send(this.#ping, SOURCES.ping);
  }

  onMessage(text: string): void {
    const message: unknown = JSON.parse(text);
    const { data } = pong.safeParse(message);
    if (data?.pong === this.#ping.ping && data.time === this.#ping.time) {
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      for (const each of waiting) this.#subscribe(each);
    } else if (this.#waiting === undefined) this.#subscribe(message);
    else this.#waiting.push(message);
  }

  onEvent(event: ExchangeEvent): void {
    if (event.kind === 'book') this.#pushBook(event.market, 'update', event.change);
    else if (event.kind === 'trade') this.#pushPrice(event.market, event.price.toString());
    else if (event.kind === 'order' && event.order.account === this.account)
      this.#push(ORDERS, executionView(event.order, event.fill), SOURCES.orders);
    else if (event.kind === 'balances' && event.account === this.account) this.#pushBalances(event.assets);
  }

  #subscribe(message: unknown): void {
    const { id, reqType, dataType } = request.parse(message);
    const market = this.connection.exchange.markets.find((each) => dataType.startsWith(`${idOf(each)}@`));
    const isTopic =
      market === undefined
        ? this.account !== undefined && [ORDERS, BALANCES].includes(dataType)
        : [bookTopic(market), priceTopic(market)].includes(dataType);
    if (!isTopic) {
      this.connection.send({ id, code: 80_015, msg: 'dataType not supported' }, SOURCES.refused);
      return;
    }
    if (reqType === 'sub') this.#topics.add(dataType);
    else this.#topics.delete(dataType);
    this.connection.send({ id, code: 0, msg: '' }, SOURCES.accepted);
    if (market !== undefined && reqType === 'sub' && dataType === bookTopic(market)) {
      const book = this.connection.exchange.bookOf(market);
      const sides = { bids: book.levelsOf('BUY'), asks: book.levelsOf('SELL') };
      this.#pushBook(market, 'all', { sequence: book.sequence, ...sides });
    }
  }

  #pushBook(
    market: ScriptedMarket,
    action: 'all' | 'update',
    { sequence, bids, asks }: Extract<ExchangeEvent, { kind: 'book' }>['change'],
  ): void {
    const sides = { bids: levels(bids), asks: levels(asks) };
    this.#push(bookTopic(market), { action, lastUpdateId: sequence, ...sides, T: Date.now() }, SOURCES.books);
  }

  #pushPrice(market: ScriptedMarket, c: string): void {
    const dataType = priceTopic(market);
    if (!this.#topics.has(dataType)) return;
    const data = { c, e: 'lastPriceUpdate', s: idOf(market) };
    this.connection.send({ code: 0, data, dataType, success: true }, SOURCES.prices);
  }

  #pushBalances(assets: readonly string[]): void {
    if (this.account === undefined || !this.#topics.has(BALANCES)) return;
    this.connection.send(balanceChangeView(this.account, assets), SOURCES.balances);
  }

  #push(dataType: string, data: object, source: Source): void {
    if (this.#topics.has(dataType)) this.connection.send({ code: 0, dataType, data }, source);
  }
}

const bookTopic = (market: ScriptedMarket): string => `${idOf(market)}@incrDepth`;
const priceTopic = (market: ScriptedMarket): string => `${idOf(market)}@lastPrice`;
