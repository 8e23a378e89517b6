/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import fc from 'fast-check';
import { BigDecimal } from '../../values/index.js';
import {
  type FillOutcome,
  formatUnits,
  LotBook,
  type LotBookOptions,
  type LotFill,
  parseUnits,
  QUOTE_SCALE,
} from './lots.rules.js';
import { type GeneratedFill, generatedFills, modelHoldings } from './testing/naive-lot-model.js';

const SPOT: LotBookOptions = { base: 'BTC', quote: 'USDT', tradingType: 'spot', amountStep: '0' };
const MARGIN: LotBookOptions = { ...SPOT, tradingType: 'margin' };
const PERPETUAL: LotBookOptions = { ...SPOT, tradingType: 'perpetual' };
const T0 = Date.UTC(2026, 0, 1);

const fillOf = (overrides: Partial<LotFill> = {}): LotFill => ({
  id: `fill of ${overrides.tradeId ?? 'a'}`,
  tradeId: 'a',
  copy: undefined,
  side: 'BUY',
  price: '100',
  amount: '1',
  feeAmount: '0',
  feeCurrency: 'USDT',
  executedAt: new Date(T0),
  ...overrides,
});
const secondsAfterStart = (seconds: number) => new Date(T0 + seconds * 1_000);
const quote = (units: bigint) => new BigDecimal(units.toString()).div(new BigDecimal(10).pow(QUOTE_SCALE));
const formatQuote = (units: bigint) => quote(units).toString();
const pnlOf = (outcome: FillOutcome) =>
  outcome.lotClosures.map(({ tradeId, pnl }) => [tradeId, formatQuote(pnl)]);

