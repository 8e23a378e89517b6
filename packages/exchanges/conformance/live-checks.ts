/**
 * The checks that run at a real exchange with one account, on a test network or with small orders. Orders that should
 * rest are far from the market. Whatever a check opens, it cancels or closes again.
 */
import type { TradingType } from '@trading-automation/contracts';
import { eventually } from '@trading-automation/runtime/testing';
import { Decimal } from 'decimal.js';
import type { ExchangeClient, ExchangeVenue, Market, OrderRequest, VenueOrder } from '../src/index.js';
import { failureOf, foundOrder } from './conformance-fixture.js';
import { AccountStreamRecorder, BookStreamRecorder } from './stream-recorders.js';

export interface LiveVenue {
  readonly venue: ExchangeVenue;
  readonly client: ExchangeClient;
  readonly tradingType: TradingType;
  readonly symbol: string;
  /** The highest value of an order, in quote currency. */
  readonly maxNotional: number;
}

export interface LiveCheck {
  readonly id: string;
  readonly title: string;
  /** Default: all. */
  readonly tradingTypes?: readonly TradingType[];
  run(live: LiveVenue): Promise<void>;
}

const MINUTE_MS = 60_000;

/** An order that rests: a fifth below the best bid, or above the best ask. */
const REST_AT = { BUY: '0.8', SELL: '1.2' } as const;

async function marketOf({ venue, symbol, tradingType }: LiveVenue): Promise<Market> {
  const markets = await venue.fetchMarkets();
  const market = markets.find((each) => each.symbol === symbol && each.tradingType === tradingType);
  if (market === undefined) throw new Error(`the exchange has no market ${symbol}`);
  return market;
}

/** Returns the least amount above the exchange's minimums at a price. Throws if it exceeds the limit of the run. */
function leastAmount(market: Market, price: Decimal, maxNotional: number): string {
  const byNotional = new Decimal(market.minNotional).times('1.05').div(price);
  const least = Decimal.max(byNotional, market.minAmount);
  const amount = least.div(market.amountStep).ceil().times(market.amountStep);
  if (amount.times(price).gt(maxNotional))
    throw new Error(`the least order of ${market.symbol} is above the limit of ${maxNotional}`);
  return amount.toFixed();
}

let orderCount = 0;

async function restingOrder(
  live: LiveVenue,
  overrides: Partial<OrderRequest> = {},
): Promise<OrderRequest & { readonly sentAt: Date }> {
  const market = await marketOf(live);
  const { bid } = await live.venue.fetchBestPrices(live.symbol);
  const price = new Decimal(bid ?? '1')
    .times(REST_AT.BUY)
    .div(market.priceTick)
    .floor()
    .times(market.priceTick);
  const seed = `live ${Date.now()} ${++orderCount}`;
  return {
    symbol: live.symbol,
    venueClientOrderId: live.venue.clientOrderIdFor(seed, live.tradingType),
    type: 'LIMIT',
    side: 'BUY',
    timeInForce: 'GTC',
    amount: leastAmount(market, price, live.maxNotional),
    price: price.toFixed(),
    reduceOnly: false,
    sentAt: new Date(),
    ...overrides,
  };
}

/** Waits until a look-up finds an order in a state: exchanges list new orders a moment after they accept them. */
async function orderIn(
  { client }: LiveVenue,
  key: OrderRequest,
  isReached: (order: VenueOrder) => boolean,
): Promise<VenueOrder> {
  let found: VenueOrder | undefined;
  await eventually(async () => {
    found = await foundOrder(client, key).catch(() => undefined);
    return found !== undefined && isReached(found);
  });
  return found as VenueOrder;
}

const isOpen = ({ status }: VenueOrder) => status === 'OPEN';
const hasEnded = ({ status }: VenueOrder) => status !== 'OPEN';

/** The terms of an order that is executed at once: at market, or near it where the exchange has no market orders. */
function executedAtOnce(market: Market, side: 'BUY' | 'SELL', best: Decimal): Partial<OrderRequest> {
  if (market.orderTypes.includes('MARKET')) return { side, type: 'MARKET', price: undefined };
  const price = best
    .times(side === 'BUY' ? '1.01' : '0.99')
    .div(market.priceTick)
    .floor();
  return { side, timeInForce: 'IOC', price: price.times(market.priceTick).toFixed() };
}

/** Buys little more than the least amount; the caller sells it again. */
async function buy(live: LiveVenue): Promise<VenueOrder> {
  const market = await marketOf(live);
  const ask = new Decimal((await live.venue.fetchBestPrices(live.symbol)).ask ?? '1');
  const least = leastAmount(market, ask, live.maxNotional);
  // A fee in base currency may not make the rest unsellable.
  const factor = live.tradingType === 'perpetual' ? '1' : '1.02';
  const steps = new Decimal(least).times(factor).div(market.amountStep).ceil();
  const amount = steps.times(market.amountStep).toFixed();
  const request = await restingOrder(live, { ...executedAtOnce(market, 'BUY', ask), amount });
  await live.client.placeOrder(request);
  return orderIn(live, request, hasEnded);
}

