import { exact, ONE, ZERO } from './fraction.mjs';

/**
 * Reads what happened: the fills are the exchange's own records, and the product's trades name their owners.
 *
 * @typedef {import('./lots.mjs').Fill} Fill
 * @typedef {{ at: number, symbol: string, price: import('./fraction.mjs').Fraction }} PricePoint
 * @typedef {{ trades: Map<string, any>, fills: (Fill & { symbol: string })[], ledger: any }} AccountFacts `trades`: by id
 */

/** Reads the accounts. It remembers trades, so that it needs to read only the newest. */
export class FactReader {
  /**
   * @param {import('./api.mjs').Api} api
   * @param {import('./venue.mjs').Venue} venue
   * @param {{ valuesThirdAssets: boolean }} reference what the published reference says: whether a fee in a third asset has a
   *   value, or appears in `fees_by_currency` alone
   */
  constructor(api, venue, { valuesThirdAssets }) {
    this.api = api;
    this.venue = venue;
    this.valuesThirdAssets = valuesThirdAssets;
    /** @type {PricePoint[]} oldest first */
    this.prices = [];
    /** @type {Map<string, (lot: import('./lots.mjs').Lot) => boolean>} the lot that a trade closes, by trade */
    this.closedLots = new Map();
    /** @type {Map<string, Map<string, any>>} */
    this.trades = new Map();
  }

  /**
   * @param {import('./participants.mjs').Account} account
   * @param {{ all?: boolean }} [options] `all`: also the trades that were read before
   * @returns {Promise<AccountFacts>}
   */
  async read(account, { all = false } = {}) {
    const ledger = await this.venue.ledger(account.credentials);
    const path = `/v1/trades?exchange_account_id=${account.id}`;
    const newest = all ? await this.api.list(path) : (await this.api.call('GET', `${path}&limit=60`)).data;
    const trades = this.trades.get(account.id) ?? new Map();
    for (const trade of newest) trades.set(trade.id, trade);
    this.trades.set(account.id, trades);
    const byOrder = new Map([...trades.values()].map((trade) => [trade.exchange_order_id, trade]));
    const fills = ledger.fills.map((/** @type {any} */ fill) =>
      this.fillOf(fill, byOrder.get(fill.order_id)),
    );
    return { trades, fills, ledger };
  }

  /** Returns whether a copy enters its leader's lot: it has the side of the trade that opened that lot. @param {any} trade */
  isEntry(trade) {
    if (trade?.source_trade_id === undefined) return undefined;
    const source = [...this.trades.values()].find((trades) => trades.has(trade.source_trade_id));
    return source?.get(trade.source_trade_id)?.side === trade.side;
  }

  /**
   * @param {any} fill of the ledger
   * @param {any} trade undefined if the product does not know the order
   * @returns {Fill & { symbol: string }}
   */
  fillOf(fill, trade) {
    const [base, quote] = fill.symbol.split(/[/:]/);
    const at = Date.parse(fill.executed_at);
    const price = exact(fill.price);
    const fee = exact(fill.fee);
    const third = () =>
      this.valuesThirdAssets ? priceAt(this.prices, `${fill.fee_asset}/${quote}`, at) : ZERO;
    const rate = fill.fee_asset === quote ? ONE : fill.fee_asset === base ? price : third();
    return {
      id: fill.fill_id,
      symbol: fill.symbol,
      tradeId: trade?.id ?? `order ${fill.order_id}`,
      owner: trade?.strategy_id ?? trade?.copier_id,
      copierId: trade?.copier_id,
      sourceTradeId: trade?.source_trade_id,
      closes: this.closedLots.get(trade?.id),
      isEntry: this.isEntry(trade),
      side: fill.side,
      price,
      amount: exact(fill.amount),
      fee: { amount: fee, currency: fill.fee_asset, value: fee.times(rate) },
      at,
    };
  }
}

/**
 * Returns the price of a pair at a time.
 *
 * @param {readonly PricePoint[]} prices oldest first
 * @param {string} symbol
 * @param {number} at
 */
function priceAt(prices, symbol, at) {
  const before = prices.findLast((point) => point.symbol === symbol && point.at <= at);
  return (before ?? prices.find((point) => point.symbol === symbol))?.price ?? ZERO;
}
