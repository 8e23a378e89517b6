import { type MetricsServerOptions, serveMetrics } from '@trading-automation/runtime';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import { BacklogGauges, type BacklogSources } from './backlog-gauges.js';

export interface MetricsOptions extends Pick<MetricsServerOptions, 'host' | 'onError'>, BacklogSources {
  /** Undefined serves nothing. */
  readonly port: number | undefined;
  /** What the process counts. */
  readonly registry: Registry;
}

/** Serves what the process counts, what it takes to run, and how far behind deliveries are. */
export async function startMetrics(options: MetricsOptions): Promise<{ stop(): Promise<void> }> {
  const { port, host, registry, onError } = options;
  if (port === undefined) return { stop: async () => undefined };
  const gauges = new BacklogGauges(registry, options);
  collectDefaultMetrics({ register: registry });
  const scraped = {
    contentType: registry.contentType,
    async metrics() {
      await gauges.refresh();
      return registry.metrics();
    },
  };
  return serveMetrics({ port, host, registry: scraped, onError });
}
