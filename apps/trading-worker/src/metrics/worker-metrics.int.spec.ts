import { type CallBudget, ExchangeError } from '@trading-automation/exchanges';
import { Registry } from 'prom-client';
import type { StreamState } from '../streams/account-streams.js';
import { CountedBudget, startMetrics } from './worker-metrics.js';

let registry: Registry;
let states: StreamState[];
let readAge: () => Promise<number>;
let errors: unknown[];
let running: { readonly port: number; stop(): Promise<void> };
beforeEach(async () => {
  registry = new Registry();
  states = [];
  errors = [];
  readAge = async () => 7_200;
  const metrics = await startMetrics({
    port: 0,
    host: '127.0.0.1',
    registry,
    states: () => states.map((state) => ({ state })),
    oldestReconciliationAge: () => readAge(),
    onError: (error) => errors.push(error),
  });
  if (metrics === undefined) throw new Error('the metrics are not served');
  running = metrics;
});
afterEach(() => running.stop());

const scrape = async () => (await fetch(`http://127.0.0.1:${running.port}/metrics`)).text();
const lineOf = (text: string, name: string) =>
  text.split('\n').filter((line) => line.startsWith(name) && !line.startsWith('#'));

describe('the metrics of a worker', () => {
  it('contain the age of the rotation and the number of accounts in each state', async () => {
    states = ['LIVE', 'LIVE', 'UNVERIFIED'];
    const text = await scrape();
    expect(lineOf(text, 'account_oldest_reconciliation_age_seconds')).toEqual([
      'account_oldest_reconciliation_age_seconds 7200',
    ]);
    expect(lineOf(text, 'account_streams')).toEqual(
      expect.arrayContaining([
        'account_streams{state="LIVE"} 2',
        'account_streams{state="UNVERIFIED"} 1',
        'account_streams{state="LOST"} 0',
      ]),
    );
  });

  it('do not contain an outdated age: it is missing while the database cannot be read', async () => {
    await scrape();
    readAge = async () => {
      throw new Error('The database is unavailable.');
    };
    const text = await scrape();
    expect(lineOf(text, 'account_oldest_reconciliation_age_seconds')).toEqual([]);
    expect(lineOf(text, 'account_streams')).not.toEqual([]);
    expect(errors).toHaveLength(1);
  });

  it('count the admitted weight and the refused calls by exchange and purpose', async () => {
    let isRefused = false;
    const budget: CallBudget = {
      take: async () => {
        if (isRefused) throw new ExchangeError('retryable', 'rate_limited', 'The limit is reached.');
      },
      pause: () => undefined,
    };
    const counted = new CountedBudget(budget, registry);
    const { signal } = new AbortController();
    const call = { venue: 'paper', weight: 20, isOrder: false, purpose: 'rotation' } as const;
    await counted.take(call, signal);
    await counted.take({ ...call, weight: 1, isExit: true }, signal);
    isRefused = true;
    await expect(counted.take({ ...call, purpose: 'user' }, signal)).rejects.toMatchObject({
      code: 'rate_limited',
    });
    const text = await scrape();
    expect(lineOf(text, 'exchange_call')).toEqual([
      'exchange_call_weight_total{exchange="paper",purpose="rotation"} 20',
      'exchange_call_weight_total{exchange="paper",purpose="exit"} 1',
      'exchange_calls_refused_total{exchange="paper",purpose="user"} 1',
    ]);
  });
});
