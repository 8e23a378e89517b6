/** KuCoin's streams: https://www.kucoin.com/docs-new/websocket-api/base-info/introduction */
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
  Fill,
  Order,
  ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { positionOf } from '../../../../conformance/scripted/positions.js';
import { countLevels, sequenceOf } from './book-sequence.js';
import * as futures from './futures-views.js';
import { accountOfToken } from './params.js';
import * as spot from './spot-views.js';

const SPOT = ['spot', 'margin'] as const;
const PERPETUAL = ['perpetual'] as const;
const page = 'https://www.kucoin.com/docs-new/websocket-api/base-info/introduction';

const SOURCES = {
  welcome: { page },
  ack: { recordings: ['Subscriptions/Spot/Balance#1'] },
  received: { recordings: ['Subscriptions/Spot/NewOrder#2'] },
  order: { recordings: ['Subscriptions/Spot/OrderUpdate#2'] },
  match: { recordings: ['Subscriptions/Spot/MatchOrder#2'] },
  balance: { recordings: ['Subscriptions/Spot/Balance#2'] },
  spotBook: { recordings: ['Subscriptions/Spot/AggBook#2'] },
  spotTicker: { recordings: ['Subscriptions/Spot/Ticker#2'] },
  futuresOrder: { recordings: ['Subscriptions/Futures/Order#2'] },
  wallet: { recordings: ['Subscriptions/Futures/Wallet#2'] },
  position: {
    recordings: ['Subscriptions/Futures/Position#2'],
    documented: ['data.leverage', 'data.marginMode', 'data.positionSide'],
    page,
  },
  markPrice: { recordings: ['Subscriptions/Futures/PositionMarkPrice#2'] },
  futuresBook: { recordings: ['Subscriptions/Futures/Book#2'] },
  futuresTrade: { recordings: ['Subscriptions/Futures/Trades#2'] },
} as const satisfies Readonly<Record<string, Source>>;

type Capability = Dialect['channels'][number]['capability'];
const channel = (
  name: string,
  capability: Capability,
  tradingTypes: Dialect['channels'][number]['tradingTypes'],
  source: Source,
) => ({ name, capability, tradingTypes, source });

export const CHANNELS: Dialect['channels'] = [
  channel('subscribe', 'stream login', [...SPOT, ...PERPETUAL], SOURCES.ack),
  channel('/spotMarket/tradeOrdersV2', 'stream of orders', SPOT, SOURCES.order),
  channel('/spotMarket/tradeOrdersV2: match', 'stream of fills', SPOT, SOURCES.match),
  channel('/account/balance', 'stream of balances', SPOT, SOURCES.balance),
  channel('/market/level2', 'stream of books', SPOT, SOURCES.spotBook),
  channel('/market/ticker', 'stream of prices', SPOT, SOURCES.spotTicker),
  channel('/contractMarket/tradeOrders', 'stream of orders', PERPETUAL, SOURCES.futuresOrder),
  channel('/contractAccount/wallet', 'stream of balances', PERPETUAL, SOURCES.wallet),
  channel('/contract/positionAll', 'stream of positions', PERPETUAL, SOURCES.position),
  channel('/contract/positionAll: mark price', 'stream of positions', PERPETUAL, SOURCES.markPrice),
  channel('/contractMarket/level2', 'stream of books', PERPETUAL, SOURCES.futuresBook),
  channel('/contractMarket/execution', 'stream of prices', PERPETUAL, SOURCES.futuresTrade),
];

const request = z.discriminatedUnion('type', [
  z.strictObject({ id: z.string(), type: z.literal('ping') }),
  z.strictObject({
    id: z.string(),
    type: z.enum(['subscribe', 'unsubscribe']),
    topic: z.string(),
    privateChannel: z.boolean(),
    response: z.literal(true),
  }),
]);

export function openKucoinStream(connection: StreamConnection): StreamSession | undefined {
  return connection.path === '/endpoint' ? new Session(connection) : undefined;
}

class Session implements StreamSession {
  readonly #topics = new Set<string>();
  /** Undefined for a connection of public data. */
  readonly #account: Account | undefined;

  constructor(private readonly connection: StreamConnection) {
    const query = new URLSearchParams(connection.query);
    this.#account = accountOfToken(connection.exchange, query.get('token') ?? '');
    countLevels(connection.exchange);
    // The exchange accepts subscriptions after this message.
    connection.send({ id: query.get('connectId'), type: 'welcome' }, SOURCES.welcome);
  }

