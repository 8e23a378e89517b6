import { DAY_MS, HOUR_MS } from './market.mjs';
import { createRandom } from './random.mjs';
import { instantOf } from './units.mjs';

/** The days of the log that are listed, and its partitions. */
const DAYS = 7;
const SLOTS = 10;

/** Routes with their shares of the requests, the usual status and the usual duration in milliseconds. */
const ROUTES = /** @type {const} */ ([
  ['GET', '/v1/trades', 200, 24, 22],
  ['GET', '/v1/trades/:id', 200, 14, 9],
  ['POST', '/v1/trades', 201, 9, 31],
  ['POST', '/v1/trades/:id/cancel', 200, 3, 84],
  ['GET', '/v1/exchanges', 200, 10, 14],
  ['GET', '/v1/copiers', 200, 7, 46],
  ['GET', '/v1/strategies', 200, 6, 38],
  ['GET', '/v1/trades/analytics', 200, 5, 71],
  ['GET', '/v1/lots', 200, 5, 19],
  ['GET', '/v1/webhooks/:id/deliveries', 200, 3, 17],
  ['GET', '/v1/notifications', 200, 6, 11],
  ['GET', '/v1/events', 200, 3, 27],
  ['POST', '/graphql', 200, 5, 58],
]);
const TOTAL = ROUTES.reduce((sum, [, , , share]) => sum + share, 0);

/** Statuses of failed requests, by whether they write. */
const READ_ERRORS = [404, 404, 429, 400, 503];
const WRITE_ERRORS = [422, 422, 409, 400, 429, 502];
const ADDRESSES = ['203.0.113.10', '203.0.113.24', '198.51.100.17'];

/**
 * Returns the rows of the requests of the last days. There are more of them by day than at night.
 *
 * @param {{
 *   seed: string, userId: string, end: number, count: number, credentials: readonly { kind: string, id: string, share: number }[],
 * }} options
 */
export function requestRows({ seed, userId, end, count, credentials }) {
  const random = createRandom(`${seed}/requests`);
  return Array.from({ length: count }, () => {
    const at = timeOf(random, end);
    const [method, route, usual, , usualMs] = routeOf(random);
    const errors = method === 'GET' ? READ_ERRORS : WRITE_ERRORS;
    const status = random.chance(0.055) ? random.pick(errors) : usual;
    const slow = status >= 502 ? 9 : status >= 400 ? 0.5 : 1;
    const credential = credentialOf(random, credentials);
    return {
      slot: Math.floor(at / DAY_MS) % SLOTS,
      id: random.uuid(at),
      user_id: userId,
      credential_kind: credential.kind,
      credential_id: credential.id,
      method,
      route,
      status,
      duration_ms: Math.max(1, Math.round(usualMs * slow * Math.exp(random.normal() * 0.5))),
      request_id: random.uuid(at),
      address: random.pick(ADDRESSES),
      created_at: instantOf(at),
    };
  });
}

/**
 * @param {import('./random.mjs').Random} random
 * @param {number} end
 */
function timeOf(random, end) {
  for (;;) {
    const at = Math.floor(end - random.between(60_000, DAYS * DAY_MS - HOUR_MS));
    const hour = new Date(at).getUTCHours();
    if (random.chance(hour >= 6 && hour < 20 ? 1 : 0.3)) return at;
  }
}

/** @param {import('./random.mjs').Random} random */
function routeOf(random) {
  let left = random.between(0, TOTAL);
  for (const route of ROUTES) {
    left -= route[3];
    if (left < 0) return route;
  }
  return ROUTES[0];
}

/**
 * @param {import('./random.mjs').Random} random
 * @param {readonly { kind: string, id: string, share: number }[]} credentials
 */
function credentialOf(random, credentials) {
  let left = random.next();
  for (const credential of credentials) {
    left -= credential.share;
    if (left < 0) return credential;
  }
  return random.pick(credentials);
}
