import { ACCOUNTS, MAIN_ACCOUNT } from './cast.mjs';
import { DAY_MS } from './market.mjs';
import { flowsOf } from './simulation.mjs';

/** @typedef {Record<string, number>} Balances amounts by asset */

/**
 * Returns the balances of the simulated accounts at the end: their capital with the changes of all fills.
 *
 * @param {import('./simulation.mjs').Simulation} simulation
 * @returns {ReadonlyMap<string, Balances>}
 */
export function finalBalances(simulation) {
  const accounts = ACCOUNTS.filter(({ key }) => key !== MAIN_ACCOUNT);
  return new Map(
    accounts.map(({ key, capital }) => {
      /** @type {Balances} */
      const balances = { USDT: capital };
      for (const { changes } of flowsOf(simulation, key)) add(balances, changes, 1);
      return [key, balances];
    }),
  );
}

/**
 * Returns an account's equity at the end of each day, oldest first: what it held then, at the prices of then. It is
 * computed backwards from the balances at the end.
 *
 * @param {import('./simulation.mjs').Simulation} simulation
 * @param {string} account
 * @param {Readonly<Balances>} balances at the end
 * @returns {{ day: number, at: number, amount: number }[]}
 */
export function equityHistory(simulation, account, balances) {
  const { market } = simulation;
  const flows = flowsOf(simulation, account);
  const held = { ...balances };
  let next = flows.length - 1;
  const points = [...market.days].reverse().map((day) => {
    const at = Math.min(day + DAY_MS, market.end) - 60_000;
    for (let flow = flows[next]; flow !== undefined && flow.at > at; flow = flows[--next])
      add(held, flow.changes, -1);
    const amount = Object.entries(held).reduce(
      (sum, [asset, units]) => sum + units * priceOf(market, asset, at),
      0,
    );
    return { day, at, amount };
  });
  return points.reverse();
}

/**
 * @param {Balances} balances
 * @param {Readonly<Balances>} changes
 * @param {1 | -1} sign
 */
function add(balances, changes, sign) {
  for (const [asset, change] of Object.entries(changes))
    balances[asset] = (balances[asset] ?? 0) + sign * change;
}

/**
 * @param {import('./market.mjs').Market} market
 * @param {string} asset
 * @param {number} at
 */
const priceOf = (market, asset, at) => (asset === 'USDT' ? 1 : market.priceAt(`${asset}/USDT`, at));
