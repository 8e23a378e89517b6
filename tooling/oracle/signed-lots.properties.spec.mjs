import { seeded } from '../chaos/random.mjs';
import { exact, sum } from './fraction.mjs';
import { LotBook } from './lots.mjs';
import { divideFunding } from './margins.mjs';
import { drawFill, productFill } from './random-fills.mjs';

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
