import { createHmac } from 'node:crypto';

/**
 * Returns the value of the `webhook-signature` header, as the Standard Webhooks specification defines it:
 * `v1,` and the base64 of HMAC-SHA256 over `<id>.<timestamp>.<body>`.
 */
export function signatureOf(
  secret: Uint8Array,
  id: string,
  timestampSeconds: number,
  body: Uint8Array,
): string {
  const digest = createHmac('sha256', secret)
    .update(`${id}.${timestampSeconds}.`)
    .update(body)
    .digest('base64');
  return `v1,${digest}`;
}
