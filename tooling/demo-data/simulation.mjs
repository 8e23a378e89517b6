import { ACCOUNTS, COPIERS, FULL_DAYS, MAIN_ACCOUNT, MANUAL, STRATEGIES } from './cast.mjs';
import { copySignals } from './copies.mjs';
import { DAY_MS, DELISTED_DAYS } from './market.mjs';
import { costOf, feesOf, filledAmount, filledOrder } from './orders.mjs';
import { createRandom } from './random.mjs';
import { drawRounds, drawUnfilledOrders, ordersOf, QUIET_MS } from './rounds.mjs';
import { signalsOf } from './signals.mjs';
import { numberOf, unitsOf } from './units.mjs';

/**
 * An order with the account that placed it, and with the strategy or the copier to which it belongs.
 *
 * @typedef {{ account: string, strategy?: string, copier?: string }} Owner
 * @typedef {Owner & { round: import('./rounds.mjs').Round, copied?: import('./copies.mjs').CopiedLot }} Position
 * @typedef {Owner & { pair: import('./market.mjs').Pair, order: import('./orders.mjs').Order }} UnfilledOrder
 *
 * @typedef {{
 *   seed: string, market: import('./market.mjs').Market, days: number, activity: number,
 * }} Settings `activity` scales the number of positions
 *
 * @typedef {ReturnType<typeof simulate>} Simulation
 */

/**
 * Simulates the record of all accounts. The same settings and the same last prices give the same record.
 *
 * @param {Settings} settings
 */
export function simulate(settings) {
  const { seed, market, days } = settings;
  const before = (/** @type {number} */ count) => market.end - (count * days * DAY_MS) / FULL_DAYS;
  const last = market.end - QUIET_MS;
  /** @type {Position[]} */
  const positions = drawPositions(settings, before, 'manual', {
    ...MANUAL,
    from: market.start,
    to: last,
  }).map((round) => ({ account: MAIN_ACCOUNT, round }));
  /** @type {UnfilledOrder[]} */
  const unfilled = drawUnfilled(settings, { ...MANUAL, count: 46, from: market.start, to: last });
  /** @type {Map<string, import('./signals.mjs').Signal[]>} */
  const signals = new Map();
  for (const strategy of STRATEGIES) {
    const { key, account, since, archived, pairs } = strategy;
    const capital = capitalOf(account);
    const [low, high] = strategy.style.stake;
    const style = { ...strategy.style, stake: /** @type {const} */ ([low * capital, high * capital]) };
    const to = archived === undefined ? last : before(archived) - DAY_MS / 2;
    const plan = { account, pairs, style, from: before(since), to };
    const rounds = drawPositions(settings, before, key, plan);
    if (strategy.trimShare !== undefined) trimOpen(settings, rounds, strategy.trimShare);
    positions.push(...rounds.map((round) => ({ account, strategy: key, round })));
    const count = account.startsWith('demo.') ? 12 : 4;
    unfilled.push(
      ...drawUnfilled(settings, { ...plan, count }).map((order) => ({ ...order, strategy: key })),
    );
    const equityAt = (/** @type {number} */ at) => capital + realisedAt(rounds, at);
    signals.set(key, signalsOf(key, rounds, { random: createRandom(`${seed}/${key}/signals`), equityAt }));
  }
  const copies = COPIERS.map((copier) => {
    const { key, account, status, since, until } = copier;
    const options = {
      random: createRandom(`${seed}/${key}`),
      signals: signals.get(copier.strategy) ?? [],
      from: before(since),
      until: status === 'PAUSED' && until !== undefined ? before(until) : Number.POSITIVE_INFINITY,
    };
    const { decisions, lots } = copySignals(copier, options);
    positions.push(...lots.map((copied) => ({ account, copier: key, round: copied.round, copied })));
    return { copier, decisions };
  });
  return { market, before, positions, signals, copies, unfilled };
}

/**
 * @param {Settings} settings
 * @param {(days: number) => number} before
 * @param {string} name
 * @param {{ pairs: readonly string[], style: import('./rounds.mjs').Style, from: number, to: number }} plan
 */
