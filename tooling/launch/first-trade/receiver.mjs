import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

/**
 * @typedef {{ event: any, attempt: number, isGenuine: boolean }} Received
 */

/**
 * Starts a webhook receiver on the loopback interface. It verifies every delivery with the public Standard Webhooks library.
 *
 * @param {{ statusFor?: (received: Received) => number | Promise<number> }} [options] `statusFor` returns the status of the
 *   response; 204 by default
 */
export async function startReceiver({ statusFor = () => 204 } = {}) {
  /** @type {Received[]} */
  const received = [];
  /** @type {string | undefined} */
  let secret;
  /** @type {Set<() => void>} */
  const checks = new Set();

  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const headers = /** @type {Record<string, string>} */ (request.headers);
    const delivery = {
      event: JSON.parse(text),
      attempt: Number(headers['x-svc-attempt']),
      isGenuine: verify(secret, text, headers),
    };
    received.push(delivery);
    for (const check of checks) check();
    response.writeHead(await statusFor(delivery)).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    /** @param {string} value */
    useSecret(value) {
      secret = value;
    },
    /**
     * Resolves with the first delivery that matches, of those already received and those that arrive within
     * the timeout.
     *
     * @param {string} what the expected delivery, for the error message
     * @param {(received: Received) => boolean} matches
     * @param {number} [timeoutMs]
     * @returns {Promise<Received>}
     */
    until(what, matches, timeoutMs = 30_000) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          checks.delete(check);
          const types = received.map(({ event }) => event.type).join(', ');
          reject(new Error(`no delivery of ${what} within ${timeoutMs} ms; received: ${types}`));
        }, timeoutMs);
        const check = () => {
          const found = received.find(matches);
          if (found === undefined) return;
          clearTimeout(timer);
          checks.delete(check);
          resolve(found);
        };
        checks.add(check);
        check();
      });
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(() => resolve(undefined)));
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof startReceiver>>} Receiver */

/**
 * @param {string | undefined} secret
 * @param {string} text
 * @param {Record<string, string>} headers
 */
function verify(secret, text, headers) {
  if (secret === undefined) return false;
  try {
    new Webhook(secret).verify(text, headers);
    return true;
  } catch {
    return false;
  }
}
