import type { WebhookDeliveriesService } from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';

/** Heartbeats within one timeout: a dispatcher with one late heartbeat must not count as dead. */
const HEARTBEATS_PER_TIMEOUT = 4;

/**
 * Records heartbeats, so that other dispatchers do not take over the attempts of this one. Returns a function that
 * stops the heartbeats and releases the remaining leases of this dispatcher.
 */
export function startDispatcherHeartbeat(
  deliveries: Pick<WebhookDeliveriesService, 'heartbeat' | 'releaseLeases'>,
  timeoutMs: number,
  logger: Logger,
): () => Promise<void> {
  const beat = () =>
    deliveries
      .heartbeat()
      .catch((error) =>
        logger.warn({ event: 'dispatcher_heartbeat.failed', err: error }, 'Could not record a heartbeat.'),
      );
  let last = beat();
  const timer = setInterval(() => {
    last = beat();
  }, timeoutMs / HEARTBEATS_PER_TIMEOUT);
  return async () => {
    clearInterval(timer);
    await last;
    await deliveries.releaseLeases().catch(() => undefined);
  };
}
