import { DEFAULT_FUNDING_RATE, FUNDING_EVERY_MS } from '../../engine/futures/contract-state.js';
import { CONTRACTS, type ContractSpec, contractOf, markText } from '../../engine/futures/contracts.js';
import { findMarket } from '../../engine/symbols.js';
import { VENUE_ERRORS } from '../../errors.js';
import { findInterval, type Interval, SECOND } from '../../market-data/intervals.js';
import { inMarkSteps } from '../../market-data/mark-history.js';
import { aggregateView, bestOf, candleView, dayView, lastPriceText, tradeView } from '../market-views.js';
import { accountOperation, type Operation, publicOperation } from '../operation.js';
import { integerOf, limitOf, pageOf, required } from '../params.js';
import { contractParam, type FuturesContext, indexMarkOf, optionalContract } from './futures-context.js';
import { lotsText, priceText, rateText } from './futures-text.js';

const CANDLE_PARAMS = ['interval', 'startTime', 'endTime', 'limit'];
const MAX_CANDLES = 1_500;
const DEPTH_LIMITS: ReadonlySet<number> = new Set([5, 10, 20, 50, 100, 500, 1_000]);

/** Declares the operations on public futures data. */
export function futuresMarketOperations(context: FuturesContext): Operation[] {
  return [
    publicOperation('GET /fapi/v1/depth', { params: ['symbol', 'limit'], socketMethod: 'depth' }, (params) =>
      depth(context, params),
    ),
    publicOperation('GET /fapi/v1/trades', { params: ['symbol', 'limit'] }, (params) => {
      const spec = contractParam(params);
      const trades = context.histories.of(spec).trades().slice(-limitOf(params, 500));
      return trades.map((trade) => contractTrade(spec, trade));
    }),
    accountOperation(
      'GET /fapi/v1/historicalTrades',
      { params: ['symbol', 'limit', 'fromId'], access: 'KEY' },
      ({ params }) => {
        const spec = contractParam(params);
        const page = pageOf(params, 'fromId');
        const trades = page(context.histories.of(spec).trades(), ({ at }) => at);
        return trades.map((trade) => contractTrade(spec, trade));
      },
    ),
    publicOperation(
      'GET /fapi/v1/aggTrades',
      { params: ['symbol', 'fromId', 'startTime', 'endTime', 'limit'] },
      (params) => {
        const spec = contractParam(params);
        const page = pageOf(params, 'fromId');
        return page(context.histories.of(spec).aggregateTrades(), ({ first }) => first.at).map(
          (aggregate) => {
            const { M: _, ...view } = aggregateView(spec, aggregate);
            return view;
          },
        );
      },
    ),
    ...tickerOperations(context),
    ...candleOperations(context),
    ...fundingOperations(context),
  ];
}

function depth({ futures, now }: FuturesContext, params: URLSearchParams): object {
  const spec = contractParam(params);
  const limit = limitOf(params, 500);
  if (!DEPTH_LIMITS.has(limit)) throw VENUE_ERRORS.invalidValue('limit');
  const { bids, asks } = futures.book(spec).levels();
  const rows = (levels: typeof bids) =>
    levels.slice(0, limit).map(([ticks, lots]) => [priceText(spec, ticks), lotsText(spec, lots)]);
  return {
    lastUpdateId: futures.depthVersion(spec),
    E: now(),
    T: now(),
    bids: rows(bids),
    asks: rows(asks),
  };
}

function contractTrade(spec: ContractSpec, trade: Parameters<typeof tradeView>[1]): object {
  const { isBestMatch: _, ...view } = tradeView(spec, trade);
  return view;
}

/** Applies a view to the contract that `symbol` names, or to all contracts. */
function forContracts(params: URLSearchParams, view: (spec: ContractSpec) => object): object {
  const spec = optionalContract(params);
  return spec === undefined ? CONTRACTS.map(view) : view(spec);
}

function tickerOperations({ futures, histories, now }: FuturesContext): Operation[] {
  const price = (params: URLSearchParams) =>
    forContracts(params, (spec) => ({
      symbol: spec.id,
      price: lastPriceText(futures, spec),
      time: now(),
    }));
  return [
    publicOperation('GET /fapi/v1/ticker/24hr', { params: ['symbol'] }, (params) =>
      forContracts(params, (spec) => dayOf({ futures, histories, now }, spec)),
    ),
    publicOperation('GET /fapi/v1/ticker/price', { params: ['symbol'] }, price),
    publicOperation('GET /fapi/v2/ticker/price', { params: ['symbol'], socketMethod: 'ticker.price' }, price),
    publicOperation(
      'GET /fapi/v1/ticker/bookTicker',
      { params: ['symbol'], socketMethod: 'ticker.book' },
      (params) =>
        forContracts(params, (spec) => {
          const { bid, ask } = bestOf(futures, spec);
          return {
            lastUpdateId: futures.depthVersion(spec),
            symbol: spec.id,
            bidPrice: bid[0],
            bidQty: bid[1],
            askPrice: ask[0],
            askQty: ask[1],
            time: now(),
          };
        }),
    ),
    publicOperation('GET /fapi/v1/openInterest', { params: ['symbol'] }, (params) => {
      const spec = contractParam(params);
      let lots = 0;
      for (const { positions } of futures.state.allAccounts())
        lots += Math.max(0, positions.get(spec.id)?.lots ?? 0);
      return { openInterest: lotsText(spec, lots), symbol: spec.id, time: now() };
    }),
  ];
}

