import { groupBy } from '../launch/group-by.mjs';
import { amountText, units } from './amounts.mjs';

/**
 * Compares what the product knows of one account with the exchange's own record of it. Each returned string describes
 * one difference.
 *
 * @typedef {{
 *   balances: Record<string, { free: string, locked: string }>,
 *   orders: readonly VenueOrder[], fills: readonly VenueFill[],
 *   liquidations?: readonly Pick<VenueOrder, 'order_id' | 'symbol'>[],
 * }} Ledger the exchange's record of an account; `liquidations`: the orders that the exchange placed on its own
 * @typedef {{ order_id: string, client_order_id: string, symbol: string, side: 'BUY' | 'SELL', filled_amount: string, status: string }} VenueOrder
 * @typedef {{ fill_id: string, order_id: string, symbol: string, side: 'BUY' | 'SELL', price: string, amount: string, fee: string, fee_asset: string }} VenueFill
 * @typedef {{ trades: readonly any[], fills: readonly any[], lots: readonly any[], sales: readonly any[], account: any }} AccountRecords
 *   the product's rows about an account
 */

/** For each order status of the exchange, the status that the order's trade must have. */
const states = {
  NEW: ['PENDING'],
  PARTIALLY_FILLED: ['PARTIALLY_FILLED'],
  FILLED: ['FILLED'],
  CANCELED: ['CANCELLED'],
  EXPIRED: ['CANCELLED'],
  EXPIRED_IN_MATCH: ['CANCELLED'],
};

/**
 * Each order of the exchange has one trade, with the same state and the same fills.
 *
 * @param {string} accountId
 * @param {Ledger} ledger
 * @param {AccountRecords} records
 */
export function compareOrders(accountId, ledger, records) {
  /** @type {string[]} */
  const differences = [];
  const report = (/** @type {string} */ difference) => differences.push(`${accountId}: ${difference}`);
  const tradesOf = groupBy(
    records.trades.filter(({ exchange_order_id }) => exchange_order_id !== null),
    ({ exchange_order_id, symbol }) => `${symbol} ${exchange_order_id}`,
  );
  const fillsOf = groupBy(records.fills, ({ trade_id }) => trade_id);
  const ledgerFillsOf = groupBy(ledger.fills, ({ order_id, symbol }) => `${symbol} ${order_id}`);
  for (const order of ledger.orders) {
    const key = `${order.symbol} ${order.order_id}`;
    const trades = tradesOf.get(key) ?? [];
    tradesOf.delete(key);
    const [trade] = trades;
    if (trade === undefined && isInvisible(order, records)) continue;
    if (trade === undefined || trades.length > 1) {
      report(`order ${key} (${order.client_order_id}, ${order.status}) has ${trades.length} trades`);
      continue;
    }
    const ids = `order ${key}, trade ${trade.id}`;
    const expected = states[/** @type {keyof typeof states} */ (order.status)] ?? [];
    if (!expected.includes(trade.status))
      report(`${ids}: status ${order.status} at the exchange, ${trade.status} in the product`);
    if (units(trade.filled_amount) !== units(order.filled_amount))
      report(`${ids}: filled ${order.filled_amount} at the exchange, ${trade.filled_amount} in the product`);
    const atExchange = (ledgerFillsOf.get(key) ?? [])
      .map(({ fill_id, amount, price }) => fillText(fill_id, amount, price))
      .sort();
    const inProduct = (fillsOf.get(trade.id) ?? [])
      .map(({ exchange_fill_id, amount, price }) => fillText(exchange_fill_id, amount, price))
      .sort();
    if (atExchange.join() !== inProduct.join())
      report(`${ids}: fills ${atExchange.join()} at the exchange, ${inProduct.join()} in the product`);
  }
  for (const key of tradesOf.keys()) report(`the exchange has no order ${key}`);
  for (const trade of records.trades) {
    const isOver = ['FAILED', 'CANCELLED'].includes(trade.status);
    if (trade.exchange_order_id === null && !isOver)
      report(`trade ${trade.id} is ${trade.status} without an order`);
    if (trade.origin === 'RECONCILIATION') report(`trade ${trade.id} is a write-off of a shortfall`);
  }
  return differences;
}

/** @param {string} id @param {string} amount @param {string} price */
const fillText = (id, amount, price) => `${id} (${amountText(units(amount))} at ${amountText(units(price))})`;

/**
 * Returns whether the product cannot know the order: it was placed at the exchange directly, and ended without a fill
 * before the product looked. Exchanges list open orders and fills, and the order changed neither.
 *
 * @param {VenueOrder} order
 * @param {AccountRecords} records
 */
function isInvisible({ client_order_id, filled_amount, status }, { trades }) {
  const hasEnded = !['NEW', 'PARTIALLY_FILLED'].includes(status);
  const isOurs = trades.some(({ venue_client_order_id }) => venue_client_order_id === client_order_id);
  return hasEnded && units(filled_amount) === 0n && !isOurs;
}

/**
 * Balances equal those of the exchange, and the open lots of an asset equal the exchange's holding. Remainders below the
 * amount step are excepted: no order can sell them, so they are closed with the lot.
 *
 * @param {string} accountId
 * @param {Ledger} ledger
 * @param {AccountRecords} records
 */
export function compareHoldings(accountId, ledger, records) {
  /** @type {string[]} */
  const differences = [];
  for (const [asset, { free, locked }] of Object.entries(ledger.balances)) {
    const inProduct = records.account.balances[asset] ?? { free: '0', locked: '0' };
    if (units(inProduct.free) !== units(free) || units(inProduct.locked) !== units(locked))
      differences.push(
        `${accountId}: ${asset} ${free}+${locked} at the exchange, ${inProduct.free}+${inProduct.locked} in the product`,
      );
    // Every account started with quote currency only, so every other asset was bought.
    if (asset === 'USDT') continue;
    const held = units(free) + units(locked);
    const lots = records.lots.filter(({ symbol }) => symbol.startsWith(`${asset}/`));
    const sum = lots.reduce((total, { open_amount }) => total + units(open_amount), 0n);
    if (lots.some(({ open_amount }) => units(open_amount) < 0n))
      differences.push(`${accountId}: a negative lot of ${asset}`);
    const remainders = records.sales
      .filter(({ symbol }) => symbol.startsWith(`${asset}/`))
      .reduce((total, sale) => {
        const remainder = units(sale.closed) - units(sale.amount);
        if (remainder >= units(sale.amount_step))
          differences.push(`${accountId}: a sale closed more than it sold`);
        // A negative remainder is an amount that was sold without a lot.
        return total + remainder;
      }, 0n);
    if (sum + remainders !== held) {
      const lotsInProduct = `open lots of ${amountText(sum)} and remainders of ${amountText(remainders)} in the product`;
      differences.push(`${accountId}: ${amountText(held)} ${asset} at the exchange, ${lotsInProduct}`);
    }
  }
  return differences;
}
