import { CLIENTS } from './client.mjs';
import { errorCodeOf } from './error-code.mjs';
import { FUTURES_CHECKS } from './futures-checks.mjs';
import { FUTURES_CLIENTS } from './futures-client.mjs';
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
  const names = [...new Set([...Object.keys(CLIENTS), ...Object.keys(FUTURES_CLIENTS)])].sort(byKindOfClient);
  /** @type {string[]} */
  const notes = [];
  /** @type {string[][]} */
  const columns = [];
  for (const name of names)
    columns.push([
      ...(await spotColumnOf(CLIENTS[name])),
      ...(await futuresColumnOf(name, FUTURES_CLIENTS[name], notes)),
    ]);
  const methods = [...METHODS, ...Object.keys(FUTURES_CHECKS).map((check) => `futures ${check}`)];
  const rows = methods.map((method, index) => [
    `\`${method}\``,
    ...columns.map((column) => column[index] ?? ''),
  ]);
  const table = alignedTable([['Method', ...names.map((name) => `\`${name}\``)], ...rows]);
  return [table, ...notes].join('\n\n');
}

/** Sorts the official connectors of the venue, of which there is one for each product, after ccxt. */
function byKindOfClient(/** @type {string} */ one, /** @type {string} */ other) {
  const rank = (/** @type {string} */ name) =>
    name.startsWith('ccxt') ? 0 : name.startsWith('@binance/') ? 1 : 2;
  return rank(one) - rank(other);
}

/** @param {import('./client.mjs').OpenClient | undefined} open */
async function spotColumnOf(open) {
  if (open === undefined) return METHODS.map(() => 'missing');
  return withVenue(async (target) => {
    const client = await open(target);
    const methods = withTrade(client);
    /** @type {string[]} */
    const results = [];
    for (const method of METHODS) results.push(await resultOf(methods[method]));
    await client.close();
    return results;
  });
}

/**
 * @param {string} name
 * @param {import('./futures-client.mjs').OpenFuturesClient | undefined} open
 * @param {string[]} notes receives what is to be said about results of this client
 */
async function futuresColumnOf(name, open, notes) {
  const checks = Object.entries(FUTURES_CHECKS);
  if (open === undefined) return checks.map(() => 'missing');
  return withVenue(async (target) => {
    const client = await open(target);
    const ownNotes = (client.notes ?? []).map(({ checks: noted, text }) => {
      const mark = `[${notes.push(`[${notes.length + 1}] \`${name}\` ${text}`)}]`;
      return { noted, mark };
    });
    /** @type {string[]} */
    const results = [];
    for (const [check, run] of checks) {
      const mark = ownNotes.find(({ noted }) => noted.includes(check))?.mark;
      results.push([await resultOf(() => run(client)), ...(mark === undefined ? [] : [mark])].join(' '));
    }
    await client.close();
    return results;
  });
}

/**
 * Runs something with a new account on an exchange of its own.
 *
 * @param {(target: import('./client.mjs').Target) => Promise<string[]>} run
 */
async function withVenue(run) {
  const venue = await startVenue();
  try {
    return await run(await venue.createAccount());
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
    return `refused ${errorCodeOf(error)}`;
  } finally {
    clearTimeout(timer);
  }
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
