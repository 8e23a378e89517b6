/** Posts a body with a signature of the Standard Webhooks specification, for the baselines of `webhooks.mjs`. */
import { createHmac } from 'node:crypto';

/** @typedef {{ id: string, webhookId: string, path: string, secret: string, body: string }} Delivery */

/** Resolves once the receiver responds with 204. Any other status ends the run. */
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
  const response = await pool.request({ method: 'POST', path, headers, body });
  await response.body.dump();
  if (response.statusCode !== 204) throw new Error(`the receiver responded with ${response.statusCode}`);
}
