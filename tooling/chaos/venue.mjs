import { createHmac } from 'node:crypto';

/**
 * Accesses the paper exchange directly, without the product: its admin API, and its trading API with signed orders.
 *
 * @typedef {{ api_key: string, api_secret: string }} Credentials
 */

/**
 * @param {string} url
 * @param {Record<string, string>} balances
 * @param {Record<string, string>} [futuresBalances] of the wallet for perpetuals
 * @returns {Promise<Credentials>}
 */
export async function openVenueAccount(url, balances, futuresBalances = {}) {
  const { api_key, api_secret } = await admin(url, 'POST', 'accounts', {
    balances,
    futures_balances: futuresBalances,
  });
  return { api_key, api_secret };
}

/**
 * @param {string} url
 * @param {object} weather
 */
export async function setWeather(url, weather) {
  await admin(url, 'PUT', 'weather', weather);
}

/** @param {string} url */
export async function disconnectStreams(url) {
  await request(url, 'POST', '/admin/streams/disconnect');
}

/**
 * Calls the admin API.
 *
 * @param {string} url
 * @param {string} method
 * @param {string} path below `/admin/`
 * @param {object} body
 */
export async function admin(url, method, path, body) {
  return await request(url, method, `/admin/${path}`, body);
}

/**
 * Returns the ledger of an account: its orders, fills and balances; on perpetuals, also its positions, funding payments and
 * liquidations.
 *
 * @param {string} url
 * @param {Credentials} credentials
 */
export async function ledgerOf(url, { api_key }) {
  return await request(url, 'GET', `/admin/ledger?api_key=${api_key}`);
}

/**
 * Returns the rules and the last price of each market, by symbol.
 *
 * @param {string} url
 * @param {import('./run.mjs').TradingType} [tradingType]
 * @returns {Promise<Map<string, import('./judge-exits.mjs').Market>>}
 */
export async function marketsOf(url, tradingType = 'spot') {
  const isPerpetual = tradingType === 'perpetual';
  const path = isPerpetual ? '/fapi/v1' : '/api/v3';
  const { symbols } = await request(url, 'GET', `${path}/exchangeInfo`);
  const prices = await request(url, 'GET', `${path}/ticker/price`);
  const priceOf = new Map(prices.map((/** @type {any} */ { symbol, price }) => [symbol, price]));
  return new Map(
    symbols.map((/** @type {any} */ { symbol, baseAsset, quoteAsset, filters }) => {
      const filterOf = (/** @type {string} */ type) =>
        filters.find((/** @type {any} */ { filterType }) => filterType === type);
      const { minQty: minAmount, stepSize: step } = filterOf('LOT_SIZE');
      const minNotional = isPerpetual ? filterOf('MIN_NOTIONAL').notional : filterOf('NOTIONAL').minNotional;
      const name = `${baseAsset}/${quoteAsset}${isPerpetual ? `:${quoteAsset}` : ''}`;
      return [name, { step, minAmount, minNotional, price: priceOf.get(symbol) }];
    }),
  );
}

/**
 * Places a market order directly at the exchange. Returns whether it was accepted.
 *
 * @param {string} url
 * @param {Credentials} credentials
 * @param {{ symbol: string, side: 'BUY' | 'SELL', quantity: string, isPerpetual?: boolean }} order
 */
export async function tradeAtVenue(url, credentials, order) {
  const path = order.isPerpetual === true ? '/fapi/v1/order' : '/api/v3/order';
  const { symbol, side, quantity } = order;
  const params = { symbol, side, quantity, type: 'MARKET' };
  const response = await callAsAccount(url, credentials, { method: 'POST', path, params }).catch(
    () => undefined,
  );
  await response?.arrayBuffer();
  return response?.ok === true;
}

/**
 * Reads from the trading API as an account.
 *
 * @param {string} url
 * @param {Credentials} credentials
 * @param {{ path: string, params: Record<string, string> }} query
 * @returns {Promise<any>}
 */
export async function readAsAccount(url, credentials, { path, params }) {
  const response = await callAsAccount(url, credentials, { method: 'GET', path, params });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return await response.json();
}

/**
 * @param {string} url
 * @param {Credentials} credentials
 * @param {{ method: string, path: string, params: Record<string, string> }} call
 */
async function callAsAccount(url, { api_key, api_secret }, { method, path, params }) {
  const query = new URLSearchParams({ ...params, timestamp: String(Date.now()) });
  query.set('signature', createHmac('sha256', api_secret).update(query.toString()).digest('hex'));
  return await fetch(`${url}${path}?${query}`, {
    method,
    headers: { 'x-mbx-apikey': api_key },
    signal: AbortSignal.timeout(5_000),
  });
}

/**
 * @param {string} url
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>}
 */
async function request(url, method, path, body) {
  const response = await fetch(url + path, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return await response.json();
}
