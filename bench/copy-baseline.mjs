/**
 * The baseline of `copy.mjs`: it only signs orders and sends them to the exchange. It checks no rule, stores nothing,
 * and does not look up an order whose response is lost.
 */
import { createHmac } from 'node:crypto';
import { Pool } from 'undici';

/** As many as the product opens to one exchange. */
const CONNECTIONS = 128;

/** @typedef {import('./copy-venue.mjs').BareOrder} BareOrder */

/** @returns {string} the signed query of an order */
function signed(/** @type {BareOrder} */ { secret, apiKey: _, ...order }) {
  const query = new URLSearchParams({ ...order, timestamp: String(Date.now()) }).toString();
  return `${query}&signature=${createHmac('sha256', secret).update(query).digest('hex')}`;
}

/** One lane for each connection: the next order is sent once the answer to the one before is there. */
async function send(/** @type {{ url: string, orders: BareOrder[] }} */ { url, orders }) {
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
  // The connections of the product are open as well.
  await each([...Array(CONNECTIONS).keys()], () => request(pool, 'GET', '/api/v3/time', {}));
  const accepted = [];
  const beganAt = performance.now();
  await each(orders, async (order) => {
    const path = `/api/v3/order?${signed(order)}`;
    const { status, executedQty } = await request(pool, 'POST', path, { 'x-mbx-apikey': order.apiKey });
    if (status === 'FILLED') accepted.push(executedQty);
  });
  const ms = performance.now() - beganAt;
  await pool.close();
  return { ms, filled: accepted.length };
}

async function request(pool, method, path, headers) {
  const { body } = await pool.request({ method, path, headers });
  return body.json();
}

async function each(items, work) {
  let next = 0;
  const lane = async () => {
    while (next < items.length) await work(items[next++]);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
}

process.on('message', async (asked) => process.send?.(await send(asked)));
