import { exact, least } from './fraction.mjs';

/**
 * Draws the fills of random days, which the product's rules and the oracle then book.
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 * @typedef {import('./lots.mjs').LotBook} LotBook
 */

const SIDES = /** @type {const} */ (['BUY', 'SELL']);
const COPIERS = ['one', 'two', 'three'];

/**
 * Draws a fill: of the user, of a copy that enters or exits a lot of its leader, of the close of a lot, or of a liquidation,
 * which takes a part of the net position and belongs to no one.
 *
 * @param {import('../chaos/random.mjs').Random} random
 * @param {{ number: number, size: Fraction, oracle: LotBook }} day
 */
export function drawFill(random, { number, size, oracle }) {
  const contracts = exact(String(Math.floor(random.between(1, 40))));
  const price = exact(random.between(80, 120).toFixed(2));
  const common = {
    id: `fill ${number}`,
    tradeId: `trade ${number}`,
    owner: undefined,
    price,
    at: number * 10,
    isForced: false,
  };
  const filled = (/** @type {'BUY' | 'SELL'} */ side, /** @type {Fraction} */ amount, more = {}) => {
    const fee = price.times(amount).times(exact('0.0005')).floorTo(exact('0.00000001'));
    return { ...common, side, amount, fee: { amount: fee, currency: 'USDT', value: fee }, ...more };
  };
  const amount = contracts.times(size);
  const kind = random.pick(['user', 'entry', 'entry', 'exit', 'exit', 'close', 'liquidation']);
  const copierId = random.pick(COPIERS);
  if (kind === 'entry') {
    // A lot of a leader has one side.
    const side = random.pick(SIDES);
    const sourceTradeId = `${side} ${random.pick(['A', 'B'])}`;
    return filled(side, amount, { copierId, owner: copierId, sourceTradeId, isEntry: true });
  }
  const open = oracle.lots.filter((lot) => lot.open.isPositive);
  const [lot] = open.length === 0 ? [] : [random.pick(open)];
  if (kind === 'exit' && lot?.copierId !== undefined) {
    const { copierId, sourceTradeId } = lot;
    const { held } = oracle.listOf(copierId, sourceTradeId ?? '');
    const exit = random.happens(0.9) ? least(held, amount) : amount;
    return filled(opposite(lot.side), exit, { copierId, owner: copierId, sourceTradeId, isEntry: false });
  }
  if (kind === 'close' && lot !== undefined)
    return filled(opposite(lot.side), least(lot.open, amount), {
      closes: (/** @type {import('./lots.mjs').Lot} */ each) => each.tradeId === lot.tradeId,
      closesTradeId: lot.tradeId,
    });
  const { net } = oracle;
  if (kind === 'liquidation' && !net.isZero)
    return filled(net.isNegative ? 'BUY' : 'SELL', least(net.absolute, amount), { isForced: true });
  return filled(random.pick(SIDES), amount);
}

const opposite = (/** @type {'BUY' | 'SELL'} */ side) => (side === 'BUY' ? 'SELL' : 'BUY');

/** Returns a fill as the product's rules take it. @param {any} fill */
export const productFill = ({
  id,
  tradeId,
  side,
  price,
  amount,
  fee,
  at,
  copierId,
  sourceTradeId,
  isEntry,
  closesTradeId,
}) => ({
  id,
  tradeId,
  copy: copierId === undefined ? undefined : { copierId, lotTradeId: sourceTradeId },
  side,
  price: String(price),
  amount: String(amount),
  feeAmount: String(fee.amount),
  feeCurrency: fee.currency,
  executedAt: new Date(at),
  closesLotId: closesTradeId === undefined ? null : closesTradeId.replace('trade', 'fill'),
  opensOnly: isEntry === true,
});
