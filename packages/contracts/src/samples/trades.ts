import { analyticsOperations } from '../analytics.js';
import { emergencyStopOperations } from '../emergency-stop.js';
import { lotOperations } from '../lots.js';
import { marketDataOperations } from '../market-data.js';
import { positionOperations } from '../positions.js';
import { tradePairOperations } from '../trade-pairs.js';
import { tradeOperations } from '../trades.js';
import { sample } from './sample.js';

export const tradePairSamples = [
  sample(tradePairOperations.list, {
    title: 'Find a pair by its symbol',
    as: 'pairs',
    query: { exchange: 'paper', trading_type: 'spot', symbol: 'BTC/USDT' },
  }),
  sample(tradePairOperations.list, {
    title: 'Search the perpetuals of an exchange',
    as: 'perpetual_pairs',
    query: { exchange: 'paper', trading_type: 'perpetual', search: 'btcusd', sort: 'symbol', order: 'asc' },
  }),
  sample(tradePairOperations.get, {
    title: 'Get the trading rules of a pair',
    params: { id: '$pairs.0.id' },
  }),
  sample(marketDataOperations.ticker, {
    title: 'Get the last price of a pair',
    params: { id: '$pairs.0.id' },
  }),
  sample(marketDataOperations.candles, {
    title: 'Get the prices of the last hours',
    params: { id: '$pairs.0.id' },
    query: { interval: '1h' },
  }),
  sample(marketDataOperations.orderBook, {
    title: 'Get the best prices of the order book',
    params: { id: '$pairs.0.id' },
    query: { depth: '5' },
  }),
];

export const tradeSamples = [
  sample(tradeOperations.create, {
    title: 'Place a limit order',
    as: 'resting',
    body: {
      exchange_account_id: '$account.id',
      trade_pair_id: '$pairs.0.id',
      type: 'LIMIT',
      side: 'BUY',
      price: '10000',
      amount: '0.01',
      client_order_id: 'dip-buyer-1',
    },
  }),
  sample(tradeOperations.get, { title: 'Get a trade and its fills', params: { id: '$resting.id' } }),
  sample(tradeOperations.list, {
    title: 'List the pending trades of an account',
    query: { exchange_account_id: '$account.id', status: 'PENDING', include: 'total' },
  }),
  sample(tradeOperations.cancel, {
    title: 'Cancel the unfilled part of a trade',
    params: { id: '$resting.id' },
  }),
  sample(tradeOperations.create, {
    title: 'Buy at market',
    body: {
      exchange_account_id: '$account.id',
      trade_pair_id: '$pairs.0.id',
      type: 'MARKET',
      side: 'BUY',
      amount: '0.02',
    },
  }),
  sample(lotOperations.list, {
    title: 'List the open lots of an account',
    as: 'lots',
    query: { exchange_account_id: '$account.id', status: 'OPEN' },
  }),
  sample(lotOperations.get, { title: 'Get a lot with its cost and result', params: { id: '$lots.0.id' } }),
  sample(lotOperations.close, {
    title: 'Close half of a lot',
    params: { id: '$lots.0.id' },
    body: { fraction: '0.5' },
  }),
  sample(positionOperations.setLeverage, {
    title: 'Set the leverage of an account for a perpetual',
    params: { id: '$perpetual_account.id' },
    body: { trade_pair_id: '$perpetual_pairs.0.id', leverage: '5', margin_mode: 'CROSS' },
  }),
  sample(analyticsOperations.get, {
    title: 'Get the weekly results of an account',
    query: { exchange_account_id: '$account.id', interval: 'week' },
  }),
];

export const emergencyStopSamples = [
  sample(emergencyStopOperations.run, { title: 'Pause every copier and cancel every open order' }),
];