describe('lots', () => {
  it('are closed oldest first, each at its cost', () => {
    const book = new LotBook(SPOT);
    book.apply(fillOf());
    book.apply(fillOf({ tradeId: 'b', price: '102' }));
    const sold = book.apply(fillOf({ tradeId: 'c', side: 'SELL', price: '110', amount: '1.5' }));
    expect(pnlOf(sold)).toEqual([
      ['a', '10'],
      ['b', '4'],
    ]);
    expect(book.openLots).toMatchObject([
      { tradeId: 'b', side: 'BUY', amount: 500_000_000_000_000_000n, value: 51n * 10n ** 36n },
    ]);
  });

  it('bear the fees of both sides: fees in base reduce the lot, and fees in quote reduce the profit', () => {
    const book = new LotBook(SPOT);
    const bought = book.apply(fillOf({ price: '99', feeAmount: '0.01', feeCurrency: 'BTC' }));
    expect(bought.opened).toEqual({
      lotId: 'fill of a',
      amount: 99n * 10n ** 16n,
      value: 99n * 10n ** 36n,
      filled: 10n ** 18n,
    });
    const sold = book.apply(
      fillOf({ tradeId: 'b', side: 'SELL', price: '110', amount: '0.99', feeAmount: '0.4' }),
    );
    expect(pnlOf(sold)).toEqual([['a', '9.5']]);
    expect(book.openLots).toEqual([]);
  });

  it('grow by a rebate, which is a negative fee', () => {
    const book = new LotBook(SPOT);
    book.apply(fillOf({ feeAmount: '-0.25', feeCurrency: 'BTC' }));
    expect(book.openLots).toMatchObject([{ amount: 1_250_000_000_000_000_000n, value: 100n * 10n ** 36n }]);
    const sold = book.apply(fillOf({ tradeId: 'b', side: 'SELL', amount: '1.25', feeAmount: '-0.5' }));
    expect(pnlOf(sold)).toEqual([['a', '25.5']]);
  });

  it('are closed first by an order that closes them, also if they are copies; the excess closes other lots', () => {
    const book = new LotBook(SPOT);
    const copy = { copierId: 'c', lotTradeId: 'led' };
    book.apply(fillOf());
    book.apply(fillOf({ tradeId: 'b', price: '102' }));
    book.apply(fillOf({ tradeId: 'copied', price: '104', copy }));
    const closesLotId = 'fill of copied';
    const sold = book.apply(fillOf({ tradeId: 'd', side: 'SELL', price: '110', amount: '0.5', closesLotId }));
    expect(sold.lotClosures).toMatchObject([{ tradeId: 'copied', detaches: true }]);
    expect(pnlOf(sold)).toEqual([['copied', '3']]);
    const rest = book.apply(fillOf({ tradeId: 'e', side: 'SELL', price: '110', closesLotId }));
    expect(pnlOf(rest)).toEqual([
      ['copied', '3'],
      ['a', '5'],
    ]);
    const gone = book.apply(
      fillOf({ tradeId: 'f', side: 'SELL', price: '110', amount: '0.25', closesLotId }),
    );
    expect(pnlOf(gone)).toEqual([['a', '2.5']]);
  });

  it('are not changed by a fee in a third asset whose value is unknown', () => {
    const book = new LotBook(SPOT);
    book.apply(fillOf({ feeAmount: '0.5', feeCurrency: 'BNB', feeValue: null }));
    expect(book.openLots).toMatchObject([{ amount: 10n ** 18n, value: 100n * 10n ** 36n }]);
  });

  it('bear the value of fees in a third asset, on both sides', () => {
    const book = new LotBook(SPOT);
    book.apply(fillOf({ feeAmount: '0.01', feeCurrency: 'BNB', feeValue: '6' }));
    expect(book.openLots).toMatchObject([{ amount: 10n ** 18n, value: 106n * 10n ** 36n }]);
    const fee = { feeAmount: '0.01', feeCurrency: 'BNB', feeValue: '6.5' };
    const sold = book.apply(fillOf({ tradeId: 'b', side: 'SELL', price: '110', ...fee }));
    // 110 less 6.5, less the cost of 106.
    expect(pnlOf(sold)).toEqual([['a', '-2.5']]);
  });

  it('are closed by a spot sale that exceeds them; the excess is unmatched and opens no short lot', () => {
    const book = new LotBook(SPOT);
    book.apply(fillOf());
    const sold = book.apply(fillOf({ tradeId: 'b', side: 'SELL', price: '110', amount: '3' }));
    expect(pnlOf(sold)).toEqual([['a', '10']]);
    expect(sold.unmatched).toBe(2n * 10n ** 18n);
    expect(book.openLots).toEqual([]);
  });

  it('reverse if a sale exceeds them and short lots are possible', () => {
    const book = new LotBook(PERPETUAL);
    book.apply(fillOf());
    book.apply(fillOf({ tradeId: 'b', side: 'SELL', price: '110', amount: '3', feeAmount: '3' }));
    expect(book.openLots).toMatchObject([{ tradeId: 'b', side: 'SELL' }]);
    const back = book.apply(fillOf({ tradeId: 'c', price: '100', amount: '2' }));
    // Two units sold at 110 each, less a fee of 1 each, and bought back at 100 each.
    expect(pnlOf(back)).toEqual([['b', '18']]);
    expect(book.openLots).toEqual([]);
  });

  it('of a perpetual keep their amount when the fee is paid in base currency, and bear its value', () => {
    const book = new LotBook(PERPETUAL);
    const fee = { feeAmount: '0.01', feeCurrency: 'BTC' };
    book.apply(fillOf(fee));
    expect(book.openLots).toMatchObject([{ amount: 10n ** 18n, value: 101n * 10n ** 36n }]);
    const sold = book.apply(fillOf({ tradeId: 'b', side: 'SELL', price: '110', ...fee }));
    // 110 less 1.1, less the cost of 101. No short lot remains.
    expect(pnlOf(sold)).toEqual([['a', '7.9']]);
    expect([sold.opened, book.openLots]).toEqual([null, []]);
  });

  it('reject a fill that was executed before a booked fill', () => {
    const book = new LotBook(SPOT);
    book.apply(fillOf({ executedAt: secondsAfterStart(1) }));
    expect(() => book.apply(fillOf())).toThrow(RangeError);
  });

  it('do not become negative through a fee that exceeds the bought amount', () => {
    const book = new LotBook(SPOT);
    book.apply(fillOf({ feeAmount: '5', feeCurrency: 'BTC' }));
    expect(book.openLots).toEqual([]);
    expect(book.apply(fillOf({ tradeId: 'b', side: 'SELL' })).unmatched).toBe(10n ** 18n);
  });
});

