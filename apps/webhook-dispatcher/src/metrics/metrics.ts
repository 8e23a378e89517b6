import { type MetricsServerOptions, serveMetrics } from '@trading-automation/runtime';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import { BacklogGauges, type BacklogSources } from './backlog-gauges.js';

export interface MetricsOptions extends Pick<MetricsServerOptions, 'host' | 'onError'>, BacklogSources {
  /** The port of the metrics server; undefined disables the server. */
  readonly port: number | undefined;
  /** The registry that contains the counters of this process. */
  readonly registry: Registry;
}

/** Serves the counters, the resource usage of the process, and the delivery backlog. */
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
