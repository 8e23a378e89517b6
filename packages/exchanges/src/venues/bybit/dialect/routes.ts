/** Bybit's REST API, version 5: https://bybit-exchange.github.io/docs/v5/intro */
import { z } from 'zod';
import { candlesOf } from '../../../../conformance/scripted/candles.js';
import { type Capability, type Route, route } from '../../../../conformance/scripted/dialect.js';
import {
  type Account,
  exact,
  type Order,
  Refusal,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { positionOf } from '../../../../conformance/scripted/positions.js';
import { isOpen, type ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { idOf, listedFill, listedOrder, listedPosition, orderIdOf, walletView } from './views.js';

const ALL = ['spot', 'margin', 'perpetual'] as const;
const PERPETUAL = ['perpetual'] as const;
const docs = (page: string) => `https://bybit-exchange.github.io/docs/v5/${page}`;

const category = z.enum(['spot', 'linear']);
const symbol = z.string();
const integer = z.coerce.number().int();
const page = { limit: integer.min(1).max(200).optional(), cursor: z.string().optional() };
const range = { startTime: integer.optional(), endTime: integer.optional() };
const WEEK_MS = 7 * 86_400_000;

export function marketOf(exchange: ScriptedExchange, name: string | undefined): ScriptedMarket {
  const market = exchange.markets.find((each) => idOf(each) === name);
  if (market === undefined) throw new Refusal('UNKNOWN_SYMBOL');
  return market;
}

/** Returns one page of a list, newest first. */
function pageOf<T>(
  items: readonly T[],
  { limit = 20, cursor }: { limit?: number | undefined; cursor?: string | undefined },
) {
  const from = Number(cursor ?? 0);
  const next = from + limit < items.length ? String(from + limit) : '';
  return { nextPageCursor: next, items: items.slice(from, from + limit) };
}

function checkRange({
  startTime,
  endTime,
}: {
  startTime?: number | undefined;
  endTime?: number | undefined;
}): void {
  if (startTime !== undefined && endTime !== undefined && endTime - startTime > WEEK_MS)
    throw new Refusal('BAD_PARAMETER');
}

const isWithin = (
  at: number,
  {
    startTime = 0,
    endTime = Number.POSITIVE_INFINITY,
  }: { startTime?: number | undefined; endTime?: number | undefined },
) => at >= startTime && at <= endTime;

const instrument = (market: ScriptedMarket) =>
  market.kind === 'SPOT'
    ? {
        symbol: idOf(market),
        baseCoin: market.base,
        quoteCoin: market.quote,
        status: 'Trading',
        marginTrading: 'utaOnly',
        stTag: '0',
        lotSizeFilter: {
          basePrecision: market.step,
          quotePrecision: '0.00000001',
          minOrderQty: market.minAmount,
          maxOrderQty: market.maxAmount,
          minOrderAmt: market.minNotional,
          maxOrderAmt: '20000000',
        },
        priceFilter: { tickSize: market.tick },
        riskParameters: { priceLimitRatioX: '0.01', priceLimitRatioY: '0.02' },
      }
    : {
        symbol: idOf(market),
        contractType: 'LinearPerpetual',
        status: 'Trading',
        baseCoin: market.base,
        quoteCoin: market.quote,
        launchTime: '1585526400000',
        deliveryTime: '0',
        deliveryFeeRate: '',
        priceScale: '2',
        leverageFilter: { minLeverage: '1', maxLeverage: market.maxLeverage, leverageStep: '0.01' },
        priceFilter: { minPrice: market.tick, maxPrice: '1999999.80', tickSize: market.tick },
        lotSizeFilter: {
          maxOrderQty: market.maxAmount,
          maxMktOrderQty: market.marketMaxAmount,
          minOrderQty: market.minAmount,
          qtyStep: market.step,
          postOnlyMaxOrderQty: market.maxAmount,
          minNotionalValue: market.minNotional,
        },
        unifiedMarginTrade: true,
        fundingInterval: 480,
        settleCoin: market.quote,
        copyTrading: 'both',
        upperFundingRate: '0.00375',
        lowerFundingRate: '-0.00375',
      };

function ticker(exchange: ScriptedExchange, market: ScriptedMarket) {
  const book = exchange.bookOf(market);
  const [bid, ask] = [book.levelsOf('BUY')[0], book.levelsOf('SELL')[0]];
  const prices = book.trades.map(({ price }) => price);
  const volume = book.trades.reduce((sum, { amount }) => sum.plus(amount), exact(0));
  const turnover = book.trades.reduce((sum, { amount, price }) => sum.plus(amount.times(price)), exact(0));
  const extreme = (sign: number) =>
    prices
      .reduce((best, price) => (price.cmp(best) === sign ? price : best), prices[0] ?? exact(0))
      .toString();
  const common = {
    symbol: idOf(market),
    lastPrice: book.lastPrice?.toString() ?? '0',
    prevPrice24h: prices[0]?.toString() ?? '0',
    price24hPcnt: '0',
    highPrice24h: extreme(1),
    lowPrice24h: extreme(-1),
    turnover24h: turnover.toString(),
    volume24h: volume.toString(),
    ask1Size: ask?.[1].toString() ?? '0',
    bid1Price: bid?.[0].toString() ?? '0',
    ask1Price: ask?.[0].toString() ?? '0',
    bid1Size: bid?.[1].toString() ?? '0',
  };
  if (market.kind === 'SPOT') return { ...common, usdIndexPrice: common.lastPrice };
  const mark = exchange.markPriceOf(market).toString();
  return {
    ...common,
    indexPrice: mark,
    markPrice: mark,
    prevPrice1h: common.prevPrice24h,
    openInterest: '0',
    openInterestValue: '0',
    fundingRate: '0.0001',
    nextFundingTime: String(exchange.now() + 3_600_000),
    predictedDeliveryPrice: '',
    basisRate: '',
    deliveryFeeRate: '',
    deliveryTime: '0',
    basis: '',
  };
}

const INTERVALS: Readonly<Record<string, number>> = {
  '1': 60_000,
  '5': 300_000,
  '15': 900_000,
  '60': 3_600_000,
  '240': 14_400_000,
  D: 86_400_000,
};

interface Declared<P extends z.ZodType> {
  readonly params: P;
  answer(context: Parameters<Parameters<typeof route<P>>[0]['answer']>[0]): unknown;
}

/** A public call whose answer was recorded. */
const publicCall = <P extends z.ZodType>(
  path: string,
  capability: Capability,
  recordings: readonly string[],
  documented: readonly string[],
  declared: Declared<P>,
): Route =>
  route({
    method: 'GET',
    path: `/v5/market/${path}`,
    capability,
    tradingTypes: ALL,
    isSigned: false,
    source: { recordings, documented, page: docs(`market/${path}`) },
    ...declared,
  });

const data = 'V5Api/ExchangeData';

export const publicRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v5/market/time',
    capability: 'clock',
    tradingTypes: ALL,
    isSigned: false,
    source: { page: docs('market/time') },
    params: z.strictObject({}),
    answer: ({ exchange }) => ({
      timeSecond: String(Math.floor(exchange.now() / 1_000)),
      timeNano: `${exchange.now()}000000`,
    }),
  }),
  publicCall(
    'instruments-info',
    'markets',
    [`${data}/GetSpotSymbols`, `${data}/GetLinearInverseSymbols`],
    [],
    {
      params: z.strictObject({
        category,
        limit: integer.max(1_000).optional(),
        cursor: z.string().optional(),
        status: z.enum(['Trading', 'PreLaunch']).optional(),
      }),
      answer: ({ exchange, params }) => ({
        category: params.category,
        list: params.status === 'PreLaunch' ? [] : exchange.markets.map(instrument),
        ...(params.category === 'linear' ? { nextPageCursor: '' } : {}),
      }),
    },
  ),
  publicCall('tickers', 'prices', [`${data}/GetSpotTickers`, `${data}/GetLinearInverseTickers`], [], {
    params: z.strictObject({ category, symbol: symbol.optional() }),
    answer: ({ exchange, params }) => {
      const markets = params.symbol === undefined ? exchange.markets : [marketOf(exchange, params.symbol)];
      return { category: params.category, list: markets.map((market) => ticker(exchange, market)) };
    },
  }),
  publicCall('kline', 'candles', [`${data}/GetKlines`], [], {
    params: z.strictObject({
      category,
      symbol,
      interval: z.string(),
      start: integer.optional(),
      end: integer.optional(),
      limit: integer.max(1_000).optional(),
    }),
    answer: ({ exchange, params }) => {
      const market = marketOf(exchange, params.symbol);
      const candles = candlesOf(exchange.bookOf(market).trades, INTERVALS[params.interval] ?? 0, params);
      const list = candles
        .map(({ openedAt, open, high, low, close, volume, turnover }) =>
          [openedAt, open, high, low, close, volume, turnover].map(String),
        )
        .reverse();
      return { symbol: params.symbol, category: params.category, list };
    },
  }),
  publicCall('mark-price-kline', 'funding', [`${data}/GetMarkPriceKlines`], [], {
    params: z.strictObject({
      category,
      symbol,
      interval: z.string(),
      start: integer,
      end: integer,
      limit: integer.max(1_000),
    }),
    answer: ({ exchange, params }) => {
      const ms = INTERVALS[params.interval] ?? 0;
      const list = exchange.fundingRates
        .filter(({ at }) => at >= params.start && at <= params.end && at % ms === 0)
        .map(({ at, markPrice }) => [at, markPrice, markPrice, markPrice, markPrice].map(String));
      return { symbol: params.symbol, category: params.category, list: list.reverse() };
    },
  }),
  publicCall('funding/history', 'funding', [`${data}/GetFundingRateHistory`], ['result.nextPageCursor'], {
    params: z.strictObject({ category, symbol, ...range, limit: integer.max(200) }),
    answer: ({ exchange, params }) => ({
      category: 'linear',
      list: exchange.fundingRates
        .filter(({ market, at }) => idOf(market) === params.symbol && isWithin(at, params))
        .map(({ market, rate, at }) => ({
          symbol: idOf(market),
          fundingRate: rate.toString(),
          fundingRateTimestamp: String(at),
        }))
        .reverse(),
    }),
  }),
  publicCall('orderbook', 'order book', [`${data}/GetOrderbook`], [], {
    params: z.strictObject({ category, symbol, limit: integer.min(1).max(200).optional() }),
    answer: ({ exchange, params }) => {
      const book = exchange.bookOf(marketOf(exchange, params.symbol));
      const levels = (side: 'BUY' | 'SELL') =>
        book
          .levelsOf(side)
          .slice(0, params.limit)
          .map((level) => level.map(String));
      const sequence = { u: book.sequence + 1, seq: book.sequence + 1 };
      return { s: params.symbol, b: levels('BUY'), a: levels('SELL'), ts: exchange.now(), ...sequence };
    },
  }),
];

