import type { WebhookDeliveries } from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';

/** Signs within the silence after which a dispatcher is taken for gone. */
const SIGNS_PER_SILENCE = 4;

/**
 * Shows again and again that this dispatcher lives, so that others leave its attempts alone; the answer ends that,
 * and gives up what is still leased.
 */
export function startSignsOfLife(
  deliveries: Pick<WebhookDeliveries, 'show' | 'leave'>,
  silenceMs: number,
  logger: Logger,
): () => Promise<void> {
  const show = () =>
    deliveries.show().catch((error) => logger.warn({ err: error }, 'no sign of life could be given'));
  let last = show();
  const timer = setInterval(() => {
    last = show();
  }, silenceMs / SIGNS_PER_SILENCE);
  return async () => {
    clearInterval(timer);
    await last;
    await deliveries.leave().catch(() => undefined);
  };
}
