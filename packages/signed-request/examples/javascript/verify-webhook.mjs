// Verifies a webhook. Needs only Node.
//   SVC_WEBHOOK_SECRET=whsec_… node verify-webhook.mjs <webhook-id> <webhook-timestamp> <webhook-signature> < body
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';

const TOLERANCE_SECONDS = 300;

/** Throws unless the webhook is genuine. Pass the bytes of the raw body as `body`: parsed and re-serialised JSON fails. */
export function verifyWebhook({ body, id, timestamp, signature, secret, nowSeconds = Date.now() / 1000 }) {
  if (!id || !signature || !/^[1-9]\d{0,11}$/.test(timestamp ?? ''))
    throw new Error('a webhook header is missing or malformed');
  if (Math.abs(Math.floor(nowSeconds) - Number(timestamp)) > TOLERANCE_SECONDS)
    throw new Error('the timestamp is more than 300 s from this clock');
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  // There may be several signatures, separated by spaces: one of them must match.
  if (!signature.split(' ').some((candidate) => isSame(candidate, `v1,${expected}`)))
    throw new Error('no signature matches');
}

/** Compares in constant time, so that the timing does not reveal how much of a signature is right. */
function isSame(a, b) {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

if (process.argv[1] === import.meta.filename) {
  const [, , id, timestamp, signature, nowSeconds] = process.argv;
  const secret = process.env.SVC_WEBHOOK_SECRET;
  try {
    verifyWebhook({ body: readFileSync(0), id, timestamp, signature, secret, nowSeconds });
    console.log('genuine');
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