function drawPositions({ seed, market, activity }, before, name, { pairs, style, from, to }) {
  return pairs.flatMap((symbol) => {
    const pair = market.pairOf(symbol);
    return drawRounds({
      random: createRandom(`${seed}/${name}/${symbol}`),
      market,
      pair,
      style: {
        ...style,
        perDay: style.perDay * activity,
        keepsOpen: style.keepsOpen === true && pair.isListed,
      },
      from,
      to: pair.isListed ? to : Math.min(to, before(DELISTED_DAYS + 2)),
    });
  });
}

/**
 * Sells a small share of each open position. Copiers whose own share is below the exchange's minimum wait with it.
 *
 * @param {Settings} settings
 * @param {readonly import('./rounds.mjs').Round[]} rounds
 * @param {number} share
 */
function trimOpen({ seed, market }, rounds, share) {
  const random = createRandom(`${seed}/trim`);
  const at = market.end - QUIET_MS - 60_000;
  for (const { pair, entry, exits } of rounds) {
    const held = exits.reduce((left, exit) => left - filledAmount(exit), filledAmount(entry));
    if (held === 0n || entry.endedAt > at) continue;
    const price = market.priceAt(pair.symbol, at);
    const amount = unitsOf(numberOf(held) * share, pair.stepDecimals);
    exits.push(filledOrder({ random, pair, at, price, amount, intent: 'REDUCE', isMarket: true }));
  }
}

/**
 * @param {Settings} settings
 * @param {{ account: string, pairs: readonly string[], style: import('./rounds.mjs').Style, from: number, to: number, count: number }} plan
 * @returns {UnfilledOrder[]}
 */
function drawUnfilled({ seed, market, activity }, { account, pairs, style, from, to, count }) {
  const drawn = drawUnfilledOrders({
    random: createRandom(`${seed}/unfilled/${account}`),
    market,
    style,
    pairs: pairs.map((symbol) => market.pairOf(symbol)).filter(({ isListed }) => isListed),
    count: Math.ceil(count * activity),
    from,
    to,
  });
  return drawn.map((order) => ({ account, ...order }));
}

/** @param {string} key */
const capitalOf = (key) => ACCOUNTS.find((account) => account.key === key)?.capital ?? 0;

/**
 * Returns the result of the positions that are closed at an instant.
 *
 * @param {readonly import('./rounds.mjs').Round[]} rounds
 * @param {number} at
 */
function realisedAt(rounds, at) {
  const closed = rounds.filter(({ exits }) =>
    exits.some((exit) => exit.intent === 'CLOSE' && exit.endedAt <= at),
  );
  return closed.reduce((sum, round) => sum + resultOf(round), 0);
}

/** Returns the result of a closed position after fees, in quote currency. @param {import('./rounds.mjs').Round} round */
export const resultOf = (round) =>
  ordersOf(round).reduce((sum, order) => {
    const cost = numberOf(costOf(order)) * (order.side === 'BUY' ? -1 : 1);
    return sum + cost - numberOf(feesOf(order));
  }, 0);

/** The amounts that fills change, by asset. @typedef {{ at: number, changes: Readonly<Record<string, number>> }} Flow */

/**
 * Returns the changes of an account's balances, oldest first.
 *
 * @param {Pick<Simulation, 'positions'>} simulation
 * @param {string} account
 * @returns {Flow[]}
 */
export function flowsOf({ positions }, account) {
  const flows = positions
    .filter((position) => position.account === account)
    .flatMap(({ round }) =>
      ordersOf(round).map((order) => {
        const sign = order.side === 'BUY' ? 1 : -1;
        const quote = -sign * numberOf(costOf(order)) - numberOf(feesOf(order));
        return {
          at: order.endedAt,
          changes: { [round.pair.base]: sign * numberOf(filledAmount(order)), USDT: quote },
        };
      }),
    );
  return flows.sort((a, b) => a.at - b.at);
}