const orderRequest = z.strictObject({
  category,
  symbol,
  side: z.enum(['Buy', 'Sell']),
  orderType: z.enum(['Limit', 'Market']),
  qty: z.string(),
  price: z.string().optional(),
  timeInForce: z.enum(['GTC', 'IOC', 'FOK', 'PostOnly']),
  orderLinkId: z.string().regex(/^[\w-]{1,36}$/),
  marketUnit: z.literal('baseCoin').optional(),
  positionIdx: z.literal(0).optional(),
  reduceOnly: z.boolean().optional(),
  isLeverage: z.union([z.literal(0), z.literal(1)]).optional(),
  triggerPrice: z.string().optional(),
  triggerDirection: z.union([z.literal(1), z.literal(2)]).optional(),
  triggerBy: z.literal('LastPrice').optional(),
});
const orderKey = z.strictObject({
  category,
  symbol: symbol.optional(),
  settleCoin: z.string().optional(),
  orderId: z.string().optional(),
  orderLinkId: z.string().optional(),
  openOnly: z.literal('0').optional(),
  ...page,
});
type OrderKey = z.output<typeof orderKey>;

function placeOrder(exchange: ScriptedExchange, account: Account, params: z.output<typeof orderRequest>) {
  const market = marketOf(exchange, params.symbol);
  const isMarginMarket = market.kind === 'SPOT';
  if (params.orderType === 'Market' && isMarginMarket && params.marketUnit !== 'baseCoin')
    throw new Refusal('BAD_PARAMETER');
  if (account.isHedged && !isMarginMarket) throw new Refusal('POSITION_MODE');
  return exchange.place(account, {
    market,
    clientOrderId: params.orderLinkId,
    side: params.side === 'Buy' ? 'BUY' : 'SELL',
    type: params.orderType === 'Limit' ? 'LIMIT' : 'MARKET',
    timeInForce: params.timeInForce === 'PostOnly' ? 'POST_ONLY' : params.timeInForce,
    amount: exact(params.qty),
    price: params.price === undefined ? undefined : exact(params.price),
    stopPrice: params.triggerPrice === undefined ? undefined : exact(params.triggerPrice),
    reduceOnly: params.reduceOnly,
    // The exchange repays a loan with what the account receives.
    margin: isMarginMarket ? { borrows: params.isLeverage === 1, repays: true } : undefined,
  });
}

