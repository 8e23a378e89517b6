/** Gate's public futures API: https://www.gate.com/docs/developers/apiv4/en/#futures */
import { z } from 'zod';
import { candlesOf } from '../../../../conformance/scripted/candles.js';
import { type Route, route, type Source } from '../../../../conformance/scripted/dialect.js';
import { type Exact, exact, type ScriptedMarket } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { contractsOf, hasDecimalContracts } from './futures-views.js';
import { docs, INTERVALS, integer, marketOf, range } from './params.js';
import { idOf } from './spot-views.js';

const PERPETUAL = ['perpetual'] as const;
const data = 'PerpetualFutures/ExchangeData';
const contract = z.string();

const contractView = (exchange: ScriptedExchange, market: ScriptedMarket) => {
  const mark = exchange.markPriceOf(market).toString();
  const size = (amount: string) => contractsOf(exact(amount), market).toString();
  return {
    name: idOf(market),
    type: 'direct',
    quanto_multiplier: market.contractSize,
    ref_discount_rate: '0',
    order_price_deviate: '0.5',
    maintenance_rate: market.maintenanceRate,
    mark_type: 'index',
    last_price: mark,
    mark_price: mark,
    index_price: mark,
    funding_rate_indicative: '0.000219',
    mark_price_round: market.tick,
    funding_offset: 0,
    in_delisting: false,
    risk_limit_base: '1000000',
    interest_rate: '0.0003',
    order_price_round: market.tick,
    order_size_min: size(market.minAmount),
    ref_rebate_rate: '0.2',
    funding_interval: 28_800,
    risk_limit_step: '1000000',
    leverage_min: '1',
    leverage_max: market.maxLeverage,
    risk_limit_max: '8000000',
    maker_fee_rate: market.makerFee,
    taker_fee_rate: market.takerFee,
    funding_rate: '0.002053',
    order_size_max: size(market.maxAmount),
    funding_next_apply: 1_610_035_200,
    short_users: 977,
    config_change_time: 1_609_899_548,
    trade_size: '0',
    position_size: '0',
    long_users: 455,
    funding_impact_value: '60000',
    orders_limit: 50,
    trade_id: 10_851_092,
    orderbook_id: 0,
    enable_bonus: true,
    enable_credit: true,
    create_time: 1_669_688_556,
    funding_cap_ratio: '0.75',
    enable_decimal: hasDecimalContracts(market),
  };
};

function ticker(exchange: ScriptedExchange, market: ScriptedMarket) {
  const book = exchange.bookOf(market);
  const prices = book.trades.map(({ price }) => price.toNumber());
  const sum = (values: readonly Exact[]) => values.reduce((total, value) => total.plus(value), exact(0));
  const volume = sum(book.trades.map(({ amount }) => amount));
  const turnover = sum(book.trades.map(({ amount, price }) => amount.times(price))).toString();
  const mark = exchange.markPriceOf(market).toString();
  return {
    contract: idOf(market),
    last: book.lastPrice?.toString() ?? '0',
    low_24h: prices.length === 0 ? '0' : String(Math.min(...prices)),
    high_24h: prices.length === 0 ? '0' : String(Math.max(...prices)),
    change_percentage: '0',
    total_size: '0',
    volume_24h: String(contractsOf(volume, market)),
    volume_24h_btc: '0',
    volume_24h_usd: turnover,
    volume_24h_base: volume.toString(),
    volume_24h_quote: turnover,
    volume_24h_settle: turnover,
    mark_price: mark,
    funding_rate: '0.0001',
    funding_rate_indicative: '0.0001',
    index_price: mark,
    highest_bid: book.levelsOf('BUY')[0]?.[0].toString() ?? '',
    lowest_ask: book.levelsOf('SELL')[0]?.[0].toString() ?? '',
  };
}

/** The prefix of a contract's name in a request for candles of its mark price. */
const MARK = 'mark_';

interface PublicCall<P extends z.ZodType> {
  readonly path: string;
  readonly capability: Route['capability'];
  readonly source: Source;
  readonly params: P;
  answer(context: Parameters<Parameters<typeof route<P>>[0]['answer']>[0]): unknown;
}

const publicCall = <P extends z.ZodType>({ path, ...call }: PublicCall<P>): Route =>
  route({
    ...call,
    method: 'GET',
    path: `/api/v4/futures/usdt/${path}`,
    tradingTypes: PERPETUAL,
    isSigned: false,
  });

