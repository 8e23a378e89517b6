import { exact, greatest, least, sum } from './fraction.mjs';
import { openResultOf } from './lots.mjs';

/**
 * The figures of GET /v1/trades/analytics, from fills and lots, as the published reference defines them.
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 * @typedef {import('./lots.mjs').Fill} Fill
 * @typedef {{ tradeId: string, pnl: Fraction, openedAt: number, closedAt: number }} ClosedTrade
 */

/**
 * @param {{ books: readonly import('./lots.mjs').LotBook[], fills: readonly Fill[], priceOf: (book: import('./lots.mjs').LotBook) => Fraction }} account
 *   `priceOf`: the last price of a book's pair
 */
export function figuresOf({ books, fills, priceOf }) {
  const closures = books.flatMap((book) => book.closures);
  const closed = books.flatMap(closedTradesOf).sort((a, b) => a.closedAt - b.closedAt);
  const wins = closed.filter(({ pnl }) => pnl.isPositive);
  const losses = closed.filter(({ pnl }) => pnl.isNegative);
  const grossProfit = sum(wins.map(({ pnl }) => pnl));
  const grossLoss = sum(losses.map(({ pnl }) => pnl)).absolute;
  const netPnl = sum(closures.map(({ pnl }) => pnl));
  const averageLoss = mean(losses.map(({ pnl }) => pnl.absolute));
  const expectancy = mean(closed.map(({ pnl }) => pnl));
  const pnls = closed.map(({ pnl }) => pnl);
  return {
    closed_count: closed.length,
    winning_count: wins.length,
    losing_count: losses.length,
    win_rate: closed.length === 0 ? null : ratio(wins.length, closed.length),
    profit_factor: grossLoss.isZero ? null : grossProfit.over(grossLoss),
    expectancy,
    expectancy_ratio: averageLoss === null || expectancy === null ? null : expectancy.over(averageLoss),
    gross_profit: grossProfit,
    gross_loss: grossLoss,
    partial_pnl: netPnl.minus(grossProfit).plus(grossLoss),
    fees: sum(fills.map(({ fee }) => fee.value)),
    net_pnl: netPnl,
    unrealized_pnl: sum(books.map((book) => openResultIn(book, priceOf(book)))),
    volume: sum(fills.map(({ price, amount }) => price.times(amount))),
    average_win: mean(wins.map(({ pnl }) => pnl)),
    average_loss: averageLoss,
    'best_trade.net_pnl': closed.length === 0 ? null : greatest(...pnls),
    'worst_trade.net_pnl': closed.length === 0 ? null : least(...pnls),
    average_holding_seconds: mean(closed.map(({ openedAt, closedAt }) => ratio(closedAt - openedAt, 1_000))),
    max_consecutive_losses: longestRun(closed.map(({ pnl }) => pnl.isNegative)),
    unmatched_fill_count: books.reduce((count, book) => count + book.unmatchedFills, 0),
  };
}

/**
 * Returns the trades whose lots are all closed.
 *
 * @param {import('./lots.mjs').LotBook} book
 * @returns {ClosedTrade[]}
 */
export function closedTradesOf(book) {
  const tradeIds = [...new Set(book.lots.map(({ tradeId }) => tradeId))];
  return tradeIds.flatMap((tradeId) => {
    const lots = book.lots.filter((lot) => lot.tradeId === tradeId);
    if (lots.some(({ open }) => open.isPositive)) return [];
    const closures = book.closures.filter(({ lot }) => lot.tradeId === tradeId);
    return [
      {
        tradeId,
        pnl: sum(closures.map(({ pnl }) => pnl)),
        openedAt: Math.min(...lots.map(({ at }) => at)),
        closedAt: Math.max(...closures.map(({ fill }) => fill.at)),
      },
    ];
  });
}

/** Returns the result of the open lots at `price`, after the fees paid. @param {import('./lots.mjs').LotBook} book @param {Fraction} price */
function openResultIn({ lots }, price) {
  return sum(lots.map((lot) => openResultOf(lot, price)));
}

/**
 * The statistics of the closed trades of one strategy.
 *
 * @param {readonly import('./lots.mjs').LotBook[]} books
 * @param {string} owner
 */
export function strategyStatistics(books, owner) {
  const pnls = books.flatMap((book) =>
    closedTradesOf(book)
      .filter(({ tradeId }) => book.lots.find((lot) => lot.tradeId === tradeId)?.owner === owner)
      .map(({ pnl }) => pnl),
  );
  const wins = pnls.filter((pnl) => pnl.isPositive);
  const losses = pnls.filter((pnl) => pnl.isNegative);
  return {
    closed_count: pnls.length,
    win_rate: pnls.length === 0 ? null : ratio(wins.length, pnls.length),
    profit_factor: losses.length === 0 ? null : sum(wins).over(sum(losses).absolute),
  };
}

/** @param {readonly Fraction[]} values */
const mean = (values) => (values.length === 0 ? null : sum(values).over(count(values.length)));

/** @param {readonly boolean[]} flags */
function longestRun(flags) {
  let [longest, current] = [0, 0];
  for (const flag of flags) {
    current = flag ? current + 1 : 0;
    longest = Math.max(longest, current);
  }
  return longest;
}

/** @param {number} integer */
const count = (integer) => exact(String(integer));

/** @param {number} numerator @param {number} denominator */
const ratio = (numerator, denominator) => count(numerator).over(count(denominator));