describe('dust', () => {
  const options = { ...SPOT, amountStep: '0.1' };
  const buy = (overrides: Partial<LotFill> = {}) =>
    fillOf({ feeAmount: '0.04', feeCurrency: 'BTC', ...overrides });
  const sell = (amount: string, overrides: Partial<LotFill> = {}) =>
    fillOf({ tradeId: 's', side: 'SELL', amount, executedAt: secondsAfterStart(9), ...overrides });

  it('row 15: does not keep a lot open; a sale that leaves only dust closes the lot with all its remaining cost', () => {
    const book = new LotBook(options);
    book.apply(buy());
    expect(book.apply(sell('0.5')).lotClosures).toMatchObject([{ amount: 5n * 10n ** 17n }]);
    const outcome = book.apply(sell('0.4'));
    expect(outcome.lotClosures).toMatchObject([{ lotId: 'fill of a', amount: 46n * 10n ** 16n }]);
    // The lot of 0.96 cost 100. Selling 0.5 closed 52.08333… of that. The sale for 40 closes the other 47.91666….
    expect(formatQuote(outcome.lotClosures[0]!.entryValue).slice(0, 8)).toBe('47.91666');
    expect(formatQuote(outcome.lotClosures[0]!.pnl).slice(0, 8)).toBe('-7.91666');
    expect(outcome.unmatched).toBe(0n);
    expect(book.openLots).toEqual([]);
  });

  it('in several lots is closed with the last sale if its sum is too small to be sold', () => {
    const book = new LotBook(options);
    book.apply(buy());
    book.apply(buy({ tradeId: 'b', executedAt: secondsAfterStart(1) }));
    expect(book.apply(sell('0.9')).lotClosures).toHaveLength(1);
    expect(book.openLots).toMatchObject([{ tradeId: 'a', amount: 6n * 10n ** 16n }, { tradeId: 'b' }]);
    expect(book.apply(sell('1')).lotClosures.map(({ tradeId }) => tradeId)).toEqual(['a', 'b']);
    expect(book.openLots).toEqual([]);
  });

  it('of a copy is closed with the copy, even if the copier holds other copies', () => {
    const book = new LotBook(options);
    const copy = (lotTradeId: string) => ({ copierId: 'c', lotTradeId });
    book.apply(buy({ copy: copy('x') }));
    book.apply(buy({ tradeId: 'b', copy: copy('y') }));
    book.apply(sell('0.9', { copy: copy('x') }));
    expect(book.openLots).toMatchObject([{ tradeId: 'b', amount: 96n * 10n ** 16n }]);
  });

  it('is sold if the sale is large enough to include it', () => {
    const book = new LotBook(options);
    book.apply(buy({ amount: '0.99' }));
    book.apply(buy({ amount: '0.09', tradeId: 'b', executedAt: secondsAfterStart(1) }));
    const { lotClosures } = book.apply(sell('1'));
    expect(lotClosures).toMatchObject([{ tradeId: 'a' }, { tradeId: 'b', amount: 5n * 10n ** 16n }]);
    expect(lotClosures.map(({ pnl }) => formatQuote(pnl))).toEqual(['-4', '-4']);
  });

  it('of a long lot is closed on margin as on spot', () => {
    const book = new LotBook({ ...options, tradingType: 'margin' });
    book.apply(buy());
    expect(book.apply(sell('0.9')).lotClosures).toMatchObject([{ amount: 96n * 10n ** 16n }]);
    expect(book.openLots).toEqual([]);
  });

  it('of a short lot stays, because it is owed', () => {
    const book = new LotBook({ ...options, tradingType: 'margin' });
    book.apply(sell('1', { executedAt: secondsAfterStart(0) }));
    book.apply(buy({ executedAt: secondsAfterStart(1) }));
    expect(book.openLots).toMatchObject([{ side: 'SELL', amount: 4n * 10n ** 16n }]);
  });

  it('does not exist on a perpetual, where an open amount is a position', () => {
    const book = new LotBook({ ...options, tradingType: 'perpetual' });
    book.apply(buy({ amount: '0.96', feeCurrency: 'USDT' }));
    book.apply(sell('0.9'));
    expect(book.openLots).toMatchObject([{ amount: 6n * 10n ** 16n }]);
  });
});

describe('an entry of a copy where lots may be short', () => {
  const copy = (lotTradeId: string) => ({ copierId: 'c', lotTradeId });

  it('closes no other lot of its copier, as an exit does', () => {
    const book = new LotBook(PERPETUAL);
    book.apply(fillOf({ id: '1', tradeId: 'long', copy: copy('first'), amount: '5' }));
    const entry = { copy: copy('second'), side: 'SELL', amount: '3' } as const;
    expect(book.apply(fillOf({ id: '2', tradeId: 'short', ...entry, opensOnly: true })).lotClosures).toEqual(
      [],
    );
    expect(book.openLots.map(({ tradeId, side }) => [tradeId, side])).toEqual([
      ['long', 'BUY'],
      ['short', 'SELL'],
    ]);
    const exit = { copy: copy('first'), side: 'SELL', amount: '5' } as const;
    expect(book.apply(fillOf({ id: '3', tradeId: 'exit', ...exit })).lotClosures).toHaveLength(1);
    expect(book.openLots.map(({ tradeId }) => tradeId)).toEqual(['short']);
  });
});

