/**
 * Reports the backlog of all dispatchers together. Each scrape reads it from Postgres and Redis.
 *
 * 1. If one of these stores is unavailable or slow, only its own figures are missing. A scrape never contains outdated
 *    figures, and always contains the counters of this process.
 * 2. Concurrent scrapes share one query to each store.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Backlog, Lane, WebhookBacklog } from '@trading-automation/core/webhooks';
import { Gauge, type Registry } from 'prom-client';
import type { AttemptQueue, LaneDepth } from '../delivery/attempt-queue.js';

export interface BacklogSources {
  readonly backlog: Pick<WebhookBacklog, 'read'>;
  readonly queue: Pick<AttemptQueue, 'depth'>;
  /** Called for each failed query. */
  readonly onError: (error: unknown) => void;
  /** The time limit of a query. Default: 6,000 ms, because a scraper gives up after 10 s. */
  readonly timeoutMs?: number;
}

const AGES = {
  webhook_oldest_undelivered_age_seconds: [
    'oldestUndeliveredAgeSeconds',
    'Age of the oldest event that at least one webhook has not received, or that is not fanned out',
  ],
  webhook_oldest_due_age_seconds: [
    'oldestDueAgeSeconds',
    'Time since the earliest due time of a delivery, including parked deliveries',
  ],
  webhook_oldest_unrelayed_age_seconds: [
    'oldestUnrelayedAgeSeconds',
    'Age of the oldest event whose deliveries have not been created',
  ],
} as const;
const DELIVERY_STATES = ['due', 'parked', 'waiting', 'sending', 'overrun'] as const;
const JOB_STATES = ['waiting', 'active', 'delayed'] as const;
const LANES: readonly Lane[] = ['main', 'slow'];
const TIMEOUT_MS = 6_000;

export class BacklogGauges {
  private readonly readable;
  private readonly ages;
  private readonly deliveries;
  private readonly jobs;
  private readonly queryPostgres;
  private readonly queryRedis;

  constructor(
    registry: Registry,
    private readonly sources: BacklogSources,
  ) {
    const registers = [registry];
    this.readable = new Gauge({
      name: 'webhook_backlog_readable',
      help: 'Whether the figures of this store could be read',
      labelNames: ['store'],
      registers,
    });
    this.ages = Object.entries(AGES).map(([name, [figure, help]]) => ({
      figure,
      gauge: new Gauge({ name, help, registers }),
    }));
    this.deliveries = new Gauge({
      name: 'webhook_deliveries_owed',
      help: 'Pending deliveries, by state',
      labelNames: ['state'],
      registers,
    });
    this.jobs = new Gauge({
      name: 'webhook_lane_jobs',
      help: 'Jobs in the lanes',
      labelNames: ['lane', 'state'],
      registers,
    });
    this.queryPostgres = coalesce(() => sources.backlog.read());
    this.queryRedis = coalesce(() => Promise.all(LANES.map((lane) => sources.queue.depth(lane))));
  }

  /** Updates the gauges. Never throws. */
  async refresh(): Promise<void> {
    const [backlog, depths] = await Promise.all([
      this.read('postgres', this.queryPostgres),
      this.read('redis', this.queryRedis),
    ]);
    this.setBacklog(backlog);
    this.setLanes(depths ?? []);
  }

  private async read<T>(store: 'postgres' | 'redis', query: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await withTimeout(query(), this.sources.timeoutMs ?? TIMEOUT_MS);
      this.readable.set({ store }, 1);
      return result;
    } catch (error) {
      this.sources.onError(error);
      this.readable.set({ store }, 0);
      return undefined;
    }
  }

  private setBacklog(backlog: Backlog | undefined): void {
    this.deliveries.reset();
    for (const { figure, gauge } of this.ages) {
      if (backlog === undefined) gauge.remove({});
      else gauge.set(backlog[figure]);
    }
    if (backlog === undefined) return;
    for (const state of DELIVERY_STATES) this.deliveries.set({ state }, backlog[state]);
  }

  private setLanes(depths: readonly LaneDepth[]): void {
    this.jobs.reset();
    for (const [index, depth] of depths.entries())
      for (const state of JOB_STATES) this.jobs.set({ lane: LANES[index]!, state }, depth[state]);
  }
}

/** Shares one running query among concurrent callers. */
function coalesce<T>(query: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= query().finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const ended = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: ended.signal, ref: false }).then(() => {
    throw new Error(`The store did not respond within ${timeoutMs} ms.`);
  });
  // The promise that loses the race may reject later. That must not be an unhandled rejection.
  late.catch(() => undefined);
  work.catch(() => undefined);
  return Promise.race([work, late]).finally(() => ended.abort());
}
