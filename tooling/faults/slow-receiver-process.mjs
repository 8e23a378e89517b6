import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/**
 * The receiver's process. The first segment of a path names its behaviour; each whole path is one endpoint.
 *
 * @typedef {{ kind: 'respond', status: number, afterMs?: number, okFrom?: number }
 *   | { kind: 'hang' }
 *   | { kind: 'stream', everyMs: number }
 *   | { kind: 'reset' }} Behaviour
 *   `respond` responds with `status`, but with 200 from attempt `okFrom` on, and with 401 to an invalid signature;
 *   `stream` responds with 200 and a body that never ends; `reset` closes the connection with a TCP reset
 * @typedef {{ path: string, webhookId: string, eventId: string, attempt: number, at: number, bodyHash: string,
 *   verified: boolean, status?: number }} Received `at`: when the headers arrived, in Unix milliseconds; `status`: set
 *   once the response was sent
 * @typedef {{ name: 'setBehaviours', behaviours: Record<string, Behaviour> }
 *   | { name: 'addSecrets', secrets: Record<string, string> }
 *   | { name: 'report' }} Command
 */

/** @type {Record<string, Behaviour>} */
const behaviours = {};
/** @type {Map<string, Webhook>} */
const verifiers = new Map();
/** @type {Received[]} */
const received = [];
/**
 * By path: the number of requests in flight now, and the highest such number so far.
 * @type {Map<string, { now: number, max: number }>}
 */
const inFlight = new Map();
const allPaths = { now: 0, max: 0 };
const chunk = Buffer.alloc(64, 'x');

const server = createServer((request, response) => {
  serve(request, response).catch(() => response.destroy());
});
server.requestTimeout = 0;
server.keepAliveTimeout = 1;
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 });
await once(server, 'listening');
process.on('message', (command) => handleCommand(/** @type {Command & { number: number }} */ (command)));
process.on('disconnect', () => process.exit());
process.send?.({ port: /** @type {import('node:net').AddressInfo} */ (server.address()).port });

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function serve(request, response) {
  const at = Date.now();
  const path = request.url ?? '';
  const leave = enter(path);
  response.once('close', leave);
  const chunks = [];
  for await (const bytes of request) chunks.push(bytes);
  const receipt = record(path, at, request.headers, Buffer.concat(chunks));
  await behave(response, behaviours[path.split('/')[1] ?? ''] ?? { kind: 'respond', status: 404 }, receipt);
}

/** @param {string} path */
function enter(path) {
  const counts = [inFlight.get(path) ?? { now: 0, max: 0 }, allPaths];
  inFlight.set(path, /** @type {{ now: number, max: number }} */ (counts[0]));
  for (const count of counts) count.max = Math.max(count.max, ++count.now);
  return () => {
    for (const count of counts) count.now--;
  };
}

/**
 * @param {string} path
 * @param {number} at
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @param {Buffer} body
 */
function record(path, at, headers, body) {
  const webhookId = String(headers['x-svc-webhook-id']);
  /** @type {Received} */
  const receipt = {
    path,
    webhookId,
    eventId: String(headers['webhook-id']),
    attempt: Number(headers['x-svc-attempt']),
    at,
    bodyHash: createHash('sha256').update(body).digest('base64'),
    verified: isGenuine(webhookId, body.toString(), /** @type {Record<string, string>} */ (headers)),
  };
  received.push(receipt);
  return receipt;
}

/**
 * @param {string} webhookId
 * @param {string} body
 * @param {Record<string, string>} headers
 */
function isGenuine(webhookId, body, headers) {
  try {
    verifiers.get(webhookId)?.verify(body, headers);
    return verifiers.has(webhookId);
  } catch {
    return false;
  }
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {Behaviour} behaviour
 * @param {Received} receipt
 */
async function behave(response, behaviour, receipt) {
  const sendHead = (/** @type {number} */ status) => {
    if (!response.destroyed) receipt.status = status;
    return response.writeHead(status);
  };
  if (behaviour.kind === 'hang') return;
  if (behaviour.kind === 'reset') return void response.socket?.resetAndDestroy();
  if (behaviour.kind === 'respond') {
    if (behaviour.afterMs !== undefined) await sleep(behaviour.afterMs);
    const { status, okFrom = Number.POSITIVE_INFINITY } = behaviour;
    return void sendHead(!receipt.verified ? 401 : receipt.attempt >= okFrom ? 200 : status).end();
  }
  sendHead(200);
  while (!response.destroyed) {
    response.write(chunk);
    await sleep(behaviour.everyMs);
  }
}

/** @param {Command & { number: number }} command */
function handleCommand(command) {
  if (command.name === 'setBehaviours') Object.assign(behaviours, command.behaviours);
  if (command.name === 'addSecrets') {
    for (const [id, secret] of Object.entries(command.secrets)) verifiers.set(id, new Webhook(secret));
  }
  process.send?.({
    number: command.number,
    ...(command.name === 'report'
      ? {
          received,
          maxInFlight: allPaths.max,
          maxInFlightByPath: [...inFlight].map(([path, { max }]) => [path, max]),
        }
      : {}),
  });
}
