import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

/**
 * One received request. `at` and `endedAt` are Unix milliseconds. `status` is set once the whole response was sent.
 * `isInterrupted` is set if the sender closed the connection before that.
 *
 * @typedef {{
 *   path: string, webhookId: string, eventId: string, attempt: number, at: number, bodyHash: string, verified: boolean,
 *   status?: number, isInterrupted?: boolean, endedAt?: number,
 * }} Received
 *
 * @typedef {(
 *   received: Received,
 *   exchange: { request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse },
 * ) => number | void | Promise<number | void>} Respond
 *   returns the status, or nothing if the function responds itself or never responds
 */

/**
 * Starts a receiver that records every request and verifies its signature with the public Standard Webhooks library. By
 * default it responds with 204.
 *
 * @param {{ respond?: Respond }} [options]
 */
export async function openRecordingReceiver({ respond = () => 204 } = {}) {
  /** @type {Received[]} */
  const received = [];
  /** @type {Map<string, Webhook>} */
  const verifiers = new Map();
  /** @type {Set<Received>} */
  const inFlight = new Set();
  const counter = createInFlightCounter();

  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const chunks = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      // The connection ended before the whole body arrived, so there is no request to record.
      return;
    }
    const receipt = read(path, request.headers, Buffer.concat(chunks).toString(), verifiers);
    received.push(receipt);
    inFlight.add(receipt);
    counter.enter(path);
    response.once('close', () => {
      inFlight.delete(receipt);
      counter.leave(path);
      receipt.endedAt = Date.now();
      if (response.writableFinished) receipt.status = response.statusCode;
      else receipt.isInterrupted = true;
    });
    const status = await respond(receipt, { request, response });
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
     * Returns the URL of a webhook. Each webhook has its own path, so that their requests in flight can be distinguished.
     *
     * @param {number | string} [index]
     */
    url: (index = 0) => `http://127.0.0.1:${port}/${index}`,
    /** @param {readonly { publicId: string, secret: string }[]} webhooks */
    addSecrets(webhooks) {
      for (const { publicId, secret } of webhooks) verifiers.set(publicId, new Webhook(secret));
    },
    /** The requests without a response. */
    inFlight,
    /** Returns the highest number of requests in flight, in total and on any one path. */
    highWater: () => counter.highWater(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof openRecordingReceiver>>} RecordingReceiver */

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
    // The ids in the header and in the body must be equal, because receivers may identify events by either.
    verified = /** @type {any} */ (content)?.event_id === headers['webhook-id'];
  } catch {
    // `verified` stays false.
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

function createInFlightCounter() {
  /** @type {Map<string, number>} */
  const currentByPath = new Map();
  const most = { total: 0, perPath: 0 };
  let total = 0;
  return {
    /** @param {string} path */
    enter(path) {
      const level = (currentByPath.get(path) ?? 0) + 1;
      currentByPath.set(path, level);
      total++;
      most.total = Math.max(most.total, total);
      most.perPath = Math.max(most.perPath, level);
    },
    /** @param {string} path */
    leave(path) {
      currentByPath.set(path, (currentByPath.get(path) ?? 1) - 1);
      total--;
    },
    highWater: () => ({ ...most }),
  };
}