describe('an exit of a copy that exceeds its lot', () => {
  const copy = { copierId: 'c', lotTradeId: 'first' };
  const exit = { id: '2', tradeId: 'exit', copy, side: 'SELL', amount: '5' } as const;

  it('opens a lot of the copier that is no part of the copied lot', () => {
    const book = new LotBook(PERPETUAL);
    book.apply(fillOf({ id: '1', tradeId: 'long', copy, amount: '3', opensOnly: true }));
    book.apply(fillOf(exit));
    expect(book.openLots).toMatchObject([
      { tradeId: 'exit', side: 'SELL', amount: parseUnits('2'), copy: { copierId: 'c', lotTradeId: 'exit' } },
    ]);
    // A late entry of the copied lot is on the other side, in a list of its own.
    book.apply(fillOf({ id: '3', tradeId: 'more', copy, amount: '1', opensOnly: true }));
    expect(book.openLots).toMatchObject([{ side: 'SELL' }, { side: 'BUY', copy }]);
  });

  it('is unmatched where lots cannot be short', () => {
    expect(new LotBook(SPOT).apply(fillOf(exit))).toMatchObject({ opened: null });
  });
});

/** Fills with integer amounts, so that each unit can be counted. */
const fills = fc
  .array(
    fc.record({
      side: fc.constantFrom('BUY' as const, 'SELL' as const),
      amount: fc.integer({ min: 1, max: 9 }),
      price: fc.integer({ min: 1, max: 1_000 }),
      fee: fc.integer({ min: -3, max: 30 }),
      feeCurrency: fc.constantFrom('USDT', 'BNB'),
      gap: fc.integer({ min: 0, max: 2 }),
    }),
    { maxLength: 60 },
  )
  .map((drawn) => {
    let seconds = 0;
    return drawn.map(({ side, amount, price, fee, feeCurrency, gap }, index) => {
      seconds += gap;
      return fillOf({
        tradeId: `t${index}`,
        id: `f${index}`,
        side,
        amount: String(amount),
        price: String(price),
        feeAmount: String(fee),
        feeCurrency,
        executedAt: secondsAfterStart(seconds),
      });
    });
  });

/** A naive first-in-first-out model that counts single units of base. */
function countUnits(all: readonly LotFill[], { tradingType }: LotBookOptions) {
  const long: BigDecimal[] = [];
  const short: BigDecimal[] = [];
  const steps = all.map(({ side, price, amount, feeAmount, feeCurrency }) => {
    const fee = feeCurrency === 'USDT' ? new BigDecimal(feeAmount).div(amount) : new BigDecimal(0);
    const value = side === 'BUY' ? new BigDecimal(price).plus(fee) : new BigDecimal(price).minus(fee);
    let pnl = new BigDecimal(0);
    let unmatched = 0;
    for (let unit = 0; unit < Number(amount); unit++) {
      const other = (side === 'BUY' ? short : long).shift();
      if (other !== undefined) pnl = pnl.plus(side === 'BUY' ? other.minus(value) : value.minus(other));
      else if (side === 'BUY') long.push(value);
      else if (tradingType !== 'spot') short.push(value);
      else unmatched += 1;
    }
    return { pnl, unmatched };
  });
  return { steps, net: long.length - short.length };
}

