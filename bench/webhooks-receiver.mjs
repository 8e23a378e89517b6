/**
 * The receiver of `webhooks.mjs`, a separate process that all senders share. It responds with 204 as soon as a request is
 * read, and reports when it has received the expected number of deliveries.
 */
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

/**
 * @typedef {{ count: number, responseDelayMs?: number, secrets?: Record<string, string> }} Expected `count`: the number of deliveries;
 *   the receiver responds to each after `responseDelayMs`; `secrets` by webhook id: if set, each signature is checked
 * @typedef {{ total: number, arrivals: [delivery: string, atMs: number][], invalidSignatures: string[] }} ReceiverReport `total`: the
 *   number of requests, including repetitions; `arrivals`: for each delivery (webhook and event), when its headers
 *   arrived first
 */

const nowMs = () => performance.timeOrigin + performance.now();

/** @type {Expected} */
let expected = { count: Number.POSITIVE_INFINITY };
/** @type {Map<string, number>} */
let arrivals = new Map();
let total = 0;
let invalidSignatures = [];

const server = createServer((request, response) => {
  const atMs = nowMs();
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    record(request.headers, atMs, chunks);
    if (expected.responseDelayMs > 0)
      setTimeout(() => response.writeHead(204).end(), expected.responseDelayMs);
    else response.writeHead(204).end();
  });
});

function record(headers, atMs, chunks) {
  const webhook = headers['x-svc-webhook-id'];
  const delivery = `${webhook} ${headers['webhook-id']}`;
  total++;
  if (expected.secrets !== undefined) verify(expected.secrets[webhook], headers, chunks);
  if (arrivals.has(delivery)) return;
  arrivals.set(delivery, atMs);
  if (arrivals.size === expected.count)
    process.send?.(/** @type {ReceiverReport} */ ({ total, arrivals: [...arrivals], invalidSignatures }));
}

function verify(secret, headers, chunks) {
  try {
    new Webhook(secret).verify(Buffer.concat(chunks).toString(), headers);
  } catch (error) {
    invalidSignatures.push(`${headers['webhook-id']}: ${error}`);
  }
}

process.on('message', (/** @type {Expected} */ next) => {
  [expected, arrivals, total, invalidSignatures] = [next, new Map(), 0, []];
  process.send?.('expecting');
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address().port));

// Ends with the parent process, even if that is killed.
process.once('disconnect', () => process.exit());
