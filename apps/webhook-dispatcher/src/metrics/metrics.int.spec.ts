import { DELIVERY_ERRORS } from '@trading-automation/contracts';
import type { Backlog, Lane } from '@trading-automation/core/webhooks';
import { Registry } from 'prom-client';
import { freePort, type Page, scrape } from '../../test/scrape.js';
import type { LaneDepth } from '../delivery/attempt-queue.js';
import { DeliveryCounters } from './delivery-counters.js';
import { startMetrics } from './metrics.js';

const BACKLOG: Backlog = {
  oldestUndeliveredAgeSeconds: 12.5,
  oldestDueAgeSeconds: 3,
  oldestUnrelayedAgeSeconds: 0.25,
  due: 1,
  parked: 2,
  waiting: 3,
  sending: 4,
  overrun: 5,
};
const DEPTHS: Record<Lane, LaneDepth> = {
  main: { waiting: 6, active: 7, delayed: 8 },
  slow: { waiting: 9, active: 10, delayed: 11 },
};

let port: number;
let errors: unknown[];
let readPostgres: () => Promise<Backlog>;
let readRedis: (lane: Lane) => Promise<LaneDepth>;
let counters: DeliveryCounters;
let running: { stop(): Promise<void> };

beforeEach(async () => {
  port = await freePort();
  errors = [];
  readPostgres = async () => BACKLOG;
  readRedis = async (lane) => DEPTHS[lane];
  const registry = new Registry();
  counters = new DeliveryCounters(registry);
  running = await startMetrics({
    port,
    host: '127.0.0.1',
    registry,
    backlog: { read: () => readPostgres() },
    queue: { depth: (lane) => readRedis(lane) },
    onError: (error) => errors.push(error),
    timeoutMs: 50,
  });
});
afterEach(() => running.stop());

describe('the counters', () => {
  it('start at 0 in every possible series', async () => {
    const page = await scrape(port);
    const attempts = page.values('webhook_attempts_total');
    expect(Object.keys(attempts).sort()).toEqual(
      ['main', 'slow', 'test']
        .flatMap((lane) => ['succeeded', ...DELIVERY_ERRORS].map((outcome) => `${lane} ${outcome}`))
        .sort(),
    );
    expect(new Set(Object.values(attempts))).toEqual(new Set([0]));
    expect(page.values('webhook_sweeper_repairs_total')).toEqual({ job: 0, dispatcher: 0 });
    expect(page.values('webhook_deactivations_total')).toEqual({ '': 0 });
    expect(page.values('webhook_superseded_attempts_total')).toEqual({ '': 0 });
    expect(page.values('mails_total')).toEqual({ sent: 0, rejected: 0, deferred: 0, unreachable: 0 });
    expect(page.values('webhook_attempt_duration_seconds_count')).toEqual({ main: 0, slow: 0, test: 0 });
    expect(page.values('webhook_first_attempt_delay_seconds_count')).toEqual({ '': 0 });
  });

  it('increase with each attempt, each job that the sweeper adds, and each mail; times are in seconds', async () => {
    counters.countAttempt('main', 'ended', { error: undefined, durationMs: 40 });
    counters.countAttempt('main', 'ended', { error: undefined, durationMs: 250 });
    counters.countAttempt('slow', 'deactivated', { error: 'timeout', durationMs: 30_000 });
    counters.countAttempt('slow', 'superseded', { error: 'reset', durationMs: 5 });
    const blocked = { error: 'blocked_address', responseTimeMs: 1 } as const;
    expect(await counters.countTestAttempts(async () => blocked)({})).toBe(blocked);
    counters.observeFirstAttempt(120);
    counters.observeFirstAttempt(-3);
    counters.countRepair('job');
    counters.countRepair('job');
    counters.countRepair('dispatcher');
    counters.countMail('sent');
    const page = await scrape(port);
    expect(page.values('webhook_attempts_total')).toMatchObject({
      'main succeeded': 2,
      'slow timeout': 1,
      'test blocked_address': 1,
      'slow reset': 0,
      'main timeout': 0,
    });
    expect(page.values('webhook_attempt_duration_seconds_sum')).toEqual({
      main: 0.29,
      slow: 30,
      test: expect.any(Number),
    });
    expect(page.values('webhook_attempt_duration_seconds_count')).toEqual({ main: 2, slow: 1, test: 1 });
    expect(page.values('webhook_attempt_duration_seconds_bucket')).toMatchObject({
      '0.025 main': 0,
      '0.05 main': 1,
      '0.25 main': 2,
      '+Inf main': 2,
      '20 slow': 0,
      '30 slow': 1,
    });
    expect(page.values('webhook_first_attempt_delay_seconds_sum')).toEqual({ '': 0.12 });
    expect(page.values('webhook_first_attempt_delay_seconds_count')).toEqual({ '': 2 });
    expect(page.values('webhook_sweeper_repairs_total')).toEqual({ job: 2, dispatcher: 1 });
    expect(page.values('webhook_deactivations_total')).toEqual({ '': 1 });
    expect(page.values('webhook_superseded_attempts_total')).toEqual({ '': 1 });
    expect(page.values('mails_total')).toMatchObject({ sent: 1, rejected: 0 });
  });
});

