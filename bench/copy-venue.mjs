/** The paper exchange as its own customers see it, without the product. */
import pLimit from 'p-limit';

/**
 * @typedef {{ api_key: string, api_secret: string }} Credentials
 * @typedef {{ apiKey: string, secret: string, symbol: string, side: 'BUY' | 'SELL', quantity: string, type: string, timeInForce?: string, price?: string }} BareOrder
 */

/** Never short of anything: rounds take from it what they sell. */
const BALANCES = { USDT: '1000000', BTC: '1' };

/** @returns {Promise<Credentials>} */
export async function openVenueAccount(url) {
  const answer = await fetch(`${url}/admin/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ balances: BALANCES }),
  });
  if (!answer.ok) throw new Error(`the exchange opened no account: ${answer.status}`);
  return answer.json();
}

/** @returns {Promise<{ client_order_id: string, status: string, filled_amount: string }[]>} all orders of an account */
export async function ordersAtVenue(url, { api_key }) {
  const answer = await fetch(`${url}/admin/ledger?api_key=${api_key}`);
  if (!answer.ok) throw new Error(`no ledger: ${answer.status}`);
  return (await answer.json()).orders;
}

/** `work` for each item, some at once; what they come to, in the order of the items. */
export const mapConcurrently = (items, laneCount, work) => pLimit(laneCount).map(items, work);