export const publicFuturesRoutes: readonly Route[] = [
  publicCall({
    path: 'contracts',
    capability: 'markets',
    source: { recordings: [`${data}/GetContracts`], page: docs('query-all-futures-contracts') },
    params: z.strictObject({}),
    answer: ({ exchange }) => exchange.markets.map((market) => contractView(exchange, market)),
  }),
  publicCall({
    path: 'tickers',
    capability: 'prices',
    source: {
      recordings: ['PerpetualFutures/ExchangeData/GetTickers'],
      page: docs('get-all-futures-trading-statistics'),
    },
    params: z.strictObject({ contract: contract.optional(), timezone: z.literal('utc0').optional() }),
    answer: ({ exchange, params: { contract: name } }) => {
      const markets = name === undefined ? exchange.markets : [marketOf(exchange, name)];
      return markets.map((market) => ticker(exchange, market));
    },
  }),
  publicCall({
    path: 'candlesticks',
    capability: 'candles',
    source: {
      recordings: ['PerpetualFutures/ExchangeData/GetKlines'],
      // Candles of the mark price have no volume.
      documented: ['v', 'sum'],
      page: docs('futures-market-k-line-chart'),
    },
    params: z.strictObject({ contract, interval: z.string(), ...range }),
    answer: ({ exchange, params }) => {
      const ms = INTERVALS[params.interval] ?? 0;
      const isMark = params.contract.startsWith(MARK);
      const market = marketOf(exchange, isMark ? params.contract.slice(MARK.length) : params.contract);
      if (isMark) return markCandles(exchange, market, params);
      const start = Math.floor(((params.from ?? 0) * 1_000) / ms) * ms;
      const end = params.to === undefined ? undefined : params.to * 1_000;
      return candlesOf(exchange.bookOf(market).trades, ms, { start, end }).map((each) => ({
        t: each.openedAt / 1_000,
        v: contractsOf(each.volume, market),
        c: each.close.toString(),
        h: each.high.toString(),
        l: each.low.toString(),
        o: each.open.toString(),
        sum: each.turnover.toString(),
      }));
    },
  }),
  publicCall({
    path: 'order_book',
    capability: 'order book',
    source: {
      recordings: ['PerpetualFutures/ExchangeData/GetOrderBook'],
      // They were recorded without the header that makes them strings.
      documented: ['asks.s', 'bids.s'],
      page: docs('query-futures-market-depth-information'),
    },
    params: z.strictObject({ contract, limit: integer.min(1).max(300), with_id: z.literal('true') }),
    answer: ({ exchange, params }) => {
      const market = marketOf(exchange, params.contract);
      const book = exchange.bookOf(market);
      const levels = (side: 'BUY' | 'SELL') =>
        book
          .levelsOf(side)
          .slice(0, params.limit)
          .map(([price, amount]) => ({ p: price.toString(), s: contractsOf(amount, market) }));
      const [current, update] = [exchange.now() / 1_000, exchange.now() / 1_000];
      return { id: book.sequence, current, update, asks: levels('SELL'), bids: levels('BUY') };
    },
  }),
  publicCall({
    path: 'funding_rate',
    capability: 'funding',
    source: {
      recordings: [`${data}/GetFundingRateHistory`],
      page: docs('futures-market-historical-funding-rate'),
    },
    params: z.strictObject({ contract, limit: integer.max(1_000), from: integer, to: integer }),
    answer: ({ exchange, params }) =>
      exchange.fundingRates
        .filter(({ market, at }) => idOf(market) === params.contract && isBetween(at, params))
        .map(({ rate, at }) => ({ t: at / 1_000, r: rate.toString() }))
        .reverse(),
  }),
];

const isBetween = (atMs: number, { from, to }: { readonly from: number; readonly to: number }) =>
  atMs / 1_000 >= from && atMs / 1_000 <= to;

function markCandles(
  exchange: ScriptedExchange,
  market: ScriptedMarket,
  { from = 0, to = Number.POSITIVE_INFINITY }: { from?: number | undefined; to?: number | undefined },
) {
  return exchange.fundingRates
    .filter((rate) => rate.market === market && isBetween(rate.at, { from, to }))
    .map(({ at, markPrice }) => {
      const price = markPrice.toString();
      return { t: at / 1_000, c: price, h: price, l: price, o: price };
    });
}
