import fc from 'fast-check';
import { Exact } from '../decimal-arithmetic.js';
import { type FillOutcome, LotBook, type LotFill, QUOTE_SCALE } from './lots.rules.js';

const SPOT = { base: 'BTC', quote: 'USDT', canBeShort: false };
const PERPETUAL = { ...SPOT, canBeShort: true };
const T0 = Date.UTC(2026, 0, 1);

const fillOf = (more: Partial<LotFill> = {}): LotFill => ({
  tradeId: 'a',
  exchangeFillId: '1',
  side: 'BUY',
  price: '100',
  amount: '1',
  feeAmount: '0',
  feeCurrency: 'USDT',
  executedAt: new Date(T0),
  tradeFilledAmount: more.amount ?? '1',
  hasTradeEnded: true,
  ...more,
});
const later = (seconds: number) => new Date(T0 + seconds * 1_000);
const quote = (units: bigint) => new Exact(units.toString()).div(new Exact(10).pow(QUOTE_SCALE));
const quoteText = (units: bigint) => quote(units).toString();
const pnlOf = (outcome: FillOutcome | null) =>
  outcome?.parts.map(({ tradeId, pnl }) => [tradeId, quoteText(pnl)]);

describe('lots', () => {
  it('are closed oldest first, each with what it cost', () => {
    const book = new LotBook(SPOT);
    book.apply(fillOf());
    book.apply(fillOf({ tradeId: 'b', price: '102' }));
    const sold = book.apply(fillOf({ tradeId: 'c', side: 'SELL', price: '110', amount: '1.5' }));
    expect(pnlOf(sold)).toEqual([
      ['a', '10'],
      ['b', '4'],
    ]);
    expect(sold?.closedTrades.map(({ tradeId }) => tradeId)).toEqual(['a']);
    expect(book.openLots).toMatchObject([
      { tradeId: 'b', side: 'BUY', amount: 500_000_000_000_000_000n, value: 51n * 10n ** 36n },
    ]);
  });

  it('bear the fees of both sides: those in base lessen the lot, those in quote the result', () => {
    const book = new LotBook(SPOT);
    const bought = book.apply(fillOf({ price: '99', feeAmount: '0.01', feeCurrency: 'BTC' }));
    expect(quoteText(bought?.fee ?? 0n)).toBe('0.99');
    const sold = book.apply(
      fillOf({ tradeId: 'b', side: 'SELL', price: '110', amount: '0.99', feeAmount: '0.4' }),
    );
    expect(pnlOf(sold)).toEqual([['a', '9.5']]);
    expect(book.openLots).toEqual([]);
  });

  it('take a rebate for what it is: a fee below zero', () => {
    const book = new LotBook(SPOT);
    book.apply(fillOf({ feeAmount: '-0.25', feeCurrency: 'BTC' }));
    expect(book.openLots).toMatchObject([{ amount: 1_250_000_000_000_000_000n, value: 100n * 10n ** 36n }]);
    const sold = book.apply(fillOf({ tradeId: 'b', side: 'SELL', amount: '1.25', feeAmount: '-0.5' }));
    expect(pnlOf(sold)).toEqual([['a', '25.5']]);
    expect(quoteText(sold?.fee ?? 0n)).toBe('-0.5');
  });

  it('leave a fee in a third currency out of every value, and tell what was paid', () => {
    const book = new LotBook(SPOT);
    const bought = book.apply(fillOf({ feeAmount: '0.5', feeCurrency: 'BNB' }));
    expect(bought).toMatchObject({ fee: null, feePaid: 500_000_000_000_000_000n });
    expect(quoteText(book.openLots[0]?.value ?? 0n)).toBe('100');
  });

  it('are not opened by a spot sale without one: what exceeds them is unmatched', () => {
    const book = new LotBook(SPOT);
    book.apply(fillOf());
    const sold = book.apply(fillOf({ tradeId: 'b', side: 'SELL', price: '110', amount: '3' }));
    expect(pnlOf(sold)).toEqual([['a', '10']]);
    expect(sold?.unmatched).toBe(2n * 10n ** 18n);
    expect(book.openLots).toEqual([]);
  });

  it('turn over where a sale exceeds them and short ones can be held', () => {
    const book = new LotBook(PERPETUAL);
    book.apply(fillOf());
    book.apply(fillOf({ tradeId: 'b', side: 'SELL', price: '110', amount: '3', feeAmount: '3' }));
    expect(book.openLots).toMatchObject([{ tradeId: 'b', side: 'SELL' }]);
    const back = book.apply(fillOf({ tradeId: 'c', price: '100', amount: '2' }));
    // Sold at 110 less a fee of 1 each, bought back at 100.
    expect(pnlOf(back)).toEqual([['b', '18']]);
    expect(back?.closedTrades).toMatchObject([{ tradeId: 'b', pnl: 18n * 10n ** 36n }]);
  });

  it('close their trade only once it has ended and all of its fills were seen', () => {
    const book = new LotBook(SPOT);
    const part = { tradeFilledAmount: '2', hasTradeEnded: true };
    book.apply(fillOf({ ...part, exchangeFillId: '1' }));
    const early = book.apply(fillOf({ tradeId: 'b', side: 'SELL', price: '110', executedAt: later(1) }));
    expect(early?.closedTrades).toEqual([]);
    book.apply(fillOf({ ...part, exchangeFillId: '2', price: '110', executedAt: later(2) }));
    const last = book.apply(fillOf({ tradeId: 'c', side: 'SELL', price: '111', executedAt: later(3) }));
    expect(last?.closedTrades).toEqual([
      { tradeId: 'a', openedAt: later(0), closedAt: later(3), pnl: 11n * 10n ** 36n },
    ]);
  });

  it('leave the trade open while its order is', () => {
    const book = new LotBook(SPOT);
    book.apply(fillOf({ hasTradeEnded: false }));
    expect(book.apply(fillOf({ tradeId: 'b', side: 'SELL' }))?.closedTrades).toEqual([]);
  });

  it('take no fill that was executed before one that they have', () => {
    const book = new LotBook(SPOT);
    book.apply(fillOf({ executedAt: later(1) }));
    expect(() => book.apply(fillOf({ exchangeFillId: '2' }))).toThrow(RangeError);
  });

  it('do not vanish by a fee that exceeds what was bought', () => {
    const book = new LotBook(SPOT);
    book.apply(fillOf({ feeAmount: '5', feeCurrency: 'BTC' }));
    expect(book.openLots).toEqual([]);
    expect(book.apply(fillOf({ tradeId: 'b', side: 'SELL' }))?.unmatched).toBe(10n ** 18n);
  });
});

