import { createHmac } from 'node:crypto';

/**
 * The paper exchange as its own customer sees it, without the product.
 *
 * @typedef {{ api_key: string, api_secret: string }} Credentials
 */

/**
 * @param {string} url
 * @param {Record<string, string>} balances
 * @returns {Promise<Credentials>}
 */
export async function openVenueAccount(url, balances) {
  return await admin(url, 'POST', '/admin/accounts', { balances });
}

/**
 * @param {string} url
 * @param {object} weather
 */
export async function setWeather(url, weather) {
  await admin(url, 'PUT', '/admin/weather', weather);
}

/** @param {string} url */
export async function cutStreams(url) {
  await admin(url, 'POST', '/admin/streams/disconnect');
}

/**
 * All that the exchange knows of an account.
 *
 * @param {string} url
 * @param {Credentials} credentials
 */
export async function ledgerOf(url, { api_key }) {
  return await admin(url, 'GET', `/admin/ledger?api_key=${api_key}`);
}

/**
 * An order at market, placed at the exchange itself. True where it was taken.
 *
 * @param {string} url
 * @param {Credentials} credentials
 * @param {{ symbol: string, side: 'BUY' | 'SELL', quantity: string }} order
 */
export async function tradeAtVenue(url, { api_key, api_secret }, order) {
  const query = new URLSearchParams({ ...order, type: 'MARKET', timestamp: String(Date.now()) });
  query.set('signature', createHmac('sha256', api_secret).update(query.toString()).digest('hex'));
  const answer = await fetch(`${url}/api/v3/order?${query}`, {
    method: 'POST',
    headers: { 'x-mbx-apikey': api_key },
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.ok === true;
}

/**
 * @param {string} url
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>}
 */
async function admin(url, method, path, body) {
  const answer = await fetch(url + path, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return await answer.json();
}