describe.each([
  ['on spot', SPOT],
  ['if short lots are possible', PERPETUAL],
])('any run of fills %s', (_name, options) => {
  it('leads to the same results as counting every unit', () => {
    fc.assert(
      fc.property(fills, (all) => {
        const book = new LotBook(options);
        const naive = countUnits(all, options);
        all.forEach((fill, index) => {
          const outcome = book.apply(fill);
          const pnl = outcome.lotClosures.reduce((sum, part) => sum + part.pnl, 0n);
          const expected = naive.steps[index]!;
          expect(quote(pnl).minus(expected.pnl).abs().lt('1e-30')).toBe(true);
          expect(outcome.unmatched).toBe(BigInt(expected.unmatched) * 10n ** 18n);
        });
        const net = book.openLots.reduce(
          (sum, { side, amount }) => sum + (side === 'BUY' ? amount : -amount),
          0n,
        );
        expect(net).toBe(BigInt(naive.net) * 10n ** 18n);
      }),
    );
  });

  it('leaves lots above zero, all on one side, whose sum is the amount bought less the amount sold', () => {
    fc.assert(
      fc.property(fills, (all) => {
        const book = new LotBook(options);
        let net = 0n;
        for (const fill of all) {
          const { unmatched } = book.apply(fill);
          net += BigInt(fill.amount) * 10n ** 18n * (fill.side === 'BUY' ? 1n : -1n) + unmatched;
          const lots = book.openLots;
          expect(lots.every(({ amount }) => amount > 0n)).toBe(true);
          expect(new Set(lots.map(({ side }) => side)).size).toBeLessThan(2);
          const held = lots.reduce((sum, { amount }) => sum + amount, 0n);
          expect(held).toBe(net < 0n ? -net : net);
        }
      }),
    );
  });

  it('conserves value to the last unit: the realised results equal the cost of the open lots less all net payments', () => {
    fc.assert(
      fc.property(fills, (all) => {
        // Short lots are possible here even on spot, because the payment for an unmatched sale belongs to no lot.
        const book = new LotBook({ ...options, tradingType: 'perpetual' });
        let paid = 0n;
        let realised = 0n;
        for (const fill of all) {
          const { lotClosures } = book.apply(fill);
          const sign = fill.side === 'BUY' ? 1n : -1n;
          const fee = fill.feeCurrency === 'USDT' ? BigInt(fill.feeAmount) : 0n;
          paid += (sign * BigInt(fill.price) * BigInt(fill.amount) + fee) * 10n ** 36n;
          realised += lotClosures.reduce((sum, { pnl }) => sum + pnl, 0n);
        }
        const held = book.openLots.reduce(
          (sum, { side, value }) => sum + (side === 'BUY' ? value : -value),
          0n,
        );
        expect(realised).toBe(held - paid);
      }),
    );
  });
});

const copyFill = (
  { side, amount, price, baseFee, copier, source, second }: GeneratedFill,
  index: number,
): LotFill =>
  fillOf({
    tradeId: `t${index}`,
    id: `f${index}`,
    side,
    amount: String(amount),
    price: String(price),
    feeAmount: String(side === 'BUY' ? baseFee : 0),
    feeCurrency: 'BTC',
    executedAt: secondsAfterStart(second),
    copy: copier < 0 ? undefined : { copierId: String(copier), lotTradeId: String(source) },
  });