/** Returns the statistics of the last 24 hours, without the fields that only spot has. */
export function dayOf(
  { futures, histories, now }: Pick<FuturesContext, 'futures' | 'histories' | 'now'>,
  spec: ContractSpec,
) {
  const {
    prevClosePrice: _1,
    bidPrice: _2,
    bidQty: _3,
    askPrice: _4,
    askQty: _5,
    ...day
  } = dayView(futures, spec, histories.of(spec), now());
  return day;
}

function candleOperations({ histories, spotHistories, markHistories, now }: FuturesContext): Operation[] {
  return [
    publicOperation('GET /fapi/v1/klines', { params: ['symbol', ...CANDLE_PARAMS] }, (params) => {
      const spec = contractParam(params);
      return candles(params, now(), (interval) =>
        histories
          .of(spec)
          .candles(interval, now())
          .map((candle) => candleView(spec, interval, candle)),
      );
    }),
    publicOperation('GET /fapi/v1/markPriceKlines', { params: ['symbol', ...CANDLE_PARAMS] }, (params) => {
      const spec = contractParam(params);
      return candles(params, now(), (interval) =>
        markHistories
          .of(spec)
          .candles(interval, now())
          .map((candle) => withoutVolume(candleView(inMarkSteps(spec), interval, candle))),
      );
    }),
    publicOperation('GET /fapi/v1/indexPriceKlines', { params: ['pair', ...CANDLE_PARAMS] }, (params) => {
      const contract = contractParam(params, 'pair');
      const spec = findMarket(contract.id) ?? contract;
      return candles(params, now(), (interval) =>
        spotHistories
          .of(spec)
          .candles(interval, now())
          .map((candle) => withoutVolume(candleView(spec, interval, candle))),
      );
    }),
  ];
}

/** Returns the requested page of candles. The first field of a candle is its start. */
function candles(
  params: URLSearchParams,
  now: number,
  viewsOf: (interval: Interval) => unknown[][],
): unknown[] {
  const interval = findInterval(required(params, 'interval'));
  if (interval === undefined || interval.name === SECOND.name) throw VENUE_ERRORS.invalidInterval();
  const limit = limitOf(params, 500, MAX_CANDLES);
  const from = integerOf(params, 'startTime');
  const to = integerOf(params, 'endTime') ?? now;
  const rows = viewsOf(interval).filter(([openAt]) => Number(openAt) >= (from ?? 0) && Number(openAt) <= to);
  return from === undefined ? rows.slice(-limit) : rows.slice(0, limit);
}

/** A mark price and an index price have no volume. */
function withoutVolume([openAt, open, high, low, close, , closeAt, , count]: unknown[]): unknown[] {
  return [openAt, open, high, low, close, '0', closeAt, '0', count, '0', '0', '0'];
}

function fundingOperations(context: FuturesContext): Operation[] {
  const { futures } = context;
  return [
    publicOperation('GET /fapi/v1/premiumIndex', { params: ['symbol'] }, (params) =>
      forContracts(params, (spec) => premiumView(context, spec)),
    ),
    publicOperation(
      'GET /fapi/v1/fundingRate',
      { params: ['symbol', 'startTime', 'endTime', 'limit'] },
      (params) => {
        const spec = optionalContract(params);
        const from = integerOf(params, 'startTime');
        const to = integerOf(params, 'endTime') ?? Number.POSITIVE_INFINITY;
        const limit = limitOf(params, 100);
        const rows = futures.state.contracts
          .fundingsOf(spec?.id)
          .filter(({ at }) => at >= (from ?? 0) && at <= to);
        const page = from === undefined ? rows.slice(-limit) : rows.slice(0, limit);
        return page.map(({ symbol, rate, mark, at }) => ({
          symbol,
          fundingTime: at,
          fundingRate: rateText(rate),
          markPrice: markText(contractOf(symbol), mark),
        }));
      },
    ),
    publicOperation('GET /fapi/v1/fundingInfo', {}, () =>
      CONTRACTS.map((spec) => ({
        symbol: spec.id,
        adjustedFundingRateCap: '0.02000000',
        adjustedFundingRateFloor: '-0.02000000',
        fundingIntervalHours: FUNDING_EVERY_MS / 3_600_000,
        disclaimer: false,
      })),
    ),
  ];
}

function premiumView(context: FuturesContext, spec: ContractSpec): object {
  const { mark, fundingRate, nextFundingAt } = context.futures.state.contracts.of(spec.id);
  const index = markText(spec, indexMarkOf(context, spec));
  return {
    symbol: spec.id,
    markPrice: markText(spec, mark),
    indexPrice: index,
    estimatedSettlePrice: index,
    lastFundingRate: rateText(fundingRate),
    interestRate: rateText(DEFAULT_FUNDING_RATE),
    nextFundingTime: nextFundingAt,
    time: context.now(),
  };
}