function ordersBy(exchange: ScriptedExchange, account: Account, key: OrderKey): readonly Order[] {
  const isLinear = key.category === 'linear';
  const isNamed = key.symbol !== undefined || key.settleCoin !== undefined;
  if (isLinear && !isNamed) throw new Refusal('BAD_PARAMETER');
  return exchange.orders
    .filter(
      (order) =>
        order.account === account &&
        (key.symbol === undefined || idOf(order.market) === key.symbol) &&
        (key.settleCoin === undefined || order.market.quote === key.settleCoin) &&
        (key.orderId === undefined || orderIdOf(order) === key.orderId) &&
        (key.orderLinkId === undefined || order.clientOrderId === key.orderLinkId),
    )
    .reverse();
}

const account = 'V5Api/Account';
const trading = 'V5Api/Trading';

interface SignedCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly capability: Capability;
  readonly recording: string;
  readonly documented?: readonly string[];
  readonly tradingTypes?: readonly ('spot' | 'margin' | 'perpetual')[];
}

const signedCall = <P extends z.ZodType>(call: SignedCall, declared: Declared<P>): Route =>
  route({
    method: call.method,
    path: `/v5/${call.path}`,
    capability: call.capability,
    tradingTypes: call.tradingTypes ?? ALL,
    isSigned: true,
    source: { recordings: [call.recording], documented: call.documented, page: docs(call.path) },
    ...declared,
  });