describe('copies', () => {
  const a = { copierId: 'a', lotTradeId: 'l' };
  const b = { copierId: 'b', lotTradeId: 'l' };

  it('rule 18: sell only lots of their own copier, even if several copiers use one account', () => {
    const book = new LotBook(SPOT);
    book.apply(fillOf({ tradeId: '1', copy: a }));
    book.apply(fillOf({ tradeId: '2', copy: b }));
    const sold = book.apply(fillOf({ tradeId: '3', copy: b, side: 'SELL', amount: '2' }));
    expect(sold.lotClosures).toMatchObject([{ tradeId: '2', detaches: false }]);
    expect(sold.unmatched).toBe(10n ** 18n);
    expect(book.openLots).toMatchObject([{ tradeId: '1', copy: a }]);
  });

  it('rule 13: are closed and detached by a manual sale, oldest first, after all other lots of the account', () => {
    const book = new LotBook(SPOT);
    book.apply(fillOf({ tradeId: '1', copy: b }));
    book.apply(fillOf({ tradeId: '2', copy: a }));
    book.apply(fillOf({ tradeId: '3' }));
    const sold = book.apply(fillOf({ tradeId: '4', side: 'SELL', amount: '2.5' }));
    expect(sold.lotClosures.map(({ tradeId, detaches }) => [tradeId, detaches])).toEqual([
      ['3', false],
      ['1', true],
      ['2', true],
    ]);
  });

  it('of an exit whose lot is already closed close other lots of their copier, without detaching them', () => {
    const book = new LotBook(SPOT);
    const other = { copierId: 'a', lotTradeId: 'm' };
    book.apply(fillOf({ tradeId: '1', copy: other }));
    const sold = book.apply(fillOf({ tradeId: '2', copy: a, side: 'SELL' }));
    expect(sold.lotClosures).toMatchObject([{ tradeId: '1', detaches: false }]);
  });

  it('reverse lot by lot if short lots are possible', () => {
    const book = new LotBook(PERPETUAL);
    book.apply(fillOf({ tradeId: '1', copy: a, side: 'SELL' }));
    book.apply(fillOf({ tradeId: '2', copy: b, side: 'BUY' }));
    expect(book.openLots).toMatchObject([
      { tradeId: '1', side: 'SELL' },
      { tradeId: '2', side: 'BUY' },
    ]);
    const reversal = book.apply(fillOf({ tradeId: '3', copy: a, side: 'BUY', amount: '3' }));
    expect(reversal).toMatchObject({ lotClosures: [{ tradeId: '1' }], opened: { amount: 2n * 10n ** 18n } });
  });

  it('and all other lots match the naive model', () => {
    fc.assert(
      fc.property(generatedFills(60), (drawn) => {
        const book = new LotBook(SPOT);
        let unmatched = 0n;
        drawn.forEach((fill, index) => {
          unmatched += book.apply(copyFill(fill, index)).unmatched;
        });
        const held = new Map<string, number>();
        for (const { copy, amount } of book.openLots) {
          expect(amount > 0n).toBe(true);
          const owner = copy === undefined ? 'own' : `${copy.copierId}/${copy.lotTradeId}`;
          held.set(owner, (held.get(owner) ?? 0) + Number(amount / 10n ** 18n));
        }
        const counted = modelHoldings(drawn);
        expect(held).toEqual(counted.held);
        expect(unmatched).toBe(BigInt(counted.unmatched) * 10n ** 18n);
      }),
    );
  });

  it.each([
    ['on spot', SPOT],
    ['if short lots are possible', PERPETUAL],
  ])('continue from stored lots with the same results as an uninterrupted book, %s', (_name, options) => {
    fc.assert(
      fc.property(generatedFills(40), fc.nat(), (drawn, cut) => {
        const all = drawn.map(copyFill);
        const at = cut % (all.length + 1);
        const uninterrupted = new LotBook(options);
        const interrupted = new LotBook(options);
        for (const fill of all.slice(0, at)) {
          uninterrupted.apply(fill);
          interrupted.apply(fill);
        }
        const continued = new LotBook(options, interrupted.openLots);
        for (const fill of all.slice(at)) {
          expect(continued.apply(fill)).toEqual(uninterrupted.apply(fill));
        }
        expect(continued.openLots).toEqual(uninterrupted.openLots);
      }),
    );
  });
});

describe('units', () => {
  it.each([
    ['1.5', 18, 15n * 10n ** 17n],
    ['2', 2, 200n],
    ['2.5', 2, 250n],
    ['0.05', 2, 5n],
    ['-0.05', 2, -5n],
    ['-3', 1, -30n],
    ['0', 18, 0n],
  ])('%s with %i decimals is %p, and back', (text, scale, units) => {
    expect(parseUnits(text, scale)).toBe(units);
    expect(formatUnits(units, scale)).toBe(text);
  });

  it('have 18 decimals by default, and are written without trailing zeros', () => {
    expect(parseUnits('1')).toBe(10n ** 18n);
    expect(formatUnits(10n ** 18n)).toBe('1');
    expect(formatUnits(-1n)).toBe('-0.000000000000000001');
    expect(formatUnits(1_200n, 3)).toBe('1.2');
  });
});

describe('the order of execution', () => {
  const at = (seconds: number) => fillOf({ id: `f${seconds}`, executedAt: secondsAfterStart(seconds) });

  it('permits fills of one instant, but none before a booked one', () => {
    const book = new LotBook(SPOT);
    book.apply(at(5));
    book.apply({ ...at(5), id: 'same' });
    expect(() => book.apply(at(4))).toThrow(
      new RangeError(
        'fills must be in order of execution; got 2026-01-01T00:00:04.000Z after 2026-01-01T00:00:05.000Z',
      ),
    );
    expect(book.openLots.map(({ lotId }) => lotId)).toEqual(['f5', 'same']);
  });
});

