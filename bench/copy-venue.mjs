/** Opens accounts and reads orders at the paper exchange directly, without the product. */
import pLimit from 'p-limit';

/**
 * @typedef {{ api_key: string, api_secret: string }} Credentials
 * @typedef {{ apiKey: string, secret: string, symbol: string, side: 'BUY' | 'SELL', quantity: string, type: string, timeInForce?: string, price?: string }} BareOrder
 */

/** These balances are large enough for all purchases and sales of a run. */
const BALANCES = { USDT: '1000000', BTC: '1' };

/** @returns {Promise<Credentials>} */
export async function openVenueAccount(url) {
  const response = await fetch(`${url}/admin/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ balances: BALANCES }),
  });
  if (!response.ok) throw new Error(`could not open an account at the exchange: ${response.status}`);
  return response.json();
}

/** @returns {Promise<{ client_order_id: string, status: string, filled_amount: string }[]>} all orders of an account */
export async function ordersAtVenue(url, { api_key }) {
  const response = await fetch(`${url}/admin/ledger?api_key=${api_key}`);
  if (!response.ok) throw new Error(`could not read the ledger: ${response.status}`);
  return (await response.json()).orders;
}

/** Calls `work` for each item with limited concurrency. Returns the results in the order of the items. */
export const mapConcurrently = (items, concurrency, work) => pLimit(concurrency).map(items, work);
