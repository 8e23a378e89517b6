/** Gate's public spot API: https://www.gate.com/docs/developers/apiv4/en/#spot */
import { z } from 'zod';
import { candlesOf } from '../../../../conformance/scripted/candles.js';
import { type Route, route } from '../../../../conformance/scripted/dialect.js';
import { exact, type ScriptedMarket } from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { docs, INTERVALS, integer, marketOf, range } from './params.js';
import { idOf } from './spot-views.js';

const SPOT = ['spot', 'margin'] as const;
const data = 'Spot/ExchangeData';
const pair = z.string();

const currencyPair = (market: ScriptedMarket) => ({
  id: idOf(market),
  base: market.base,
  quote: market.quote,
  // In percent.
  fee: exact(market.takerFee).times(100).toString(),
  min_base_amount: market.minAmount,
  min_quote_amount: market.minNotional,
  max_base_amount: market.maxAmount,
  max_quote_amount: '10000000',
  amount_precision: exact(market.step).decimalPlaces(),
  precision: exact(market.tick).decimalPlaces(),
  trade_status: 'tradable',
  sell_start: 1_516_378_650,
  buy_start: 1_516_378_650,
});

function ticker(exchange: ScriptedExchange, market: ScriptedMarket) {
  const book = exchange.bookOf(market);
  const prices = book.trades.map(({ price }) => price.toNumber());
  const last = book.lastPrice?.toString() ?? '0';
  const volume = book.trades.reduce((sum, { amount }) => sum.plus(amount), exact(0));
  const turnover = book.trades.reduce((sum, { amount, price }) => sum.plus(amount.times(price)), exact(0));
  return {
    currency_pair: idOf(market),
    last,
    lowest_ask: book.levelsOf('SELL')[0]?.[0].toString() ?? '',
    highest_bid: book.levelsOf('BUY')[0]?.[0].toString() ?? '',
    change_percentage: '0',
    change_utc0: '0',
    change_utc8: '0',
    base_volume: volume.toString(),
    quote_volume: turnover.toString(),
    high_24h: prices.length === 0 ? '0' : String(Math.max(...prices)),
    low_24h: prices.length === 0 ? '0' : String(Math.min(...prices)),
    etf_net_value: '0',
    etf_pre_net_value: '0',
    etf_pre_timestamp: 0,
    etf_leverage: '0',
  };
}

export const publicRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v4/spot/time',
    capability: 'clock',
    tradingTypes: ['spot', 'margin', 'perpetual'],
    isSigned: false,
    source: { page: docs('get-server-current-time') },
    params: z.strictObject({}),
    answer: ({ exchange }) => ({ server_time: exchange.now() }),
  }),
  route({
    method: 'GET',
    path: '/api/v4/spot/currency_pairs',
    capability: 'markets',
    tradingTypes: SPOT,
    isSigned: false,
    source: { recordings: [`${data}/GetSymbols`], page: docs('query-all-supported-currency-pairs') },
    params: z.strictObject({}),
    answer: ({ exchange }) => exchange.markets.map(currencyPair),
  }),
  route({
    method: 'GET',
    path: '/api/v4/spot/tickers',
    capability: 'prices',
    tradingTypes: SPOT,
    isSigned: false,
    source: { recordings: [`${data}/GetTickers`], page: docs('get-currency-pair-ticker-information') },
    params: z.strictObject({ currency_pair: pair.optional(), timezone: z.literal('utc0').optional() }),
    answer: ({ exchange, params: { currency_pair: name } }) => {
      const markets = name === undefined ? exchange.markets : [marketOf(exchange, name)];
      return markets.map((market) => ticker(exchange, market));
    },
  }),
  route({
    method: 'GET',
    path: '/api/v4/spot/candlesticks',
    capability: 'candles',
    tradingTypes: SPOT,
    isSigned: false,
    source: { recordings: [`${data}/GetKlines`], page: docs('market-k-line-chart') },
    params: z.strictObject({ currency_pair: pair, interval: z.string(), ...range }),
    answer: ({ exchange, params }) => {
      const { trades } = exchange.bookOf(marketOf(exchange, params.currency_pair));
      const ms = INTERVALS[params.interval] ?? 0;
      const start = Math.floor(((params.from ?? 0) * 1_000) / ms) * ms;
      const end = params.to === undefined ? undefined : params.to * 1_000;
      return candlesOf(trades, ms, { start, end }).map((each) =>
        [
          each.openedAt / 1_000,
          each.turnover,
          each.close,
          each.high,
          each.low,
          each.open,
          each.volume,
          true,
        ].map(String),
      );
    },
  }),
  route({
    method: 'GET',
    path: '/api/v4/spot/order_book',
    capability: 'order book',
    tradingTypes: SPOT,
    isSigned: false,
    source: { recordings: [`${data}/GetOrderBook`], page: docs('get-market-depth-information') },
    params: z.strictObject({
      currency_pair: pair,
      limit: integer.min(1).max(1_000),
      with_id: z.literal('true'),
    }),
    answer: ({ exchange, params }) => {
      const book = exchange.bookOf(marketOf(exchange, params.currency_pair));
      const levels = (side: 'BUY' | 'SELL') =>
        book
          .levelsOf(side)
          .slice(0, params.limit)
          .map((level) => level.map(String));
      const [current, update] = [exchange.now(), exchange.now()];
      return { id: book.sequence, current, update, asks: levels('SELL'), bids: levels('BUY') };
    },
  }),
];
