/** The metrics of a trading worker: its calls to exchanges, and the state of its accounts. */
import { type BudgetedCall, type CallBudget, purposeOf } from '@trading-automation/exchanges';
import { type MetricsServer, type MetricsServerOptions, serveMetrics } from '@trading-automation/runtime';
import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { StreamState } from '../streams/account-streams.js';

const STATES: readonly StreamState[] = ['CONNECTING', 'REPAIRING', 'UNVERIFIED', 'LIVE', 'POLLING', 'LOST'];

/** A budget that counts the admitted weight and the refused calls of another one, by exchange and purpose. */
export class CountedBudget implements CallBudget {
  private readonly weight;
  private readonly refused;

  constructor(
    private readonly budget: CallBudget,
    registry: Registry,
  ) {
    const labelNames = ['exchange', 'purpose'] as const;
    this.weight = new Counter({
      name: 'exchange_call_weight_total',
      help: 'Request weight of admitted calls',
      labelNames,
      registers: [registry],
    });
    this.refused = new Counter({
      name: 'exchange_calls_refused_total',
      help: 'Calls that the budget did not admit in time',
      labelNames,
      registers: [registry],
    });
  }

  async take(call: BudgetedCall, signal: AbortSignal): Promise<void> {
    const labels = { exchange: call.venue, purpose: purposeOf(call) };
    try {
      await this.budget.take(call, signal);
    } catch (error) {
      this.refused.inc(labels);
      throw error;
    }
    this.weight.inc(labels, call.weight);
  }

  pause(venue: string, forMs: number, egress?: string): void {
    this.budget.pause(venue, forMs, egress);
  }
}

export interface WorkerMetricsOptions extends Pick<MetricsServerOptions, 'host' | 'onError'> {
  /** The port of the metrics server; undefined disables the server. */
  readonly port: number | undefined;
  /** The registry that contains the counters of this process. */
  readonly registry: Registry;
  /** Returns the states of the streams of this worker's accounts. */
  readonly states: () => readonly { readonly state: StreamState }[];
  /** Returns the age in seconds of the oldest reconciliation of this worker's accounts. */
  readonly oldestReconciliationAge: () => Promise<number>;
}

/**
 * Serves the counters, the resource usage of the process, and the state of its accounts. Returns undefined if the
 * server is disabled.
 */
export async function startMetrics(options: WorkerMetricsOptions): Promise<MetricsServer | undefined> {
  const { port, host, registry, onError } = options;
  if (port === undefined) return undefined;
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const streams = new Gauge({
    name: 'account_streams',
    help: 'Accounts of this worker by the state of their stream',
    labelNames: ['state'],
    registers,
  });
  const age = new Gauge({
    name: 'account_oldest_reconciliation_age_seconds',
    help: 'Time since the account of this worker that was not compared for the longest time was compared',
    registers,
  });
  const refresh = async () => {
    const states = options.states();
    for (const state of STATES) streams.set({ state }, states.filter((each) => each.state === state).length);
    try {
      age.set(await options.oldestReconciliationAge());
    } catch (error) {
      onError(error);
      // A missing figure is better than an outdated one.
      age.remove({});
    }
  };
  const scraped = {
    contentType: registry.contentType,
    async metrics() {
      await refresh();
      return registry.metrics();
    },
  };
  return serveMetrics({ port, host, registry: scraped, onError });
}