describe('the order of closing', () => {
  const copy = (copierId: string, lotTradeId: string) => ({ copierId, lotTradeId });
  const sell = (overrides: Partial<LotFill>) =>
    fillOf({ id: 'sale', tradeId: 'sale', side: 'SELL', ...overrides });

  it('of copies by a manual sale is that of opening, whichever copier opened first', () => {
    const book = new LotBook(SPOT);
    book.apply(fillOf({ tradeId: '1', copy: copy('a', 'x') }));
    book.apply(fillOf({ tradeId: '2', copy: copy('b', 'x') }));
    book.apply(fillOf({ tradeId: '3', copy: copy('a', 'x') }));
    const sold = book.apply(sell({ amount: '3' }));
    expect(sold.lotClosures.map(({ tradeId }) => tradeId)).toEqual(['1', '2', '3']);
    expect(book.openLots).toEqual([]);
    expect(book.apply(sell({ amount: '1' })).unmatched).toBe(10n ** 18n);
  });

  it('of other lots of a copier is that of opening, and never reaches another copier', () => {
    const book = new LotBook(SPOT);
    book.apply(fillOf({ tradeId: '1', copy: copy('b', 'x') }));
    book.apply(fillOf({ tradeId: '2', copy: copy('a', 'y') }));
    book.apply(fillOf({ tradeId: '3', copy: copy('a', 'z') }));
    book.apply(fillOf({ tradeId: '4' }));
    const sold = book.apply(sell({ amount: '5', copy: copy('a', 'none') }));
    expect(sold.lotClosures.map(({ tradeId }) => tradeId)).toEqual(['2', '3']);
    expect(book.openLots.map(({ tradeId }) => tradeId)).toEqual(['1', '4']);
  });

  it('of a chosen lot in the middle leaves the lots around it', () => {
    const book = new LotBook(SPOT);
    for (const id of ['1', '2', '3']) book.apply(fillOf({ id, tradeId: id }));
    const sold = book.apply(sell({ closesLotId: '2', amount: '1' }));
    expect(sold.lotClosures).toMatchObject([{ lotId: '2', amount: 10n ** 18n }]);
    expect(book.openLots.map(({ lotId }) => lotId)).toEqual(['1', '3']);
    const rest = book.apply(sell({ closesLotId: '2', amount: '2' }));
    expect(rest.lotClosures.map(({ lotId }) => lotId)).toEqual(['1', '3']);
  });

  it('does not apply to a chosen lot on the side of the fill', () => {
    const book = new LotBook(PERPETUAL);
    book.apply(fillOf({ id: '1', tradeId: '1' }));
    const bought = book.apply(fillOf({ id: '2', tradeId: '2', closesLotId: '1' }));
    expect(bought).toMatchObject({ lotClosures: [], opened: { lotId: '2', amount: 10n ** 18n } });
  });

  it('of a chosen lot closes its dust too, but not on a perpetual', () => {
    const close = (options: LotBookOptions, amount: string) => {
      const book = new LotBook({ ...options, amountStep: '0.1' });
      book.apply(fillOf({ id: '1', tradeId: '1' }));
      book.apply(fillOf({ id: '2', tradeId: '2' }));
      return book.apply(sell({ closesLotId: '2', amount, price: '110' }));
    };
    expect(close(SPOT, '0.95').lotClosures).toMatchObject([
      { lotId: '2', amount: 10n ** 18n, entryValue: 100n * 10n ** 36n, pnl: 45n * 10n ** 35n },
    ]);
    expect(close(SPOT, '0.9').lotClosures).toMatchObject([{ lotId: '2', amount: 9n * 10n ** 17n }]);
    expect(close(MARGIN, '0.95').lotClosures).toMatchObject([{ lotId: '2', amount: 10n ** 18n }]);
    expect(close(PERPETUAL, '0.95').lotClosures).toMatchObject([{ lotId: '2', amount: 95n * 10n ** 16n }]);
  });

  it('of a chosen lot also closes the dust of other lots, if nothing else of their owner remains', () => {
    const book = new LotBook({ ...SPOT, amountStep: '0.1' });
    book.apply(fillOf({ id: '1', tradeId: '1', amount: '0.06' }));
    book.apply(fillOf({ id: '2', tradeId: '2' }));
    expect(book.apply(sell({ closesLotId: '2' })).lotClosures.map(({ lotId }) => lotId)).toEqual(['2', '1']);
    expect(book.openLots).toEqual([]);
  });

  it('beyond a chosen lot sells the dust of other lots instead of closing it without proceeds', () => {
    const book = new LotBook({ ...SPOT, amountStep: '0.1' });
    book.apply(fillOf({ id: '1', tradeId: '1', amount: '0.06' }));
    book.apply(fillOf({ id: '2', tradeId: '2' }));
    const sold = book.apply(sell({ closesLotId: '2', amount: '1.06' }));
    expect(sold).toMatchObject({ lotClosures: [{ pnl: 0n }, { pnl: 0n }], unmatched: 0n });
  });

  it('of a chosen lot that was closed before continues with the others', () => {
    const book = new LotBook(SPOT);
    for (const id of ['1', '2']) book.apply(fillOf({ id, tradeId: id }));
    book.apply(sell({ closesLotId: '1' }));
    expect(book.apply(sell({ closesLotId: '1', amount: '0.5' })).lotClosures).toMatchObject([
      { lotId: '2', amount: 5n * 10n ** 17n },
    ]);
  });

  it('of a chosen lot that is sold completely leaves the others, even with an amount step', () => {
    const book = new LotBook({ ...SPOT, amountStep: '0.1' });
    for (const id of ['1', '2', '3']) book.apply(fillOf({ id, tradeId: id }));
    expect(book.apply(sell({ closesLotId: '2' })).lotClosures).toHaveLength(1);
    expect(book.openLots.map(({ lotId }) => lotId)).toEqual(['1', '3']);
  });

  it('of a chosen lot by a fill whose fee takes all of it closes nothing', () => {
    const book = new LotBook(MARGIN);
    book.apply(fillOf({ id: 'short', tradeId: 'short', side: 'SELL' }));
    const bought = book.apply(fillOf({ feeAmount: '1', feeCurrency: 'BTC', closesLotId: 'short' }));
    expect(bought).toEqual({ lotClosures: [], opened: null, unmatched: 0n });
  });

  it('leaves exactly one amount step open, because it can be sold', () => {
    const book = new LotBook({ ...SPOT, amountStep: '0.1' });
    book.apply(fillOf());
    book.apply(sell({ amount: '0.9' }));
    expect(book.openLots).toMatchObject([{ amount: 10n ** 17n }]);
  });

  it('of more than eight lots with dust leaves the dust', () => {
    const left = (count: number) => {
      const book = new LotBook({ ...SPOT, amountStep: '0.1' });
      book.apply(fillOf({ id: 'first', tradeId: 'first' }));
      for (let n = 0; n < count; n++) book.apply(fillOf({ id: `d${n}`, tradeId: `d${n}`, amount: '0.001' }));
      book.apply(sell({ amount: '1' }));
      return book.openLots.length;
    };
    expect([left(1), left(8), left(9)]).toEqual([0, 0, 9]);
  });

  it('of many lots is the same after thousands of sales', () => {
    const book = new LotBook(SPOT);
    for (let n = 0; n < 2_500; n++) book.apply(fillOf({ id: `l${n}`, tradeId: `l${n}` }));
    for (let n = 0; n < 1_400; n++)
      expect(book.apply(sell({})).lotClosures.map(({ lotId }) => lotId)).toEqual([`l${n}`]);
    expect(book.openLots).toHaveLength(1_100);
    expect(book.openLots[0]).toMatchObject({ lotId: 'l1400' });
    expect(book.apply(sell({ closesLotId: 'l3' })).lotClosures).toMatchObject([{ lotId: 'l1400' }]);
    expect(book.apply(sell({ closesLotId: 'l2000' })).lotClosures).toMatchObject([{ lotId: 'l2000' }]);
  });
});

