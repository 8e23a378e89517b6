/** What the bare peers of `webhooks.mjs` send: a body with the signature of the Standard Webhooks specification. */
import { createHmac } from 'node:crypto';

/** @typedef {{ id: string, webhookId: string, path: string, secret: string, body: string }} Delivery */

/** Resolves once the receiver has taken it; anything else ends the run. */
export async function post(pool, { id, webhookId, path, secret, body }) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
    'x-svc-webhook-id': webhookId,
  };
  const answer = await pool.request({ method: 'POST', path, headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 204) throw new Error(`the receiver answered ${answer.statusCode}`);
}