/** Fills of whole amounts: each one of them can be counted out. */
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
        exchangeFillId: `f${index}`,
        side,
        amount: String(amount),
        price: String(price),
        feeAmount: String(fee),
        feeCurrency,
        executedAt: later(seconds),
      });
    });
  });

/** First in, first out, one unit of base at a time: slow, and by other means. */
function countOut(all: readonly LotFill[], canBeShort: boolean) {
  const long: Exact[] = [];
  const short: Exact[] = [];
  const steps = all.map(({ side, price, amount, feeAmount, feeCurrency }) => {
    const fee = feeCurrency === 'USDT' ? new Exact(feeAmount).div(amount) : new Exact(0);
    const value = side === 'BUY' ? new Exact(price).plus(fee) : new Exact(price).minus(fee);
    let pnl = new Exact(0);
    let unmatched = 0;
    for (let unit = 0; unit < Number(amount); unit++) {
      const other = (side === 'BUY' ? short : long).shift();
      if (other !== undefined) pnl = pnl.plus(side === 'BUY' ? other.minus(value) : value.minus(other));
      else if (side === 'BUY') long.push(value);
      else if (canBeShort) short.push(value);
      else unmatched += 1;
    }
    return { pnl, unmatched };
  });
  return { steps, net: long.length - short.length };
}

describe.each([
  ['on spot', SPOT],
  ['where short lots can be held', PERPETUAL],
])('any run of fills %s', (_name, terms) => {
  it('comes to what counting out every unit comes to', () => {
    fc.assert(
      fc.property(fills, (all) => {
        const book = new LotBook(terms);
        const naive = countOut(all, terms.canBeShort);
        all.forEach((fill, index) => {
          const outcome = book.apply(fill)!;
          const pnl = outcome.parts.reduce((sum, part) => sum + part.pnl, 0n);
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

  it('holds lots above zero, all of one side, and as much as was bought and not sold', () => {
    fc.assert(
      fc.property(fills, (all) => {
        const book = new LotBook(terms);
        let net = 0n;
        for (const fill of all) {
          const { unmatched } = book.apply(fill)!;
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

  it('loses no unit of value: what is realised and what lots still cost is all that was paid and received', () => {
    fc.assert(
      fc.property(fills, (all) => {
        const book = new LotBook({ ...terms, canBeShort: true });
        let paid = 0n;
        let realised = 0n;
        for (const fill of all) {
          const { volume, fee, parts } = book.apply(fill)!;
          const sign = fill.side === 'BUY' ? 1n : -1n;
          paid += sign * volume + (fee ?? 0n);
          realised += parts.reduce((sum, { pnl }) => sum + pnl, 0n);
        }
        const held = book.openLots.reduce(
          (sum, { side, value }) => sum + (side === 'BUY' ? value : -value),
          0n,
        );
        expect(realised).toBe(held - paid);
      }),
    );
  });

  it('counts each fill once, however often and wherever within its instant it is told again', () => {
    fc.assert(
      fc.property(fills, fc.array(fc.nat(), { maxLength: 20 }), (all, repeats) => {
        const told = [...all];
        for (const repeat of repeats) {
          const fill = all[repeat % Math.max(1, all.length)];
          if (fill === undefined) continue;
          const sameInstant = told.findLastIndex(({ executedAt }) => executedAt <= fill.executedAt);
          told.splice(sameInstant + 1, 0, fill);
        }
        const once = new LotBook(terms);
        const again = new LotBook(terms);
        const outcomes = all.map((fill) => once.apply(fill));
        expect(told.map((fill) => again.apply(fill)).filter((outcome) => outcome !== null)).toEqual(outcomes);
        expect(again.openLots).toEqual(once.openLots);
      }),
    );
  });

  it('closes each trade at most once, with all that its parts came to', () => {
    fc.assert(
      fc.property(fills, (all) => {
        const book = new LotBook(terms);
        const parts = new Map<string, bigint>();
        const closed = new Map<string, bigint>();
        for (const fill of all) {
          const outcome = book.apply(fill)!;
          for (const { tradeId, pnl } of outcome.parts) parts.set(tradeId, (parts.get(tradeId) ?? 0n) + pnl);
          for (const { tradeId, pnl } of outcome.closedTrades) {
            expect(closed.has(tradeId)).toBe(false);
            closed.set(tradeId, pnl);
          }
        }
        const open = new Set(book.openLots.map(({ tradeId }) => tradeId));
        for (const [tradeId, pnl] of parts)
          expect(closed.get(tradeId)).toBe(open.has(tradeId) ? undefined : pnl);
      }),
    );
  });
});
