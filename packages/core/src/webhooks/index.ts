export type { OverdueDelivery } from './admission.queries.js';
export type { Backlog } from './backlog.queries.js';
export { DeadLettersService } from './dead-letters.service.js';
export type { ClaimedAttempt, DeliveryRef, Lane, LanedDelivery, OutgoingEvent } from './delivery.queries.js';
export { CLAIMS_MAX, DELIVERY_LIMITS, RETRY_DELAYS_MS } from './delivery.rules.js';
export * from './egress.js';
export { deactivateInsecureWebhooks } from './insecure-webhooks.js';
export type { RecordOutcome } from './record-failures.js';
export { requestHeadersOf, signedAtOf } from './request-headers.js';
export { WebhookBacklog } from './webhook-backlog.service.js';
export {
  type AttemptResult,
  type ClaimResult,
  DeliverySettings,
  WebhookDeliveriesService,
} from './webhook-deliveries.service.js';
export { WebhookDeliveryModule } from './webhook-delivery.module.js';
export { WebhookFanOut } from './webhook-fan-out.service.js';
export { WebhookSecrets, webhookSecretBytes, webhookSecretContext } from './webhook-secret.js';
export { ATTEMPT_TIMEOUT_MAX_MS, WEBHOOK_TEST_TIMES, WebhookTestsService } from './webhook-tests.service.js';
export { WebhooksModule } from './webhooks.module.js';
export { WebhooksService } from './webhooks.service.js';
