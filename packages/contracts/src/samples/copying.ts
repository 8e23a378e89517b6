import { copierOperations } from '../copiers.js';
import { simulationOperations } from '../simulation.js';
import { strategyOperations } from '../strategies.js';
import { sample } from './sample.js';

export const copyingSamples = [
  sample(strategyOperations.create, {
    title: 'Create a strategy from the trades of an account',
    as: 'strategy',
    body: {
      name: 'Dip buyer',
      exchange_account_id: '$account.id',
      trade_pair_ids: ['$pairs.0.id'],
      visibility: 'PUBLIC',
    },
  }),
  sample(strategyOperations.get, { title: 'Get a strategy', params: { id: '$strategy.id' } }),
  sample(strategyOperations.list, {
    title: 'List public strategies to copy',
    query: { visibility: 'PUBLIC', limit: '50' },
  }),
  sample(strategyOperations.update, {
    title: 'Set the description of a strategy',
    params: { id: '$strategy.id' },
    body: { description: 'Buys after a fall of more than 3 % and sells when the price recovers.' },
  }),
  sample(copierOperations.create, {
    title: 'Create a copier at half the size, with limits',
    as: 'copier',
    body: {
      name: 'Half size',
      exchange_account_id: '$copy_account.id',
      sizing: { mode: 'MULTIPLIER', value: '0.5' },
      limits: { max_trade_quote: '500', max_daily_loss_quote: '100', max_slippage_bps: 25 },
    },
  }),
  sample(strategyOperations.linkCopiers, {
    title: 'Link copiers to a strategy',
    params: { id: '$strategy.id' },
    body: { copier_ids: ['$copier.id'] },
  }),
  sample(copierOperations.get, { title: 'Get a copier', params: { id: '$copier.id' } }),
  sample(copierOperations.list, {
    title: 'List the copiers of a strategy',
    query: { strategy_id: '$strategy.id' },
  }),
  sample(copierOperations.update, {
    title: 'Copy only BTC/USDT, starting with the next entry',
    params: { id: '$copier.id' },
    body: { limits: { allowed_pairs: ['BTC/USDT'] } },
  }),
  sample(simulationOperations.simulate, {
    title: 'Simulate a copier on signals since the start of October',
    params: { id: '$copier.id' },
    body: { from: '2026-10-01T00:00:00Z' },
  }),
  sample(copierOperations.start, { title: 'Start copying', params: { id: '$copier.id' } }),
  sample(strategyOperations.update, {
    title: 'Offer a profit share',
    params: { id: '$strategy.id' },
    body: { profit_share: { rate: '0.1', period: 'MONTH' } },
  }),
  sample(copierOperations.acceptProfitShare, {
    title: 'Accept the offered profit share from the next period on',
    params: { id: '$copier.id' },
    body: { rate: '0.1', period: 'MONTH' },
  }),
  sample(copierOperations.decisions, {
    title: 'List skipped signals and their reasons',
    params: { id: '$copier.id' },
    query: { outcome: 'SKIPPED', sort: 'sequence' },
  }),
  sample(copierOperations.stop, {
    title: 'Stop copying entries and exits',
    params: { id: '$copier.id' },
    body: { mode: 'PAUSED' },
  }),
  sample(copierOperations.delete, { title: 'Delete a copier', params: { id: '$copier.id' } }),
  sample(strategyOperations.delete, {
    title: 'Delete a strategy and pause its copiers',
    params: { id: '$strategy.id' },
    body: { stop_copiers: true },
  }),
];
