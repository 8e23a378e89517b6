import { encodeId } from '@trading-automation/contracts';

/** What the headers of an attempt depend on. The ids are uuids. */
export interface AttemptHeaders {
  readonly eventId: string;
  readonly webhookId: string;
  readonly attempt: number;
  readonly attemptedAt: Date;
}

/** The value of a signature that is not shown. */
export const HIDDEN_SIGNATURE = 'v1,…';

/** The time that the signature of an attempt covers, in seconds. */
export const signedAtOf = (attemptedAt: Date): number => Math.floor(attemptedAt.getTime() / 1_000);

/** Returns the headers with which an attempt is sent, in addition to those of the HTTP connection. */
export function requestHeadersOf(
  { eventId, webhookId, attempt, attemptedAt }: AttemptHeaders,
  signature: string,
): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    'user-agent': 'trading-automation-webhooks/1',
    'webhook-id': encodeId('evt', eventId),
    'webhook-timestamp': String(signedAtOf(attemptedAt)),
    'webhook-signature': signature,
    'x-svc-webhook-id': encodeId('whk', webhookId),
    'x-svc-attempt': String(attempt),
  };
}