describe('what a fill opens', () => {
  it('is the rest of a reversal, at its share of the value', () => {
    const book = new LotBook(PERPETUAL);
    book.apply(fillOf({ amount: '1' }));
    const reversal = book.apply(
      fillOf({ id: 'r', tradeId: 'r', side: 'SELL', amount: '4', price: '120', feeAmount: '4' }),
    );
    expect(reversal).toMatchObject({
      lotClosures: [{ pnl: 19n * 10n ** 36n }],
      opened: { lotId: 'r', amount: 3n * 10n ** 18n, value: 357n * 10n ** 36n, filled: 3n * 10n ** 18n },
      unmatched: 0n,
    });
    const bought = book.apply(fillOf({ id: 'b', tradeId: 'b', amount: '3', price: '100', feeAmount: '3' }));
    expect(bought.lotClosures).toMatchObject([{ lotId: 'r', pnl: 54n * 10n ** 36n }]);
  });

  it('is nothing if a fee in base exceeds the bought amount', () => {
    const book = new LotBook(SPOT);
    for (const feeAmount of ['1', '2'])
      expect(book.apply(fillOf({ feeAmount, feeCurrency: 'BTC' }))).toEqual({
        lotClosures: [],
        opened: null,
        unmatched: 0n,
      });
  });

  it('by a sale with a fee in base is larger by the fee', () => {
    const book = new LotBook(MARGIN);
    const opened = book.apply(fillOf({ side: 'SELL', feeAmount: '0.5', feeCurrency: 'BTC' }));
    expect(opened.opened).toMatchObject({ amount: 15n * 10n ** 17n, filled: 10n ** 18n });
  });
});
