/**
 * How far behind all dispatchers together are, read from Postgres and Redis when somebody asks.
 *
 * 1. A store that is away, or slow, takes its own figures off the page and nothing else: what this process counted
 *    is told all the same, and no figure of the past is passed off as one of now.
 * 2. However many ask at once, each store is asked once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Backlog, Lane, WebhookBacklog } from '@trading-automation/core/webhooks';
import { Gauge, type Registry } from 'prom-client';
import type { AttemptQueue, LaneDepth } from '../delivery/attempt-queue.js';

export interface BacklogSources {
  readonly backlog: Pick<WebhookBacklog, 'read'>;
  readonly queue: Pick<AttemptQueue, 'depth'>;
  /** Told of each look that failed. */
  readonly onError: (error: unknown) => void;
  /** How long a store may take; 6,000 unless given: a scraper gives up after 10 s. */
  readonly timeoutMs?: number;
}

const AGES = {
  webhook_oldest_undelivered_age_seconds: [
    'oldestUndeliveredAgeSeconds',
    'Age of the oldest event that some webhook is still owed, whatever it waits for',
  ],
  webhook_oldest_due_age_seconds: [
    'oldestDueAgeSeconds',
    'How long the delivery that is due longest has been due, parked ones included',
  ],
  webhook_oldest_unrelayed_age_seconds: [
    'oldestUnrelayedAgeSeconds',
    'Age of the oldest event whose deliveries are not made yet',
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
      help: 'Whether the figures of this store could be read just now',
      labelNames: ['store'],
      registers,
    });
    this.ages = Object.entries(AGES).map(([name, [figure, help]]) => ({
      figure,
      gauge: new Gauge({ name, help, registers }),
    }));
    this.deliveries = new Gauge({
      name: 'webhook_deliveries_owed',
      help: 'Deliveries that are owed, by what they wait for',
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

  /** Brings the gauges up to date. Never throws. */
  async refresh(): Promise<void> {
    const [backlog, depths] = await Promise.all([
      this.read('postgres', this.queryPostgres),
      this.read('redis', this.queryRedis),
    ]);
    this.showBacklog(backlog);
    this.showLanes(depths ?? []);
  }

  private async read<T>(store: 'postgres' | 'redis', look: () => Promise<T>): Promise<T | undefined> {
    try {
      const seen = await withTimeout(look(), this.sources.timeoutMs ?? TIMEOUT_MS);
      this.readable.set({ store }, 1);
      return seen;
    } catch (error) {
      this.sources.onError(error);
      this.readable.set({ store }, 0);
      return undefined;
    }
  }

  private showBacklog(backlog: Backlog | undefined): void {
    this.deliveries.reset();
    for (const { figure, gauge } of this.ages) {
      if (backlog === undefined) gauge.remove({});
      else gauge.set(backlog[figure]);
    }
    if (backlog === undefined) return;
    for (const state of DELIVERY_STATES) this.deliveries.set({ state }, backlog[state]);
  }

  private showLanes(depths: readonly LaneDepth[]): void {
    this.jobs.reset();
    for (const [index, depth] of depths.entries())
      for (const state of JOB_STATES) this.jobs.set({ lane: LANES[index]!, state }, depth[state]);
  }
}

/** The same look for everybody who asks while it lasts. */
function coalesce<T>(look: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= look().finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const ended = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: ended.signal, ref: false }).then(() => {
    throw new Error(`no answer within ${timeoutMs} ms`);
  });
  // Whichever loses has nobody who listens to it.
  late.catch(() => undefined);
  work.catch(() => undefined);
  return Promise.race([work, late]).finally(() => ended.abort());
}
