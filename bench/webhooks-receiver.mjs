/**
 * The receiver of `webhooks.mjs`, in a process of its own and the same for all who send: it answers 204 as soon as a
 * request is read, and knows when it has seen everything that it is to see.
 */
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

/**
 * @typedef {{ count: number, waitMs?: number, secrets?: Record<string, string> }} Expected `count` deliveries, each
 *   answered after `waitMs`; with `secrets` of the webhooks, each signature is checked
 * @typedef {{ total: number, arrivals: [delivery: string, atMs: number][], refused: string[] }} Seen by delivery
 *   (webhook and event), when its first byte was there
 */

const nowMs = () => performance.timeOrigin + performance.now();

/** @type {Expected} */
let expected = { count: Number.POSITIVE_INFINITY };
/** @type {Map<string, number>} */
let arrivals = new Map();
let total = 0;
let refused = [];

const server = createServer((request, response) => {
  const atMs = nowMs();
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    take(request.headers, atMs, chunks);
    if (expected.waitMs > 0) setTimeout(() => response.writeHead(204).end(), expected.waitMs);
    else response.writeHead(204).end();
  });
});

function take(headers, atMs, chunks) {
  const webhook = headers['x-svc-webhook-id'];
  const delivery = `${webhook} ${headers['webhook-id']}`;
  total++;
  if (expected.secrets !== undefined) verify(expected.secrets[webhook], headers, chunks);
  if (arrivals.has(delivery)) return;
  arrivals.set(delivery, atMs);
  if (arrivals.size === expected.count)
    process.send?.(/** @type {Seen} */ ({ total, arrivals: [...arrivals], refused }));
}

function verify(secret, headers, chunks) {
  try {
    new Webhook(secret).verify(Buffer.concat(chunks).toString(), headers);
  } catch (error) {
    refused.push(`${headers['webhook-id']}: ${error}`);
  }
}

process.on('message', (/** @type {Expected} */ next) => {
  [expected, arrivals, total, refused] = [next, new Map(), 0, []];
  process.send?.('expecting');
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address().port));

// Its parent's end is its own, however that comes.
process.once('disconnect', () => process.exit());
