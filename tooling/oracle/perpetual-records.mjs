import { exact, greatest, sum } from './fraction.mjs';
import { fundingOfLots } from './margins.mjs';

/**
 * What the exchange records of accounts on perpetuals.
 *
 * @typedef {import('./day.mjs').Day} Day
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 */

/** Records the equity of every account, with its open result at the mark price, and its margin. @param {Day} day */
export async function recordMargins(day) {
  const { participants } = day.parts;
  const accounts = new Map(
    [...participants.strategies, ...participants.copiers].map(({ account }) => [account.id, account]),
  );
  for (const account of accounts.values())
    recordMargin(day, account, await day.venue.ledger(account.credentials));
}

/** @param {Day} day @param {import('./participants.mjs').Account} account @param {any} ledger */
export function recordMargin({ parts: { replay } }, { id }, { futures_balances, positions }) {
  const open = sum(positions.map((/** @type {any} */ position) => exact(position.unrealized_pnl)));
  const equity = exact(futures_balances.USDT.wallet).plus(open);
  const size = sum(
    positions.map((/** @type {any} */ position) => exact(position.amount).times(exact(position.mark_price))),
  );
  const drift = sum(
    positions.map((/** @type {any} */ position) => {
      const mark = exact(position.mark_price);
      const { low, high } = replay.signed.marksOf(position.symbol);
      const most = greatest(high.minus(mark).absolute, mark.minus(low).absolute);
      return exact(position.amount).absolute.times(most);
    }),
  );
  replay.equities.record(id, equity, { notional: size, drift });
  replay.signed.setMargin(id, {
    equity,
    available: exact(futures_balances.USDT.available),
    // A bound is enough: the limits of the driver are far from what accounts have.
    maintenance: size.times(MAINTENANCE),
    nets: new Map(positions.map((/** @type {any} */ { symbol, amount }) => [symbol, exact(amount)])),
  });
}

/** The least share of a notional that the paper exchange demands as maintenance margin. */
const MAINTENANCE = exact('0.004');

/** Returns the funding payments of an account and pair, as the exchange lists them. @param {any} ledger @param {string} symbol */
function paymentsOf({ funding }, symbol) {
  return funding
    .filter((/** @type {any} */ payment) => payment.symbol === symbol)
    .map((/** @type {any} */ { amount, at }) => ({ amount: exact(amount), at: Date.parse(at) }));
}

/**
 * Returns the funding of each lot of the account, and the sum of all payments, with those that belong to no lot.
 *
 * @param {readonly import('./lots.mjs').LotBook[]} books
 * @param {any} ledger
 */
export function fundingOf(books, ledger) {
  /** @type {Map<import('./lots.mjs').Lot, Fraction>} */
  const ofLots = new Map();
  for (const book of books)
    for (const [lot, amount] of fundingOfLots(book, paymentsOf(ledger, book.pair.symbol)))
      ofLots.set(lot, amount);
  const total = sum((ledger.funding ?? []).map((/** @type {any} */ { amount }) => exact(amount)));
  return { ofLots, total };
}
