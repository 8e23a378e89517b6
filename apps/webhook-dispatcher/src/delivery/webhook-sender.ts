import { encodeId } from '@trading-automation/contracts';
import type { Opener } from '@trading-automation/core/sealing';
import {
  type AttemptResult,
  CLAIMS_MAX,
  type ClaimedAttempt,
  type OutgoingEvent,
  requestHeadersOf,
  signedAtOf,
} from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import type { OutboundClient } from './outbound-client.js';
import { SecretCache } from './secret-cache.js';
import { signatureOf } from './signature.js';

/** Signs events with the current secret of their webhook and sends them. */
export class WebhookSender {
  private readonly secrets: SecretCache;

  constructor(
    opener: Opener,
    private readonly client: OutboundClient,
    private readonly logger: Logger,
  ) {
    this.secrets = new SecretCache(opener);
  }

  /** Sends an event once. Returns the error `internal` if the secret cannot be opened. */
  async send(event: OutgoingEvent): Promise<AttemptResult> {
    const secret = await this.open(event);
    if (secret === undefined) return { error: 'internal', responseTimeMs: 0 };
    return this.client.post({
      url: event.url,
      headers: headersOf(event, secret),
      body: event.payload,
    });
  }

  /** Sends a claimed attempt. Never throws: an internal error becomes the result of the attempt. */
  async sendAttempt(attempt: ClaimedAttempt): Promise<AttemptResult> {
    const { deliveryId, claims } = attempt;
    try {
      if (claims <= CLAIMS_MAX) return await this.send(attempt);
      this.logger.error(
        { event: 'attempt.abandoned', delivery_id: deliveryId, claims },
        'The attempt was claimed too often without a result; it counts as failed.',
      );
    } catch (error) {
      this.logger.error(
        { event: 'attempt.failed_internally', err: error, delivery_id: deliveryId },
        'The attempt failed with an internal error.',
      );
    }
    return { error: 'internal', responseTimeMs: 0 };
  }

  private async open({ webhookId, secretSealed }: OutgoingEvent): Promise<Uint8Array | undefined> {
    try {
      return await this.secrets.get(webhookId, secretSealed);
    } catch (error) {
      this.logger.error(
        { event: 'webhook_secret.not_opened', err: error, webhook_id: webhookId },
        'Could not decrypt the signing secret of a webhook.',
      );
      return undefined;
    }
  }
}

function headersOf(event: OutgoingEvent, secret: Uint8Array): Readonly<Record<string, string>> {
  const { eventId, attemptedAt, payload } = event;
  const signature = signatureOf(secret, encodeId('evt', eventId), signedAtOf(attemptedAt), payload);
  return requestHeadersOf(event, signature);
}