const ORDER_FIELDS = ['result.list.createType'];

export const signedRoutes: readonly Route[] = [
  signedCall(
    {
      method: 'GET',
      path: 'user/query-api',
      capability: 'credentials',
      recording: `${account}/GetApiKeyInfo`,
    },
    {
      params: z.strictObject({}),
      answer: ({ account: { apiKey, canTrade, canWithdraw, kind, number } }) => ({
        id: '13770661',
        note: 'readwrite api key',
        apiKey,
        readOnly: canTrade ? 0 : 1,
        secret: '',
        permissions: {
          ContractTrade: ['Order', 'Position'],
          Spot: ['SpotTrade'],
          Wallet: canWithdraw ? ['AccountTransfer', 'Withdraw'] : ['AccountTransfer'],
          Options: [],
          Derivatives: [],
          CopyTrading: [],
          BlockTrade: [],
          Exchange: [],
          NFT: [],
          Affiliate: [],
        },
        ips: ['*'],
        type: 1,
        deadlineDay: 66,
        expiredAt: '2033-12-22T07:20:25Z',
        createdAt: '2022-10-16T02:24:40Z',
        unified: 0,
        uta: kind === 'UNKNOWN' ? 0 : 1,
        userID: 24_617_700 + number,
        inviterID: 0,
        vipLevel: 'No VIP',
        mktMakerLevel: '0',
        affiliateID: 0,
        rsaPublicKey: '',
        isMaster: true,
        parentUid: '0',
        kycLevel: 'LEVEL_DEFAULT',
        kycRegion: '',
      }),
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'account/info',
      capability: 'credentials',
      recording: `${account}/GetMarginAccountInfo`,
      documented: ['retExtInfo', 'time'],
    },
    {
      params: z.strictObject({}),
      answer: ({ account: { kind } }) => ({
        marginMode: kind === 'PORTFOLIO_MARGIN' ? 'PORTFOLIO_MARGIN' : 'REGULAR_MARGIN',
        updatedTime: '1697078946000',
        unifiedMarginStatus: 6,
        dcpStatus: 'OFF',
        timeWindow: 10,
        smpGroup: 0,
        isMasterTrader: false,
        spotHedgingStatus: 'OFF',
      }),
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'account/wallet-balance',
      capability: 'balances',
      recording: `${account}/GetBalances`,
    },
    {
      params: z.strictObject({ accountType: z.literal('UNIFIED') }),
      answer: ({ exchange, account: each }) => ({ list: [walletView(exchange, each)] }),
    },
  ),
  signedCall(
    { method: 'POST', path: 'order/create', capability: 'place', recording: `${trading}/PlaceOrder` },
    {
      params: orderRequest,
      answer: ({ exchange, account: each, params }) => {
        const order = placeOrder(exchange, each, params);
        return { orderId: orderIdOf(order), orderLinkId: order.clientOrderId };
      },
    },
  ),
  signedCall(
    { method: 'POST', path: 'order/cancel', capability: 'cancel', recording: `${trading}/CancelOrder` },
    {
      params: z.strictObject({ category, symbol, orderLinkId: z.string() }),
      answer: ({ exchange, account: each, params }) => {
        const [order] = ordersBy(exchange, each, params).filter(isOpen);
        if (order === undefined) throw new Refusal('UNKNOWN_ORDER');
        exchange.cancel(order);
        return { orderId: orderIdOf(order), orderLinkId: order.clientOrderId };
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'order/realtime',
      capability: 'open orders',
      recording: `${trading}/GetOrders`,
      documented: ORDER_FIELDS,
    },
    {
      params: orderKey,
      answer: ({ exchange, account: each, params }) => {
        const isNamed = params.orderId !== undefined || params.orderLinkId !== undefined;
        // Orders that have ended are returned by id, as long as they are among the last 500.
        const orders = ordersBy(exchange, each, params).filter((order) => isNamed || isOpen(order));
        const { nextPageCursor, items } = pageOf(orders, params);
        return { list: items.map(listedOrder), nextPageCursor, category: params.category };
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'order/history',
      capability: 'find',
      recording: `${trading}/GetOrderHistory`,
      documented: ORDER_FIELDS,
    },
    {
      params: orderKey,
      answer: ({ exchange, account: each, params }) => {
        const orders = ordersBy(exchange, each, params).filter((order) => !isOpen(order));
        const { nextPageCursor, items } = pageOf(orders, params);
        return { list: items.map(listedOrder), nextPageCursor, category: params.category };
      },
    },
  ),
  signedCall(
    { method: 'GET', path: 'execution/list', capability: 'fills', recording: `${trading}/GetUserTrades` },
    {
      params: z.strictObject({ category, symbol, orderId: z.string().optional(), ...range, ...page }),
      answer: ({ exchange, account: each, params }) => {
        checkRange(params);
        const fills = exchange.fills.filter(
          ({ order, at }) =>
            order.account === each &&
            idOf(order.market) === params.symbol &&
            (params.orderId === undefined || orderIdOf(order) === params.orderId) &&
            isWithin(at, params),
        );
        const { nextPageCursor, items } = pageOf([...fills].reverse(), params);
        return { nextPageCursor, category: params.category, list: items.map(listedFill) };
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'position/list',
      capability: 'positions',
      recording: `${trading}/GetPositions`,
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({
        category: z.literal('linear'),
        symbol: symbol.optional(),
        settleCoin: z.string().optional(),
        ...page,
      }),
      answer: ({ exchange, account: each, params }) => {
        const positions =
          params.symbol === undefined
            ? [...each.positions.values()].filter(
                ({ size, market }) => !size.isZero() && market.quote === params.settleCoin,
              )
            : [positionOf(each, marketOf(exchange, params.symbol))];
        const list = positions.map((position) => listedPosition(exchange, each, position));
        return { list, nextPageCursor: '', category: params.category };
      },
    },
  ),
  signedCall(
    {
      method: 'POST',
      path: 'position/set-leverage',
      capability: 'leverage',
      recording: `${account}/SetLeverage`,
      tradingTypes: PERPETUAL,
    },
    {
      params: z
        .strictObject({
          category: z.literal('linear'),
          symbol,
          buyLeverage: z.string(),
          sellLeverage: z.string(),
        })
        .refine(({ buyLeverage, sellLeverage }) => buyLeverage === sellLeverage),
      answer: ({ exchange, account: each, params }) => {
        exchange.setLeverage(each, marketOf(exchange, params.symbol), params.buyLeverage);
        return {};
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'account/transaction-log',
      capability: 'funding',
      recording: `${account}/GetTransactionHistory`,
      tradingTypes: PERPETUAL,
    },
    {
      params: z.strictObject({
        accountType: z.literal('UNIFIED'),
        category: z.literal('linear'),
        type: z.literal('SETTLEMENT'),
        ...range,
        ...page,
      }),
      answer: ({ exchange, account: each, params }) => {
        checkRange(params);
        const paid = exchange.fundings.filter(
          (funding) => funding.account === each && isWithin(funding.at, params),
        );
        const { nextPageCursor, items } = pageOf([...paid].reverse(), params);
        const list = items.map(({ number, market, amount, rate, markPrice, size, at }) => ({
          id: `592324_${idOf(market)}_${number}`,
          symbol: idOf(market),
          side: size.isNegative() ? 'Sell' : 'Buy',
          funding: amount.toString(),
          orderLinkId: '',
          orderId: `${at}-8-592324-1-2`,
          fee: '0.00000000',
          change: amount.toString(),
          cashFlow: '0',
          transactionTime: String(at),
          type: 'SETTLEMENT',
          feeRate: rate.toString(),
          bonusChange: '',
          size: size.abs().toString(),
          qty: size.abs().toString(),
          cashBalance: '0',
          currency: market.quote,
          category: 'linear',
          tradePrice: markPrice.toString(),
          tradeId: String(number),
        }));
        return { nextPageCursor, list };
      },
    },
  ),
  signedCall(
    {
      method: 'GET',
      path: 'account/borrow-history',
      capability: 'loans',
      recording: `${account}/GetBorrowHistory`,
      tradingTypes: ['margin'],
    },
    {
      params: z.strictObject({ ...range, ...page }),
      answer: ({ exchange, account: each, params }) => {
        const charges = exchange.interests.filter(
          (charge) => charge.account === each && isWithin(charge.at, params),
        );
        const { nextPageCursor, items } = pageOf([...charges].reverse(), params);
        const list = items.map(({ asset, amount, rate, principal, at }) => ({
          borrowAmount: principal.toString(),
          costExemption: '0',
          freeBorrowedAmount: '0',
          createdTime: at,
          InterestBearingBorrowSize: principal.toString(),
          currency: asset,
          unrealisedLoss: '0',
          hourlyBorrowRate: rate.toString(),
          borrowCost: amount.toString(),
        }));
        return { nextPageCursor, list };
      },
    },
  ),
];
