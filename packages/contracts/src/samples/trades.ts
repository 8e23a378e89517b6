import { analyticsOperations } from '../analytics.js';
import { emergencyStopOperations } from '../emergency-stop.js';
import { tradePairOperations } from '../trade-pairs.js';
import { tradeOperations } from '../trades.js';
import { sample } from './sample.js';

export const tradePairSamples = [
  sample(tradePairOperations.list, {
    title: 'Which pairs does an exchange trade?',
    as: 'pairs',
    query: { exchange: 'paper', sort: 'symbol', order: 'asc' },
  }),
  sample(tradePairOperations.get, { title: 'Read the rules of a pair', params: { id: '$pairs.0.id' } }),
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
  sample(tradeOperations.get, { title: 'Read a trade and its fills', params: { id: '$resting.id' } }),
  sample(tradeOperations.list, {
    title: 'List the open trades of an account',
    query: { exchange_account_id: '$account.id', status: 'PENDING', include: 'total' },
  }),
  sample(tradeOperations.cancel, { title: 'Cancel what is not filled', params: { id: '$resting.id' } }),
  sample(analyticsOperations.get, {
    title: 'What did an account come to, week by week?',
    query: { exchange_account_id: '$account.id', interval: 'week' },
  }),
];

export const emergencyStopSamples = [
  sample(emergencyStopOperations.run, { title: 'Pause every copier and cancel every open order' }),
];
