import { CLIENTS } from './client.mjs';
import { startVenue } from './venue.mjs';

/** The time after which a call counts as unanswered. */
const CALL_MS = 10_000;

/** What each client calls, in the order of the table. */
const METHODS = [
  'ping',
  'time',
  'exchangeInfo',
  'depth',
  'trades',
  'historicalTrades',
  'aggTrades',
  'klines',
  'uiKlines',
  'avgPrice',
  'ticker/24hr',
  'ticker/price',
  'ticker/bookTicker',
  'ticker',
  'ticker/tradingDay',
  'order: place, get, cancel',
  'order/test',
  'order/cancelReplace',
  'openOrders',
  'cancelOpenOrders',
  'allOrders',
  'orderList/oco',
  'order/oco',
  'openOrderList',
  'allOrderList',
  'account',
  'myTrades',
  'rateLimit/order',
  'account/commission',
  'tradeFee',
  'systemStatus',
  'accountStatus',
  'tradingStatus',
  'walletCoins',
  'keyRights',
  'listenKey',
  'stream depth',
  'stream ticker',
  'stream of the account',
  'ws order.place',
  'order/amend/keepPriority',
  'myPreventedMatches',
  'withdraw',
];

/**
 * Calls every method of every client and returns the results as a Markdown table. Each client has an exchange of its own,
 * so that a result does not depend on the others.
 */
export async function methodTable() {
  /** @type {string[][]} */
  const columns = [];
  for (const open of Object.values(CLIENTS)) columns.push(await columnOf(open));
  const names = Object.keys(CLIENTS);
  const rows = METHODS.map((method, index) => [
    `\`${method}\``,
    ...columns.map((column) => column[index] ?? ''),
  ]);
  return alignedTable([['Method', ...names.map((name) => `\`${name}\``)], ...rows]);
}

/** @param {import('./client.mjs').OpenClient} open */
async function columnOf(open) {
  const venue = await startVenue();
  try {
    const client = await open(await venue.createAccount());
    const methods = withTrade(client);
    /** @type {string[]} */
    const results = [];
    for (const method of METHODS) results.push(await resultOf(methods[method]));
    await client.close();
    return results;
  } finally {
    await venue.stop();
  }
}

/**
 * Returns the methods of a client with those that every client has.
 *
 * @param {import('./client.mjs').Client} client
 * @returns {Record<string, () => Promise<unknown>>}
 */
function withTrade(client) {
  return {
    ...client.methods,
    'order: place, get, cancel': async () => {
      await client.placeLimit({ id: 'rests', price: 50_000, quantity: 0.01 });
      await client.statusOf('rests');
      await client.cancel('rests');
    },
    'stream of the account': () =>
      new Promise((resolve, reject) => {
        client
          .watchOrders(resolve)
          .then(() => client.placeMarket({ id: 'streamed', quantity: 0.01 }))
          .catch(reject);
      }),
  };
}

/**
 * @param {(() => Promise<unknown>) | undefined} method
 * @returns {Promise<string>} `ok`, `refused` with the venue's code, or `missing` for a client without this method
 */
async function resultOf(method) {
  if (method === undefined) return 'missing';
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${CALL_MS / 1_000} s`)), CALL_MS);
  });
  try {
    await Promise.race([method(), late]);
    return 'ok';
  } catch (error) {
    return `refused ${codeOf(error)}`;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns the venue's code. Clients put it in different places, but all in a property or in the message.
 *
 * @param {unknown} error
 */
function codeOf(error) {
  const { code, message, body } = /** @type {{ code?: unknown, message?: unknown, body?: unknown }} */ (
    error
  );
  if (typeof code === 'number') return code;
  const [, found] = /"code":\s*(-?\d+)/.exec(`${message} ${body}`) ?? [];
  return found ?? String(message ?? error).slice(0, 80);
}

/** @param {string[][]} rows */
function alignedTable(rows) {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const lines = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  const [head = '', ...body] = lines;
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n');
}
