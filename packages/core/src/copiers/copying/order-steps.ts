/** SQL of the amount steps of a copier's orders. `tradeId` is an expression. */

const STEP = 'greatest(p.amount_step, p.market_amount_step)';
const pairOf = (tradeId: string) =>
  `FROM trades o JOIN trade_pairs p ON p.id = o.trade_pair_id WHERE o.id = ${tradeId}`;

/** The amount step of the order's pair; null without an order. */
export const orderStep = (tradeId: string) => `(SELECT ${STEP} ${pairOf(tradeId)})`;

/** The amount, rounded to the amount step of the order's pair; null without an order. */
export const inWholeSteps = (amount: string, tradeId: string) =>
  `(SELECT round(${amount} / ${STEP}) * ${STEP} ${pairOf(tradeId)})`;