async function sell(live: LiveVenue, amount: string): Promise<VenueOrder> {
  const market = await marketOf(live);
  const bid = new Decimal((await live.venue.fetchBestPrices(live.symbol)).bid ?? '1');
  const sellable = new Decimal(amount).div(market.amountStep).floor().times(market.amountStep).toFixed();
  const request = await restingOrder(live, {
    ...executedAtOnce(market, 'SELL', bid),
    amount: sellable,
    reduceOnly: live.tradingType === 'perpetual',
  });
  await live.client.placeOrder(request);
  return orderIn(live, request, hasEnded);
}

export const LIVE_CHECKS: readonly LiveCheck[] = [
  {
    id: 'EX-MKT-01',
    title: 'returns its markets, prices, book, ticker and candles',
    run: async (live) => {
      const { venue, symbol } = live;
      const market = await marketOf(live);
      expect(new Decimal(market.priceTick).gt(0) && new Decimal(market.amountStep).gt(0)).toBe(true);
      const prices = await venue.fetchPrices([symbol]);
      expect(new Decimal(prices[symbol] ?? 0).gt(0)).toBe(true);
      const { bids, asks } = await venue.fetchBook(symbol, 5);
      expect(new Decimal(bids[0]?.[0] ?? 0).lt(asks[0]?.[0] ?? 0)).toBe(true);
      expect(new Decimal((await venue.fetchTicker(symbol)).last ?? 0).gt(0)).toBe(true);
      const range = { interval: '1m', from: new Date(Date.now() - 60 * MINUTE_MS), to: new Date() } as const;
      expect((await venue.fetchCandles(symbol, range)).length).toBeGreaterThan(0);
    },
  },
  {
    id: 'EX-CRED-01',
    title: 'accepts the credentials and reports the account',
    run: async ({ client, tradingType }) => {
      const report = await client.testCredentials();
      expect(report.tradingTypes).toContain(tradingType);
      expect([report.canTrade, report.unsupported]).toEqual([expect.not.stringMatching('false'), undefined]);
      const { balances } = await client.fetchBalances();
      expect(Object.keys(balances).length).toBeGreaterThan(0);
    },
  },
  {
    id: 'EX-CRED-02',
    title: 'rejects a wrong secret on a call and on the stream',
    run: async ({ venue, tradingType }) => {
      const wrong = venue.connect(
        { apiKey: 'unknown', apiSecret: 'wrong', passphrase: 'wrong' },
        tradingType,
      );
      expect(await failureOf(wrong.fetchBalances())).toBe('fatal/credentials_rejected');
      const recorder = new AccountStreamRecorder();
      wrong.watch(recorder);
      await recorder.until(() => recorder.lost.length > 0);
      expect(recorder.lost).toEqual(['fatal/credentials_rejected']);
    },
  },
  {
    id: 'EX-ORD-01',
    title: 'keeps a limit order open, finds and lists it by its ids, and cancels it',
    run: async (live) => {
      const { client, symbol } = live;
      const request = await restingOrder(live);
      const { exchangeOrderId } = await client.placeOrder(request);
      const { price, amount } = request;
      expect(await orderIn(live, request, isOpen)).toMatchObject({
        exchangeOrderId,
        price,
        amount,
        status: 'OPEN',
      });
      const { venueClientOrderId } = request;
      expect(await client.findOrderByExchangeId({ symbol, exchangeOrderId })).toMatchObject({
        venueClientOrderId,
      });
      const open = await client.fetchOpenOrders(symbol);
      expect(open.map((order) => order.venueClientOrderId)).toContain(venueClientOrderId);
      await client.cancelOrder(request);
      expect(await orderIn(live, request, hasEnded)).toMatchObject({
        status: 'CANCELLED',
        filledAmount: '0',
      });
    },
  },
  {
    id: 'EX-ORD-03',
    title: 'reports an unknown order as absent or not known, and its cancellation as not found',
    run: async (live) => {
      const request = await restingOrder(live);
      expect(['ABSENT', 'NOT_KNOWN']).toContain((await live.client.findOrder(request)).outcome);
      expect(await failureOf(live.client.cancelOrder(request))).toBe('rejected/order_not_found');
    },
  },
  {
    id: 'EX-ORD-06',
    title: 'rejects an order below the minimum and one above the balance',
    run: async (live) => {
      const market = await marketOf(live);
      const small = await restingOrder(live, { amount: market.amountStep });
      if (new Decimal(market.amountStep).times(small.price ?? 0).lt(market.minNotional))
        expect(await failureOf(live.client.placeOrder(small))).toBe('rejected/rule_violated');
      const large = await restingOrder(live);
      const amount = new Decimal(large.amount).times(10_000_000).toFixed();
      expect(await failureOf(live.client.placeOrder({ ...large, amount }))).toMatch(
        /^rejected\/(?:insufficient_balance|rule_violated)$/,
      );
    },
  },
  {
    id: 'EX-FILL-01',
    title: 'buys and sells at market, and returns the fills with their fees',
    run: async (live) => {
      const since = new Date(Date.now() - MINUTE_MS);
      const bought = await buy(live);
      expect(bought.status).toBe('FILLED');
      const fills = await live.client.fetchFills(bought);
      const filled = fills.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0));
      expect(filled.toFixed()).toBe(bought.filledAmount);
      const base = (await marketOf(live)).base;
      const fees = fills.filter(({ fee }) => fee.currency === base);
      const held = fees.reduce((rest, { fee }) => rest.minus(fee.amount), filled);
      const sold = await sell(live, held.toFixed());
      const listed = await live.client.fetchFillsSince({ symbol: live.symbol, since });
      const orders = new Set(listed.map(({ exchangeOrderId }) => exchangeOrderId));
      expect([orders.has(bought.exchangeOrderId), orders.has(sold.exchangeOrderId)]).toEqual([true, true]);
    },
  },
  {
    id: 'EX-STR-01',
    title: 'streams an order from its acceptance to its cancellation',
    run: async (live) => {
      const recorder = new AccountStreamRecorder();
      const stream = live.client.watch(recorder);
      await recorder.connected();
      const request = await restingOrder(live);
      await live.client.placeOrder(request);
      const states = () =>
        recorder.orders
          .filter(({ venueClientOrderId }) => venueClientOrderId === request.venueClientOrderId)
          .map(({ status }) => status);
      await recorder.until(() => states().includes('OPEN'));
      await live.client.cancelOrder(request);
      await recorder.until(() => states().includes('CANCELLED'));
      expect(recorder.lost).toEqual([]);
      await stream.close();
    },
  },
  {
    id: 'EX-BOOK-01',
    title: 'streams a complete book, then changes without a gap',
    run: async ({ venue, symbol }) => {
      const recorder = new BookStreamRecorder();
      const stream = venue.watchBook(symbol, recorder);
      await recorder.until(() => recorder.kinds.includes('DELTA'));
      expect([recorder.kinds[0], recorder.isGapless, recorder.lost]).toEqual(['SNAPSHOT', true, []]);
      await stream.close();
    },
  },
  {
    id: 'EX-POS-01',
    title: 'reports a position, its margin and its leverage, and closes it',
    tradingTypes: ['perpetual'],
    run: async (live) => {
      const { positions } = live.client;
      if (positions === undefined) throw new Error('the client has no calls about positions');
      const before = await positions.fetchLeverage(live.symbol);
      expect(await positions.setLeverage(live.symbol, { leverage: before.leverage })).toMatchObject({
        leverage: before.leverage,
      });
      const bought = await buy(live);
      await eventually(async () =>
        (await positions.fetchPositions()).positions.some(
          ({ symbol, side, amount }) =>
            symbol === live.symbol && side === 'LONG' && amount === bought.filledAmount,
        ),
      );
      expect(new Decimal((await positions.fetchMargin()).equity).gt(0)).toBe(true);
      await sell(live, bought.filledAmount);
      await eventually(async () =>
        (await positions.fetchPositions()).positions.every(({ symbol }) => symbol !== live.symbol),
      );
    },
  },
  {
    id: 'EX-FUND-02',
    title: 'returns funding rates and the mark price',
    tradingTypes: ['perpetual'],
    run: async ({ venue, symbol }) => {
      const range = { from: new Date(Date.now() - 24 * 60 * MINUTE_MS), to: new Date() };
      expect((await venue.fetchFundingRates(symbol, range)).length).toBeGreaterThan(0);
      expect(new Decimal((await venue.fetchMarkPrices([symbol]))[symbol] ?? 0).gt(0)).toBe(true);
    },
  },
  {
    id: 'EX-LOAN-03',
    title: 'reports the loans and the interest of the account',
    tradingTypes: ['margin'],
    run: async ({ client }) => {
      expect(await client.loans?.fetchLoans()).toEqual(expect.any(Object));
      expect(await client.loans?.fetchInterest(new Date(Date.now() - 60 * MINUTE_MS))).toEqual(
        expect.any(Array),
      );
    },
  },
];
