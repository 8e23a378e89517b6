/** The values of the venue's answers, for the clients that return them unchanged. */

export const SYMBOL = 'BTCUSDT';

/**
 * @typedef {Readonly<Record<string, string>>} Row
 * @typedef {{ readonly symbols: readonly { readonly symbol: string, readonly filters: readonly Row[] }[] }} ExchangeInfo
 * @typedef {{ readonly e?: string, readonly o?: Row, readonly a?: { readonly P: readonly Row[] } }} AccountEvent
 */

/** @param {unknown} info */
export function rulesOf(info) {
  const { symbols } = /** @type {ExchangeInfo} */ (info);
  const filters = symbols.find(({ symbol }) => symbol === SYMBOL)?.filters ?? [];
  const filter = (/** @type {string} */ type) => filters.find(({ filterType }) => filterType === type) ?? {};
  return {
    priceTick: Number(filter('PRICE_FILTER').tickSize),
    amountStep: Number(filter('LOT_SIZE').stepSize),
    minNotional: Number(filter('MIN_NOTIONAL').notional),
  };
}

/** @param {unknown} balances */
export function balanceOf(balances) {
  return Number(rows(balances).find(({ asset }) => asset === 'USDT')?.balance);
}

/** @param {unknown} orders */
export function clientOrderIdsOf(orders) {
  return rows(orders).map(({ clientOrderId = '' }) => clientOrderId);
}

/** @param {unknown} fills */
export function fillsOf(fills) {
  return rows(fills).map(({ price, qty, commission }) => ({
    price: Number(price),
    quantity: Number(qty),
    fee: Number(commission),
  }));
}

/** @param {unknown} positions */
export function positionOf(positions) {
  const { positionAmt = 0, entryPrice = 0 } =
    rows(positions).find(({ symbol }) => symbol === SYMBOL) ?? /** @type {Row} */ ({});
  return { amount: Number(positionAmt), entryPrice: Number(entryPrice) };
}

/** @param {unknown} index */
export function marksOf(index) {
  const { markPrice, lastFundingRate } = /** @type {Row} */ (index);
  return { markPrice: Number(markPrice), fundingRate: Number(lastFundingRate) };
}

/**
 * Passes an event of the account stream to the listener.
 *
 * @param {unknown} event
 * @param {import('../../futures-client.mjs').AccountListener} listener
 */
export function hear(event, listener) {
  const { e, o, a } = /** @type {AccountEvent} */ (event);
  if (e === 'ORDER_TRADE_UPDATE') listener.onOrder(String(o?.c), String(o?.X));
  if (e !== 'ACCOUNT_UPDATE') return;
  for (const { s, pa } of a?.P ?? []) if (s === SYMBOL) listener.onPosition(Number(pa));
}

/**
 * Returns the rows of an answer in a new array: in a test, the array of a client may belong to another realm, and so would
 * all arrays that are made from it.
 *
 * @param {unknown} answer
 */
function rows(answer) {
  return [.../** @type {readonly Row[]} */ (answer)];
}
