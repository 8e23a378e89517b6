import { seeded } from '../chaos/random.mjs';
import { exact, least, sum } from './fraction.mjs';
import { LotBook } from './lots.mjs';
import { divideFunding } from './margins.mjs';

/**
 * Random days on contracts of every size, which the paper exchange does not have. Only this test knows both sides: it
 * books the same fills with the product's pure rules and with the oracle.
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 */

const RULES = new URL('../../packages/core/src/trades/lots/', import.meta.url).pathname;
const { divideAmongLots } = await import(`${RULES}funding.rules.ts`);
const { formatUnits, LotBook: ProductBook, QUOTE_SCALE } = await import(`${RULES}lots.rules.ts`);

/** The amount of the base currency in one contract. */
const CONTRACT_SIZES = ['0.0001', '0.001', '0.01', '0.1', '1', '10', '100', '1000', '0.00000001'];
const SIDES = /** @type {const} */ (['BUY', 'SELL']);
const COPIERS = ['one', 'two', 'three'];
const FILLS = 60;
const DAYS = 8;
/** Far above what the rounding of values to 36 decimals adds up to. */
const TOLERANCE = exact('0.000000000000000000000001');
/** For other days, set ORACLE_SEED. */
const FIRST_SEED = Number(process.env.ORACLE_SEED ?? '1');

/** @param {number} seed */
function playDay(seed) {
  const random = seeded(seed);
  const size = exact(random.pick(CONTRACT_SIZES));
  const options = { base: 'ABC', quote: 'USDT', amountStep: String(size), canBeShort: true };
  const product = new ProductBook(options);
  const oracle = new LotBook({
    symbol: 'ABC/USDT:USDT',
    base: 'ABC',
    settle: 'USDT',
    step: size,
    tick: exact('0.01'),
  });
  /** @type {string[]} */
  const differences = [];
  const expectEqual = (
    /** @type {string} */ what,
    /** @type {unknown} */ ours,
    /** @type {unknown} */ theirs,
  ) => {
    const [a, b] = [JSON.stringify(ours), JSON.stringify(theirs)];
    if (a !== b) differences.push(`seed ${seed}, contract size ${size}, ${what}: product ${b}, oracle ${a}`);
  };
  const kinds = { closures: 0, fundings: 0, shorts: 0, forced: 0 };
  for (let number = 1; number <= FILLS; number += 1) {
    const fill = drawFill(random, { number, size, oracle });
    const closures = oracle.book(fill);
    const outcome = product.apply(productFill(fill, oracle));
    expectEqual(
      `closures of fill ${number}`,
      closures.map(({ lot, amount }) => [lot.tradeId, String(amount)]),
      outcome.lotClosures.map(({ tradeId, amount }) => [tradeId, formatUnits(amount)]),
    );
    for (const [index, { pnl }] of closures.entries()) {
      const shown = exact(formatUnits(outcome.lotClosures[index]?.pnl ?? 0n, QUOTE_SCALE));
      if (TOLERANCE.isBelow(shown.minus(pnl).absolute))
        expectEqual(`result of closure ${index} of fill ${number}`, String(pnl), String(shown));
    }
    expectEqual(`open lots after fill ${number}`, openLotsOf(oracle), openLotsOfProduct(product));
    kinds.closures += closures.length;
    kinds.shorts += Number(oracle.net.isNegative);
    kinds.forced += Number(fill.isForced);
    if (differences.length > 0) break;
    if (!random.happens(0.3)) continue;
    // Funding is paid between this fill and the next one.
    const amount = random.between(-50, 50).toFixed(8);
    const parts = divideFunding(oracle, { amount: exact(amount), at: number * 10 + 5 });
    const weights = product.openLots.map((lot) => ({ lotId: lot.tradeId, weight: formatUnits(lot.amount) }));
    expectEqual(
      `funding after fill ${number}`,
      [...parts].map(([lot, part]) => [lot.tradeId, String(part)]),
      divideAmongLots(amount, weights).map((part) => [part.lotId, part.amount]),
    );
    const total = sum([...parts.values()]);
    if (parts.size > 0)
      expectEqual(`sum of the funding after fill ${number}`, String(total), String(exact(amount)));
    kinds.fundings += Number(parts.size > 1);
  }
  return { differences, kinds };
}

/**
 * Draws a fill: of the user, of a copy that enters or exits a lot of its leader, of the close of a lot, or of a liquidation,
 * which takes a part of the net position and belongs to no one.
 *
 * @param {import('../chaos/random.mjs').Random} random
 * @param {{ number: number, size: Fraction, oracle: LotBook }} day
 */
function drawFill(random, { number, size, oracle }) {
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

/** @param {any} fill */
const productFill = ({
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

/** @param {LotBook} book */
const openLotsOf = ({ lots }) =>
  lots
    .filter(({ open }) => open.isPositive)
    .map(({ tradeId, side, open, copierId, sourceTradeId }) => [
      tradeId,
      side,
      String(open),
      copierId ?? null,
      sourceTradeId ?? null,
    ]);

/** @param {ProductBook} book */
const openLotsOfProduct = ({ openLots }) =>
  openLots.map(({ tradeId, side, amount, copy }) => [
    tradeId,
    side,
    formatUnits(amount),
    copy?.copierId ?? null,
    copy?.lotTradeId ?? null,
  ]);

it(`signed lots, closures, results and funding are those of the oracle at any contract size (seeds from ${FIRST_SEED})`, () => {
  const days = Array.from({ length: DAYS * CONTRACT_SIZES.length }, (_, day) => playDay(FIRST_SEED + day));
  expect(days.flatMap(({ differences }) => differences)).toEqual([]);
  // Checks that the days contain what they shall compare.
  const counts = days.map(({ kinds }) => kinds);
  for (const kind of /** @type {const} */ (['closures', 'fundings', 'shorts', 'forced']))
    expect(counts.reduce((all, each) => all + each[kind], 0)).toBeGreaterThan(DAYS * CONTRACT_SIZES.length);
});