  onMessage(text: string): void {
    const message = request.parse(JSON.parse(text));
    const { id } = message;
    if (message.type === 'ping') {
      this.connection.send({ id, type: 'pong', timestamp: Date.now() * 1_000 }, SOURCES.welcome);
      return;
    }
    if (message.privateChannel && this.#account === undefined) throw new Error('a public token');
    const [name = '', markets] = message.topic.split(':');
    for (const market of markets?.split(',') ?? [undefined]) {
      const topic = market === undefined ? name : `${name}:${market}`;
      if (message.type === 'subscribe') this.#topics.add(topic);
      else this.#topics.delete(topic);
    }
    this.connection.send({ id, type: 'ack' }, SOURCES.ack);
  }

  onEvent(event: ExchangeEvent): void {
    if (event.kind === 'book') this.#pushBook(event.market, event.change);
    else if (event.kind === 'trade') this.#pushTrade(event.market, event);
    else if (event.kind === 'mark price') this.#pushMarkPrice(event.market);
    else if (event.kind === 'order') {
      if (event.order.account === this.#account) this.#pushOrder(event.order, event.fill);
    } else if (event.account === this.#account) this.#pushAccount(event);
  }

  #pushOrder(order: Order, fill: Fill | undefined): void {
    if (order.market.kind === 'PERPETUAL') {
      const topic = '/contractMarket/tradeOrders';
      const source = SOURCES.futuresOrder;
      const privately = { channelType: 'private' };
      if (fill !== undefined)
        this.#push(topic, 'symbolOrderChange', futures.orderMessage(order, fill), source, privately);
      if (fill === undefined || order.status === 'FILLED')
        this.#push(topic, 'symbolOrderChange', futures.orderMessage(order, undefined), source, privately);
      return;
    }
    const push = (data: unknown, source: Source) =>
      this.#push('/spotMarket/tradeOrdersV2', 'orderChange', data, source, { channelType: 'private' });
    const isNew = fill === undefined && order.filled.isZero() && order.status === 'OPEN';
    if (isNew) push(spot.receivedMessage(order), SOURCES.received);
    if (fill !== undefined) push(spot.matchMessage(fill), SOURCES.match);
    if (fill === undefined || order.status === 'FILLED') push(spot.changeMessage(order), SOURCES.order);
  }

  #pushMarkPrice(market: ScriptedMarket): void {
    const topic = '/contract/positionAll';
    if (this.#account === undefined || !this.#topics.has(topic)) return;
    const position = positionOf(this.#account, market);
    if (position.size.isZero()) return;
    const data = futures.markPriceMessage(this.connection.exchange, this.#account, position);
    const userId = String(spot.userIdOf(this.#account));
    this.connection.send({ userId, topic, subject: 'position.change', data }, SOURCES.markPrice);
  }

  #pushAccount(event: Extract<ExchangeEvent, { kind: 'balances' | 'position' }>): void {
    const { account } = event;
    const userId = String(spot.userIdOf(account));
    if (event.kind === 'position') {
      const data = futures.positionMessage(this.connection.exchange, account, event.position);
      const more = { userId, channelType: 'private' };
      this.#push('/contract/positionAll', 'position.change', data, SOURCES.position, more);
      return;
    }
    const data = futures.walletMessage(account);
    this.#push('/contractAccount/wallet', 'walletBalance.change', data, SOURCES.wallet, {
      userId,
      type: undefined,
    });
    const relation = account.apiKey.startsWith('margin') ? 'margin.setted' : 'trade.setted';
    const more = { userId, channelType: 'private', id: '2176438929850496' };
    for (const asset of event.assets)
      this.#push(
        '/account/balance',
        'account.balance',
        spot.balanceMessage(account, asset, relation),
        SOURCES.balance,
        more,
      );
  }

  #push(topic: string, subject: string, data: unknown, source: Source, more: object = {}): void {
    if (this.#topics.has(topic))
      this.connection.send({ type: 'message', topic, subject, ...more, data }, source);
  }

  #pushBook(market: ScriptedMarket, { sequence, bids, asks }: BookChange): void {
    const time = Date.now();
    const texts = (levels: BookChange['bids']) =>
      levels.map(([price, amount]) => [price.toString(), amount.toString(), String(sequence)]);
    const changes = { asks: texts(asks), bids: texts(bids) };
    const symbol = spot.idOf(market);
    const range = { sequenceStart: sequence, sequenceEnd: sequence };
    this.#push(
      `/market/level2:${symbol}`,
      'trade.l2update',
      { changes, ...range, symbol, time },
      SOURCES.spotBook,
    );
    // One message for each level of futures; the last one has the number of the last change.
    const levels = [
      ...bids.map((level) => ['buy', level] as const),
      ...asks.map((level) => ['sell', level] as const),
    ];
    const first = sequenceOf(this.connection.exchange, market) - levels.length + 1;
    for (const [i, [side, [price, amount]]] of levels.entries()) {
      const change = `${price},${side},${futures.contractsOf(amount, market)}`;
      const data = { sequence: first + i, change, timestamp: time };
      this.#push(`/contractMarket/level2:${futures.idOf(market)}`, 'level2', data, SOURCES.futuresBook);
    }
  }

  #pushTrade(market: ScriptedMarket, { price, amount }: Extract<ExchangeEvent, { kind: 'trade' }>): void {
    const text = price.toString();
    const time = Date.now();
    const best = { bestAsk: text, bestAskSize: '0', bestBid: text, bestBidSize: '0' };
    const ticker = { sequence: '1', price: text, size: amount.toString(), ...best, time };
    this.#push(`/market/ticker:${spot.idOf(market)}`, 'trade.ticker', ticker, SOURCES.spotTicker);
    const symbol = futures.idOf(market);
    const ids = { takerOrderId: '1', makerOrderId: '2', tradeId: '3' };
    const size = futures.contractsOf(amount, market);
    const trade = { symbol, sequence: 1, side: 'buy', size, price: text, ...ids, ts: time * 1_000_000 };
    this.#push(`/contractMarket/execution:${symbol}`, 'match', trade, SOURCES.futuresTrade, { sn: 1 });
  }
}
