import { seeded } from '../chaos/random.mjs';
import { exact, sum } from './fraction.mjs';
import { LotBook } from './lots.mjs';
import { divideInterest } from './margins.mjs';
import { drawFill, productFill } from './random-fills.mjs';

/**
 * Random days of a margin account with four pairs, on which interest is charged. Only this test knows both sides: it divides the
 * same charges among the same lots with the product's pure rules and with the oracle.
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 */

const RULES = new URL('../../packages/core/src/trades/lots/', import.meta.url).pathname;
const { divideAmongLots, loanOwners, negated, valueAt } = await import(`${RULES}funding.rules.ts`);
const { formatUnits, LotBook: ProductBook, QUOTE_SCALE } = await import(`${RULES}lots.rules.ts`);

const SYMBOLS = ['ABC/USDT', 'XYZ/USDT', 'ABC/USDC', 'XYZ/ABC'];
const ASSETS = ['ABC', 'XYZ', 'USDT', 'USDC'];
const STEP = '0.001';
const FILLS = 80;
const DAYS = 60;
/** The product rounds the cost of a lot to 36 decimals, so that a part can differ by the last of 18 decimals. */
const TOLERANCE = exact('0.000000000000000002');
/** For other days, set ORACLE_SEED. */
const FIRST_SEED = Number(process.env.ORACLE_SEED ?? '1');

/** @param {string} symbol */
function bookOf(symbol) {
  const [base = '', quote = ''] = symbol.split('/');
  const pair = { symbol, base, step: exact(STEP), tick: exact('0.01'), settle: quote };
  const product = new ProductBook({ base, quote, amountStep: STEP, canBeShort: true });
  return { symbol, base, quote, oracle: new LotBook(pair), product };
}

/** The open lots of all pairs as the product reads them, in the order of opening. @param {readonly ReturnType<typeof bookOf>[]} books @param {ReadonlyMap<string, string>} prices */
function owingLots(books, prices) {
  return books
    .flatMap(({ symbol, base, quote, product }) =>
      product.openLots.map((/** @type {any} */ { tradeId, side, amount, value }) => ({
        ...{ lotId: tradeId, tradePairId: symbol, side, base, quote },
        openAmount: formatUnits(amount),
        openValue: formatUnits(value, QUOTE_SCALE),
        price: prices.get(symbol),
      })),
    )
    .sort((a, b) => numberOf(a.lotId) - numberOf(b.lotId));
}

const numberOf = (/** @type {string} */ tradeId) => Number(tradeId.replace('trade ', ''));

/** @param {any} charge @param {readonly any[]} lots @returns {{ lotId: string, amount: string }[]} */
function partsOfProduct({ asset, amount }, lots) {
  const owners = loanOwners(asset, lots, null);
  return owners === null ? [] : divideAmongLots(negated(valueAt(amount, owners.price)), owners.lots);
}

/** @param {number} seed */
function playDay(seed) {
  const random = seeded(seed);
  const books = SYMBOLS.map(bookOf);
  const prices = new Map(SYMBOLS.map((symbol) => [symbol, random.between(0.5, 200).toFixed(4)]));
  /** @type {string[]} */
  const differences = [];
  const kinds = { shorts: 0, longs: 0, shared: 0, unowed: 0 };
  for (let number = 1; number <= FILLS; number += 1) {
    const { oracle, product, quote } = random.pick(books);
    const drawn = drawFill(random, { number, size: exact(STEP), oracle });
    const fill = { ...drawn, fee: { ...drawn.fee, currency: quote } };
    oracle.book(fill);
    product.apply(productFill(fill, oracle));
    if (!random.happens(0.5)) continue;
    const charge = { asset: random.pick(ASSETS), amount: random.between(0.00000001, 3).toFixed(8) };
    const priceOf = (/** @type {string} */ symbol) => exact(prices.get(symbol) ?? '0');
    const amount = exact(charge.amount);
    const ours = divideInterest(
      books.map((each) => each.oracle),
      { ...charge, amount, priceOf },
    );
    const theirs = partsOfProduct(charge, owingLots(books, prices));
    const isEqual =
      theirs.length === ours.size &&
      [...ours].every(([{ tradeId }, part], index) => {
        const other = theirs[index];
        return other?.lotId === tradeId && !TOLERANCE.isBelow(exact(other.amount).minus(part).absolute);
      });
    const shown = [...ours].map(([{ tradeId }, part]) => `${tradeId} ${part}`);
    if (!isEqual)
      differences.push(
        `seed ${seed}, ${charge.amount} ${charge.asset} after fill ${number}: oracle ${shown}, product ${JSON.stringify(theirs)}`,
      );
    const [first] = ours.keys();
    kinds.unowed += Number(first === undefined);
    kinds.shared += Number(ours.size > 1);
    kinds.shorts += Number(first?.side === 'SELL');
    kinds.longs += Number(first?.side === 'BUY');
    const total = sum(theirs.map((part) => exact(part.amount)));
    if (first?.side === 'BUY' && total.plus(amount).compare(exact('0')) !== 0)
      differences.push(`seed ${seed}: the parts of ${charge.amount} ${charge.asset} add up to ${total}`);
  }
  return { differences, kinds };
}

it(`interest belongs to the lots that owe the loan, as the oracle says (seeds from ${FIRST_SEED})`, () => {
  const days = Array.from({ length: DAYS }, (_, day) => playDay(FIRST_SEED + day));
  expect(days.flatMap(({ differences }) => differences)).toEqual([]);
  // Checks that the days contain what they shall compare.
  const counts = days.map(({ kinds }) => kinds);
  for (const kind of /** @type {const} */ (['shorts', 'longs', 'shared', 'unowed']))
    expect(counts.reduce((all, each) => all + each[kind], 0)).toBeGreaterThan(DAYS / 2);
});
