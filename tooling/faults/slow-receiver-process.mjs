import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/**
 * The receiver's process. The first part of a path names how its requests are answered, the whole path is an endpoint.
 *
 * @typedef {{ kind: 'answer', status: number, afterMs?: number, okFrom?: number }
 *   | { kind: 'hang' }
 *   | { kind: 'stream', everyMs: number }
 *   | { kind: 'reset' }} Behaviour
 *   `answer` gives 200 from attempt `okFrom` on, and 401 to what is not genuine; `stream` answers 200 and then never
 *   ends its body; `reset` cuts the connection
 * @typedef {{ path: string, webhookId: string, eventId: string, attempt: number, at: number, bodyHash: string,
 *   verified: boolean, status?: number }} Received `at` in milliseconds of Unix time: when the headers were in; `status`
 *   once it was answered
 * @typedef {{ ask: 'behave', behaviours: Record<string, Behaviour> }
 *   | { ask: 'trust', secrets: Record<string, string> }
 *   | { ask: 'report' }} Question
 */

/** @type {Record<string, Behaviour>} */
const behaviours = {};
/** @type {Map<string, Webhook>} */
const verifiers = new Map();
/** @type {Received[]} */
const received = [];
/** Requests that are being answered, and the most that ever were at once, by path. @type {Map<string, { now: number, most: number }>} */
const inFlight = new Map();
const everywhere = { now: 0, most: 0 };
const chunk = Buffer.alloc(64, 'x');

const server = createServer((request, response) => {
  serve(request, response).catch(() => response.destroy());
});
server.requestTimeout = 0;
server.keepAliveTimeout = 1;
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 });
await once(server, 'listening');
process.on('message', (question) => tell(/** @type {Question & { number: number }} */ (question)));
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
  for await (const part of request) chunks.push(part);
  const one = note(path, at, request.headers, Buffer.concat(chunks));
  await behave(response, behaviours[path.split('/')[1] ?? ''] ?? { kind: 'answer', status: 404 }, one);
}

/** @param {string} path */
function enter(path) {
  const counts = [inFlight.get(path) ?? { now: 0, most: 0 }, everywhere];
  inFlight.set(path, /** @type {{ now: number, most: number }} */ (counts[0]));
  for (const count of counts) count.most = Math.max(count.most, ++count.now);
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
function note(path, at, headers, body) {
  const webhookId = String(headers['x-svc-webhook-id']);
  /** @type {Received} */
  const one = {
    path,
    webhookId,
    eventId: String(headers['webhook-id']),
    attempt: Number(headers['x-svc-attempt']),
    at,
    bodyHash: createHash('sha256').update(body).digest('base64'),
    verified: isGenuine(webhookId, body.toString(), /** @type {Record<string, string>} */ (headers)),
  };
  received.push(one);
  return one;
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
 * @param {Received} one
 */
async function behave(response, behaviour, one) {
  const answer = (/** @type {number} */ status) => {
    if (!response.destroyed) one.status = status;
    return response.writeHead(status);
  };
  if (behaviour.kind === 'hang') return;
  if (behaviour.kind === 'reset') return void response.socket?.resetAndDestroy();
  if (behaviour.kind === 'answer') {
    if (behaviour.afterMs !== undefined) await sleep(behaviour.afterMs);
    const { status, okFrom = Number.POSITIVE_INFINITY } = behaviour;
    return void answer(!one.verified ? 401 : one.attempt >= okFrom ? 200 : status).end();
  }
  answer(200);
  while (!response.destroyed) {
    response.write(chunk);
    await sleep(behaviour.everyMs);
  }
}

/** @param {Question & { number: number }} question */
function tell(question) {
  if (question.ask === 'behave') Object.assign(behaviours, question.behaviours);
  if (question.ask === 'trust') {
    for (const [id, secret] of Object.entries(question.secrets)) verifiers.set(id, new Webhook(secret));
  }
  process.send?.({
    number: question.number,
    ...(question.ask === 'report'
      ? {
          received,
          mostOf: [...inFlight].map(([path, { most }]) => [path, most]),
          most: everywhere.most,
          now: everywhere.now,
        }
      : {}),
  });
}
