import { copierOperations } from '../copiers.js';
import { simulationOperations } from '../simulation.js';
import { strategyOperations } from '../strategies.js';
import { sample } from './sample.js';

export const copyingSamples = [
  sample(strategyOperations.create, {
    title: 'Make the trades of an account a strategy',
    as: 'strategy',
    body: {
      name: 'Dip buyer',
      exchange_account_id: '$account.id',
      trade_pair_ids: ['$pairs.0.id'],
      visibility: 'PUBLIC',
    },
  }),
  sample(strategyOperations.get, { title: 'Read a strategy', params: { id: '$strategy.id' } }),
  sample(strategyOperations.list, {
    title: 'Find strategies of others to copy',
    query: { visibility: 'PUBLIC', limit: '50' },
  }),
  sample(strategyOperations.update, {
    title: 'Describe a strategy',
    params: { id: '$strategy.id' },
    body: { description: 'Buys falls of more than 3 % and sells on the way up.' },
  }),
  sample(copierOperations.create, {
    title: 'Make a copier at half the size, with bounds',
    as: 'copier',
    body: {
      name: 'Half size',
      exchange_account_id: '$copy_account.id',
      sizing: { mode: 'MULTIPLIER', value: '0.5' },
      limits: { max_trade_quote: '500', max_daily_loss_quote: '100', max_slippage_bps: 25 },
    },
  }),
  sample(strategyOperations.linkCopiers, {
    title: 'Have copiers follow a strategy',
    params: { id: '$strategy.id' },
    body: { copier_ids: ['$copier.id'] },
  }),
  sample(copierOperations.get, { title: 'Read a copier', params: { id: '$copier.id' } }),
  sample(copierOperations.list, {
    title: 'List the copiers of a strategy',
    query: { strategy_id: '$strategy.id' },
  }),
  sample(copierOperations.update, {
    title: 'Copy BTC/USDT alone, from the next entry on',
    params: { id: '$copier.id' },
    body: { limits: { allowed_pairs: ['BTC/USDT'] } },
  }),
  sample(simulationOperations.simulate, {
    title: 'See what it would have copied since the beginning of October',
    params: { id: '$copier.id' },
    body: { from: '2026-10-01T00:00:00Z' },
  }),
  sample(copierOperations.start, { title: 'Start copying', params: { id: '$copier.id' } }),
  sample(copierOperations.decisions, {
    title: 'See why signals were not copied',
    params: { id: '$copier.id' },
    query: { outcome: 'SKIPPED', sort: 'sequence' },
  }),
  sample(copierOperations.stop, {
    title: 'Stop copying, and follow no exit either',
    params: { id: '$copier.id' },
    body: { mode: 'PAUSED' },
  }),
  sample(copierOperations.delete, { title: 'Remove a copier', params: { id: '$copier.id' } }),
  sample(strategyOperations.delete, {
    title: 'Remove a strategy, and pause who follows it',
    params: { id: '$strategy.id' },
    body: { stop_copiers: true },
  }),
];
