/**
 * The baseline of `copy.mjs`: it only signs orders and sends them to the exchange. It checks no rule, stores nothing,
 * and does not look up an order whose response is lost.
 */
import { createHmac } from 'node:crypto';
import { Pool } from 'undici';

/** The product opens the same number of connections to one exchange. */
const CONNECTIONS = 128;

/** @typedef {import('./copy-venue.mjs').BareOrder} BareOrder */

/** @returns {string} the signed query of an order */
function signed(/** @type {BareOrder} */ { secret, apiKey: _, ...order }) {
  const query = new URLSearchParams({ ...order, timestamp: String(Date.now()) }).toString();
  return `${query}&signature=${createHmac('sha256', secret).update(query).digest('hex')}`;
}

/** Each connection sends its next order after the response to the previous one. */
async function send(/** @type {{ url: string, orders: BareOrder[] }} */ { url, orders }) {
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
  // Opens all connections before the measurement, because the product's connections are open, too.
  await each([...Array(CONNECTIONS).keys()], () => request(pool, 'GET', '/api/v3/time', {}));
  const filledAmounts = [];
  const startedAt = performance.now();
  await each(orders, async (order) => {
    const path = `/api/v3/order?${signed(order)}`;
    const { status, executedQty } = await request(pool, 'POST', path, { 'x-mbx-apikey': order.apiKey });
    if (status === 'FILLED') filledAmounts.push(executedQty);
  });
  const ms = performance.now() - startedAt;
  await pool.close();
  return { ms, filled: filledAmounts.length };
}

async function request(pool, method, path, headers) {
  const { body } = await pool.request({ method, path, headers });
  return body.json();
}

async function each(items, work) {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await work(items[next++]);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

process.on('message', async (message) => process.send?.(await send(message)));
