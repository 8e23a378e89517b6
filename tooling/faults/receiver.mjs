import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

/**
 * One request as it came. `at` and `endedAt` are Unix milliseconds. `status` is set once the answer went out whole;
 * `isCut` where the sender was gone before.
 *
 * @typedef {{
 *   path: string, webhookId: string, eventId: string, attempt: number, at: number, bodyHash: string, verified: boolean,
 *   status?: number, isCut?: boolean, endedAt?: number,
 * }} Received
 *
 * @typedef {(
 *   received: Received,
 *   exchange: { request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse },
 * ) => number | void | Promise<number | void>} Answer
 *   the status, or nothing if it responds itself or never
 */

/**
 * A receiver that records every request and verifies EVERY one with the public Standard Webhooks library. It responds
 * with 204 by default.
 *
 * @param {{ answer?: Answer }} [options]
 */
export async function openLedgerReceiver({ answer = () => 204 } = {}) {
  /** @type {Received[]} */
  const received = [];
  /** @type {Map<string, Webhook>} */
  const verifiers = new Map();
  /** @type {Set<Received>} */
  const inFlight = new Set();
  const levels = openLevels();
  let respond = answer;

  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const chunks = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      // Cut in the middle of its body: that was no delivery.
      return;
    }
    const one = read(path, request.headers, Buffer.concat(chunks).toString(), verifiers);
    received.push(one);
    inFlight.add(one);
    levels.enter(path);
    response.once('close', () => {
      inFlight.delete(one);
      levels.leave(path);
      one.endedAt = Date.now();
      if (response.writableFinished) one.status = response.statusCode;
      else one.isCut = true;
    });
    const status = await respond(one, { request, response });
    if (typeof status === 'number' && !response.headersSent && !response.destroyed)
      response.writeHead(status).end();
  });
  server.keepAliveTimeout = 65_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

  return {
    received,
    /**
     * An address for each webhook, so that attempts in flight can be distinguished.
     *
     * @param {number | string} [index]
     */
    url: (index = 0) => `http://127.0.0.1:${port}/${index}`,
    /** @param {readonly { publicId: string, secret: string }[]} hooks */
    trust(hooks) {
      for (const { publicId, secret } of hooks) verifiers.set(publicId, new Webhook(secret));
    },
    /** @param {Answer} next */
    answer(next) {
      respond = next;
    },
    /** What came and is not answered yet. */
    inFlight,
    /** The most that were unanswered at once, on all paths, or on the one path that had most. */
    highWater: () => levels.highWater(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof openLedgerReceiver>>} LedgerReceiver */

/**
 * @param {string} path
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @param {string} body
 * @param {ReadonlyMap<string, Webhook>} verifiers
 * @returns {Received}
 */
function read(path, headers, body, verifiers) {
  const webhookId = String(headers['x-svc-webhook-id']);
  let verified = false;
  try {
    const content = verifiers.get(webhookId)?.verify(body, /** @type {Record<string, string>} */ (headers));
    // The header and the body have the same id: receivers may identify events by either.
    verified = /** @type {any} */ (content)?.event_id === headers['webhook-id'];
  } catch {
    // `verified` reports it.
  }
  return {
    path,
    webhookId,
    eventId: String(headers['webhook-id']),
    attempt: Number(headers['x-svc-attempt']),
    at: Date.now(),
    bodyHash: createHash('sha256').update(body).digest('base64url'),
    verified,
  };
}

function openLevels() {
  /** @type {Map<string, number>} */
  const now = new Map();
  const most = { total: 0, perPath: 0 };
  let total = 0;
  return {
    /** @param {string} path */
    enter(path) {
      const level = (now.get(path) ?? 0) + 1;
      now.set(path, level);
      total++;
      most.total = Math.max(most.total, total);
      most.perPath = Math.max(most.perPath, level);
    },
    /** @param {string} path */
    leave(path) {
      now.set(path, (now.get(path) ?? 1) - 1);
      total--;
    },
    highWater: () => ({ ...most }),
  };
}