describe('the gauges', () => {
  const gaugesOf = (page: Page) => ({
    readable: page.values('webhook_backlog_readable'),
    oldest: page.values('webhook_oldest_undelivered_age_seconds'),
    due: page.values('webhook_oldest_due_age_seconds'),
    unrelayed: page.values('webhook_oldest_unrelayed_age_seconds'),
    deliveries: page.values('webhook_deliveries_owed'),
    jobs: page.values('webhook_lane_jobs'),
  });
  const ALL = {
    readable: { postgres: 1, redis: 1 },
    oldest: { '': 12.5 },
    due: { '': 3 },
    unrelayed: { '': 0.25 },
    deliveries: { due: 1, parked: 2, waiting: 3, sending: 4, overrun: 5 },
    jobs: {
      'main waiting': 6,
      'main active': 7,
      'main delayed': 8,
      'slow waiting': 9,
      'slow active': 10,
      'slow delayed': 11,
    },
  };
  const NO_POSTGRES = { oldest: {}, due: {}, unrelayed: {}, deliveries: {} };

  it('show the state of Postgres and Redis at the time of the scrape', async () => {
    expect(gaugesOf(await scrape(port))).toEqual(ALL);
    readPostgres = async () => ({ ...BACKLOG, parked: 200 });
    expect(gaugesOf(await scrape(port)).deliveries).toMatchObject({ parked: 200 });
    expect(errors).toEqual([]);
  });

  it('are missing only while the store from which they are read is unavailable', async () => {
    await scrape(port);
    counters.countAttempt('main', 'deactivated', { error: 'reset', durationMs: 1 });
    readPostgres = async () => {
      throw new Error('Postgres is unavailable');
    };
    const withoutPostgres = await scrape(port);
    expect(gaugesOf(withoutPostgres)).toEqual({
      ...ALL,
      ...NO_POSTGRES,
      readable: { postgres: 0, redis: 1 },
    });
    expect(withoutPostgres.values('webhook_deactivations_total')).toEqual({ '': 1 });
    readRedis = async () => {
      throw new Error('Redis is unavailable');
    };
    expect(gaugesOf(await scrape(port))).toEqual({
      ...NO_POSTGRES,
      jobs: {},
      readable: { postgres: 0, redis: 0 },
    });
    expect(errors).toHaveLength(3);
    readPostgres = async () => BACKLOG;
    readRedis = async (lane) => DEPTHS[lane];
    expect(gaugesOf(await scrape(port))).toEqual(ALL);
  });

  it('are missing while their store hangs; the page is not delayed, and the store is not queried again', async () => {
    let queries = 0;
    readPostgres = () => {
      queries++;
      return new Promise(() => undefined);
    };
    const pages = await Promise.all([scrape(port), scrape(port), scrape(port)]);
    for (const page of [...pages, await scrape(port)])
      expect(gaugesOf(page)).toEqual({ ...ALL, ...NO_POSTGRES, readable: { postgres: 0, redis: 1 } });
    expect(queries).toBe(1);
  });
});

describe('the metrics page', () => {
  it('includes metrics of the process, and is not served without a port', async () => {
    const page = await scrape(port);
    expect(page.values('process_resident_memory_bytes')['']).toBeGreaterThan(0);
    const withoutPort = await startMetrics({
      port: undefined,
      host: '127.0.0.1',
      registry: new Registry(),
      backlog: { read: () => readPostgres() },
      queue: { depth: (lane) => readRedis(lane) },
      onError: (error) => errors.push(error),
    });
    await withoutPort.stop();
  });

  it('has a type for each metric, seconds as unit of time, and counters with the suffix _total', async () => {
    const { types } = await scrape(port);
    const ownMetrics = [...types].filter(([name]) => /^(?:webhook|mails)_/.test(name));
    expect(ownMetrics.map(([, type]) => type).sort()).toEqual([
      ...Array(5).fill('counter'),
      ...Array(6).fill('gauge'),
      ...Array(2).fill('histogram'),
    ]);
    for (const [name, type] of ownMetrics) {
      expect(name.endsWith('_total')).toBe(type === 'counter');
      expect(name.endsWith('_seconds')).toBe(type === 'histogram' || name.includes('_age'));
    }
  });
});
