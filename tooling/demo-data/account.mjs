import { encodeId } from '@trading-automation/contracts';
import { createCredentials } from './credentials.mjs';
import { writeEvents } from './events.mjs';
import { rejectCredentials } from './history.mjs';
import { insertRows, inTransaction } from './insert-rows.mjs';
import { postEntries } from './ledger.mjs';
import { placeOpenOrders } from './open-orders.mjs';
import { openPositions } from './perpetuals.mjs';
import { createRandom } from './random.mjs';
import { requestRows } from './request-log.mjs';
import { writeRewards } from './rewards.mjs';
import { idOf } from './trade-rows.mjs';
import { createWebhooks, writeDeliveries } from './webhooks.mjs';
import { createAddressBook, requestWithdrawal, writeWithdrawals } from './withdrawals.mjs';

/** The requests of the last 7 days. */
const REQUESTS = 1400;

/**
 * Writes what belongs to the demo user alone: credentials, open orders, rewards, withdrawals, events, webhooks, settings and
 * the request log.
 *
 * @param {import('pg').Client} database
 * @param {{
 *   restUrl: string, paperExchangeUrl: string, apiKey: string, receiverUrl?: string | undefined, demo: import('@trading-automation/sdk').Client,
 *   simulation: import('./simulation.mjs').Simulation, ids: import('./trade-rows.mjs').Ids, seed: string, activity: number,
 *   startedAt: Date,
 * }} options
 */
export async function writeAccount(database, options) {
  const { demo, simulation, ids, seed, activity } = options;
  const { market } = simulation;
  const { end } = market;
  const userId = idOf(ids.users, 'demo');
  const random = createRandom(`${seed}/account`);
  const credentials = await createCredentials(database, { ...options, end });
  const webhooks = await createWebhooks(database, { ...options, end });
  await placeOpenOrders({
    ...options,
    market,
    accounts: publicIds('exa', ids.accounts),
    pairs: publicIds('tpr', ids.pairs),
  });
  await openPositions(database, { ...options, market });
  await createAddressBook(database, { demo, end });
  await inTransaction(database, async () => {
    const claims = await writeRewards(database, { simulation, ids, random });
    const payouts = await writeWithdrawals(database, { userId, end, random });
    const entries = [...claims, ...payouts].sort((a, b) => a.at - b.at);
    await postEntries(database, userId, entries, random);
  });
  await requestWithdrawal(demo);
  await demo.settings.set('dashboard.theme', 'system');
  const events = await writeEvents(database, { ...options, end, random });
  await writeDeliveries(database, { webhooks, events, end, seed });
  // A stream that was still open may have stored balances meanwhile.
  await rejectCredentials(database, ids, end);
  const count = Math.ceil(REQUESTS * activity);
  await insertRows(database, 'request_log', requestRows({ seed, userId, end, count, credentials }));
}

/**
 * @param {import('@trading-automation/contracts').IdPrefix} prefix
 * @param {ReadonlyMap<string, string>} ids
 */
const publicIds = (prefix, ids) => new Map([...ids].map(([key, id]) => [key, encodeId(prefix, id)]));
