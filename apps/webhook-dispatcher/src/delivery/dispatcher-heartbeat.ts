import type { WebhookDeliveriesService } from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';

/** Signs within the silence after which a dispatcher is taken for gone. */
const HEARTBEATS_PER_TIMEOUT = 4;

/**
 * Shows again and again that this dispatcher lives, so that others leave its attempts alone; the answer ends that,
 * and gives up what is still leased.
 */
export function startDispatcherHeartbeat(
  deliveries: Pick<WebhookDeliveriesService, 'heartbeat' | 'releaseLeases'>,
  silenceMs: number,
  logger: Logger,
): () => Promise<void> {
  const show = () =>
    deliveries.heartbeat().catch((error) => logger.warn({ err: error }, 'no sign of life could be given'));
  let last = show();
  const timer = setInterval(() => {
    last = show();
  }, silenceMs / HEARTBEATS_PER_TIMEOUT);
  return async () => {
    clearInterval(timer);
    await last;
    await deliveries.releaseLeases().catch(() => undefined);
  };
}
