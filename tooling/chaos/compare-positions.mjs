import { groupBy } from '../launch/group-by.mjs';
import { amountText, units } from './amounts.mjs';

/**
 * Compares what the product knows of an account on perpetuals with the exchange's own record of it. Numbers are compared as
 * decimal strings. Each returned string describes one difference.
 *
 * @typedef {{ symbol: string, side: string, amount: string, entry_price: string | null }} Position
 * @typedef {{ funding_id: string, symbol: string, amount: string }} Payment
 * @typedef {{
 *   futures_balances: { USDT: { wallet: string } }, positions: readonly Position[], funding: readonly Payment[],
 * }} PerpetualLedger the exchange's record of an account; an amount of funding is positive if the account received it
 * @typedef {{ id: string, symbol: string, filledAmount: string, bookedAmount: string }} BookedTrade `bookedAmount`: what the
 *   trade's fills opened and closed of lots
 * @typedef {{ venueId: string, amount: string, bookedAmount: string | null, events: number }} StoredPayment `bookedAmount`:
 *   the sum of the parts of lots, null without a part; `events`: the number of events `funding.paid`
 * @typedef {{
 *   balance: { free: string, locked: string }, trades: readonly BookedTrade[], payments: readonly StoredPayment[],
 *   lots: readonly { symbol: string, side: 'BUY' | 'SELL', open_amount: string }[], positions: readonly Position[],
 * }} PerpetualRecords `lots`: the open ones; `positions`: those of `GET /v1/positions`
 */

/**
 * @param {string} accountId
 * @param {PerpetualLedger} ledger
 * @param {PerpetualRecords} records
 */
export function comparePositions(accountId, ledger, records) {
  return [
    ...compareWallet(ledger, records),
    ...compareLots(ledger, records),
    ...compareReported(ledger, records),
    ...compareBookings(records),
    ...compareFunding(ledger, records),
  ].map((difference) => `${accountId}: ${difference}`);
}

/** @param {PerpetualLedger} ledger @param {PerpetualRecords} records */
function compareWallet({ futures_balances }, { balance }) {
  const atExchange = plain(futures_balances.USDT.wallet);
  const inProduct = amountText(units(balance.free) + units(balance.locked));
  return atExchange === inProduct
    ? []
    : [`a wallet of ${atExchange} at the exchange, ${inProduct} in the product`];
}

/**
 * The sum of the signed open lots of a pair is the position.
 *
 * @param {PerpetualLedger} ledger
 * @param {PerpetualRecords} records
 */
function compareLots({ positions }, { lots }) {
  const differences = lots
    .filter(({ open_amount }) => units(open_amount) < 0n)
    .map(({ symbol }) => `a negative lot of ${symbol}`);
  const lotsOf = groupBy(lots, ({ symbol }) => symbol);
  const atExchange = new Map(positions.map((position) => [position.symbol, netOf(position)]));
  for (const symbol of new Set([...lotsOf.keys(), ...atExchange.keys()])) {
    const net = amountText(
      (lotsOf.get(symbol) ?? []).reduce(
        (sum, { side, open_amount }) =>
          side === 'BUY' ? sum + units(open_amount) : sum - units(open_amount),
        0n,
      ),
    );
    const position = atExchange.get(symbol) ?? '0';
    if (net !== position)
      differences.push(
        `a position of ${position} ${symbol} at the exchange, open lots of ${net} in the product`,
      );
  }
  return differences;
}

/** @param {Position} position */
const netOf = ({ side, amount }) => amountText(side === 'SHORT' ? -units(amount) : units(amount));

/**
 * The positions that the API lists are those of the exchange.
 *
 * @param {PerpetualLedger} ledger
 * @param {PerpetualRecords} records
 */
function compareReported(ledger, records) {
  const textOf = (/** @type {Position} */ { symbol, side, amount, entry_price }) =>
    `${symbol} ${side} ${amount} at ${entry_price}`;
  return listsDiffer('positions', ledger.positions.map(textOf), records.positions.map(textOf));
}

/**
 * Each fill is booked once: what a trade's fills opened and closed of lots is what they filled.
 *
 * @param {PerpetualRecords} records
 */
function compareBookings({ trades }) {
  return trades
    .filter(({ filledAmount, bookedAmount }) => plain(filledAmount) !== plain(bookedAmount))
    .map(
      ({ id, symbol, filledAmount, bookedAmount }) =>
        `trade ${id}: filled ${plain(filledAmount)} ${symbol}, booked ${plain(bookedAmount)} to lots`,
    );
}

/**
 * Each payment of funding is stored, divided among lots and reported once.
 *
 * @param {PerpetualLedger} ledger
 * @param {PerpetualRecords} records
 */
function compareFunding({ funding }, { payments }) {
  const differences = listsDiffer(
    'funding',
    funding.map(({ funding_id, amount }) => `${funding_id} ${plain(amount)}`),
    payments.map(({ venueId, amount }) => `${venueId} ${plain(amount)}`),
  );
  for (const { venueId, amount, bookedAmount, events } of payments) {
    if (plain(amount) !== plain(bookedAmount ?? '0'))
      differences.push(
        `funding ${venueId}: ${plain(amount)} paid, ${plain(bookedAmount ?? '0')} booked to lots`,
      );
    if (events !== 1) differences.push(`funding ${venueId}: ${events} events`);
  }
  return differences;
}

/**
 * @param {string} name
 * @param {readonly string[]} atExchange
 * @param {readonly string[]} inProduct
 */
function listsDiffer(name, atExchange, inProduct) {
  const text = (/** @type {readonly string[]} */ list) => list.toSorted().join(', ') || 'none';
  return text(atExchange) === text(inProduct)
    ? []
    : [`${name}: ${text(atExchange)} at the exchange, ${text(inProduct)} in the product`];
}

/** Returns a decimal without trailing zeros. @param {string} decimal */
const plain = (decimal) => amountText(units(decimal));
