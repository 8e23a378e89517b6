/** Bybit's records of markets. */
import { exact, type ScriptedMarket } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { idOf } from './views.js';

export const instrument = (market: ScriptedMarket) =>
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

export function ticker(exchange: ScriptedExchange, market: ScriptedMarket) {
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
