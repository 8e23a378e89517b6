/** Plans on perpetuals and margin: margin, shorts, leverage, margin ratio, and exits that are reduce-only where they can be. */
import { planCopy } from './plan.rules.js';
import type { CopyInput, PerpetualAccount } from './plan.types.js';
import { entryInput, exitInput, type PlanOverrides } from './testing/plan-inputs.js';

const PERPETUAL: PerpetualAccount = {
  netPosition: '0',
  leverage: '10',
  markPrice: null,
  notional: '0',
  marginRatio: null,
};
const onPerpetual = (
  input: (overrides: PlanOverrides) => CopyInput,
  { account, pair, ...more }: PlanOverrides = {},
  perpetual: Partial<PerpetualAccount> = {},
) =>
  planCopy(
    input({
      ...more,
      pair: { tradingType: 'perpetual', ...pair },
      account: { freeBase: '0', ...account, perpetual: { ...PERPETUAL, ...perpetual } },
    }),
  );
const entry = (overrides?: PlanOverrides, perpetual?: Partial<PerpetualAccount>) =>
  onPerpetual(entryInput, overrides, perpetual);
const exit = (overrides?: PlanOverrides, perpetual?: Partial<PerpetualAccount>) =>
  onPerpetual(exitInput, overrides, perpetual);

describe('an entry on a perpetual', () => {
  it('reserves its initial margin and the taker fee, whatever its side', () => {
    // 1 at the limit price of 100.5 or 99.5: a tenth, and a thousandth.
    expect(entry().order).toMatchObject({ side: 'BUY', amount: '1', reserved: '10.1505', reduceOnly: false });
    const short = entry({ signal: { side: 'SELL' } });
    expect(short.order).toMatchObject({ side: 'SELL', price: '99.5', amount: '1', reserved: '10.1' });
  });

  it('reserves only the fee while the leverage is unknown, because the exchange decides about the margin', () => {
    expect(entry({}, { leverage: null }).order).toMatchObject({ amount: '1', reserved: '0.1005' });
  });

  it('needs its margin in the settlement currency', () => {
    const plan = entry({ signal: { side: 'SELL' }, account: { freeQuote: '10' } });
    expect(plan).toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      inputs: { rule: 'free_quote', value: '10.1', limit: '10' },
    });
  });

  it('at the minimum is sellable, because the fee takes nothing of it', () => {
    const atMinimum = { signal: { cumulativeAmount: '0.2', filledAmount: '0.2', leaderOrderAmount: '0.2' } };
    expect(entry({ ...atMinimum, pair: { minAmount: '0.1', minNotional: '0' } }).outcome).toBe('COPIED');
    const onSpot = planCopy(entryInput({ ...atMinimum, pair: { minAmount: '0.1', minNotional: '0' } }));
    expect(onSpot.code).toBe('BELOW_MINIMUM');
  });

  it('is reduced to max_leverage: all notionals after it are at most so many times the equity', () => {
    const terms = { maxLeverage: '2' };
    // 2 × 500 of equity, of which 960 are used.
    const clamped = entry({ terms }, { notional: '960' });
    expect(clamped).toMatchObject({
      outcome: 'CLAMPED',
      code: 'MAX_LEVERAGE',
      inputs: { rule: 'max_leverage' },
    });
    expect(clamped.order?.amount).toBe('0.4');
    expect(entry({ terms }, { notional: '960', markPrice: '80' }).order?.amount).toBe('0.5');
    expect(entry({ terms }, { notional: '100' }).outcome).toBe('COPIED');
    expect(entry({ terms }, { notional: '1000' })).toMatchObject({ code: 'MAX_LEVERAGE', order: null });
  });

  it('counts for max_leverage at the middle of the book while the mark price is unknown, and at the signal for the past', () => {
    const terms = { maxLeverage: '2', maxSlippageBps: 3_000 };
    expect(entry({ terms, bookMid: '80' }, { notional: '960' }).order?.amount).toBe('0.5');
    expect(entry({ terms, bookMid: 'PAST' }, { notional: '960' }).order?.amount).toBe('0.4');
  });

  it('of a sale counts at the price of the leader, above its limit price', () => {
    const short = { signal: { side: 'SELL' as const }, terms: { maxTradeQuote: '50' } };
    // The limit price is 99.5, at which 0.502 would cost less than 50.
    expect(entry(short).order).toMatchObject({ amount: '0.5', price: '99.5' });
    expect(entry({ signal: { side: 'SELL' } }).lot?.sentQuote).toBe('100');
  });

  it('of a purchase counts at its limit price, even below the price of the leader', () => {
    const offTick = { signal: { referencePrice: '100.005' }, terms: { maxSlippageBps: 0 } };
    expect(entry(offTick)).toMatchObject({ order: { price: '100' }, lot: { sentQuote: '100' } });
  });

  it('against the net position may first reduce it', () => {
    const terms = { maxLeverage: '2' };
    const signal = { side: 'SELL' as const };
    const plan = entry({ terms, signal }, { notional: '1000', netPosition: '0.3' });
    // Twice the position: the entry closes it and opens as much on the other side.
    expect(plan.order?.amount).toBe('0.6');
    expect(entry({ terms }, { notional: '1000', netPosition: '0.3' }).order).toBeNull();
    const short = { notional: '1000', netPosition: '-0.3' };
    expect(entry({ terms }, short).order?.amount).toBe('0.6');
    expect(entry({ terms, signal }, short).order).toBeNull();
  });

  it('with max_leverage needs a known equity', () => {
    const plan = entry({ terms: { maxLeverage: '2' }, account: { equity: null } });
    expect(plan).toMatchObject({ code: 'STALE_EQUITY', inputs: { rule: 'max_leverage' } });
    expect(entry({ account: { equity: null } }).outcome).toBe('COPIED');
    const onSpot = entryInput({ terms: { maxLeverage: '2' }, account: { equity: null } });
    expect(planCopy(onSpot).outcome).toBe('COPIED');
  });

  it('is skipped below the margin ratio, which is 1.5 by default', () => {
    expect(entry({}, { marginRatio: '1.49' })).toMatchObject({
      code: 'MARGIN_RATIO',
      inputs: { rule: 'min_margin_ratio', value: '1.49', limit: '1.5' },
    });
    expect(entry({}, { marginRatio: '1.5' }).outcome).toBe('COPIED');
    expect(entry({ terms: { minMarginRatio: '3' } }, { marginRatio: '2.9' }).code).toBe('MARGIN_RATIO');
  });

  it('below the margin ratio shows what it requested, and has a limit that leaves nothing as the reason', () => {
    expect(entry({}, { marginRatio: '1' })).toMatchObject({ targetAmount: '1', order: null });
    const nothingLeft = { terms: { maxOpenQuote: '10' }, copier: { openQuote: '10' } };
    expect(entry(nothingLeft, { marginRatio: '1' }).code).toBe('MAX_OPEN');
    const reduced = { terms: { maxOpenQuote: '100' }, copier: { openQuote: '10' } };
    expect(entry(reduced, { marginRatio: '1' }).code).toBe('MARGIN_RATIO');
    expect(
      entry({ terms: { maxOpenTrades: 1 }, copier: { openLotCount: 1 } }, { marginRatio: '1' }).code,
    ).toBe('MAX_TRADES');
  });
});

describe('an exit on a perpetual', () => {
  it('needs no balance and is reduce-only where the net position agrees', () => {
    const plan = exit({}, { netPosition: '1' });
    expect(plan.order).toMatchObject({ side: 'SELL', amount: '0.2', reduceOnly: true, reserved: '0' });
    const short = exit({ signal: { side: 'BUY' } }, { netPosition: '-0.2' });
    expect(short.order).toMatchObject({ side: 'BUY', amount: '0.2', reduceOnly: true });
  });

  it.each([
    ['SELL', '0.199'],
    ['SELL', '0'],
    ['SELL', '-5'],
    ['BUY', '-0.199'],
    ['BUY', '5'],
  ] as const)(
    '%s is not reduce-only at a net position of %s, which it would increase',
    (side, netPosition) => {
      expect(exit({ signal: { side } }, { netPosition }).order).toMatchObject({
        amount: '0.2',
        reduceOnly: false,
      });
    },
  );

  it('below the minimum notional is sent where it can be reduce-only, and waits elsewhere', () => {
    const fallen = { signal: { kind: 'CLOSE', referencePrice: '4' }, pair: { lastPrice: '4' } } as const;
    const closed = exit(fallen, { netPosition: '1' });
    expect(closed).toMatchObject({ outcome: 'COPIED', order: { amount: '1', reduceOnly: true } });
    for (const netPosition of ['0.5', '-1'])
      expect(exit(fallen, { netPosition })).toMatchObject({
        code: 'BELOW_MINIMUM',
        inputs: { rule: 'min_notional', value: '4', limit: '5' },
      });
    // The minimum amount applies to reduce-only orders, too.
    const tiny = { ...fallen, pair: { ...fallen.pair, minAmount: '2' } };
    expect(exit(tiny, { netPosition: '1' })).toMatchObject({ code: 'BELOW_MINIMUM' });
  });

  it('ignores the margin ratio and max_leverage', () => {
    const plan = exit(
      { terms: { maxLeverage: '1' } },
      { marginRatio: '1', notional: '99999', netPosition: '1' },
    );
    expect(plan.outcome).toBe('COPIED');
  });
});

describe('on margin', () => {
  const pair = { tradingType: 'margin' } as const;

  it('an entry that sells is skipped, because a copy never borrows', () => {
    expect(planCopy(entryInput({ pair, signal: { side: 'SELL' } }))).toMatchObject({
      code: 'SIDE_BLOCKED',
      inputs: { rule: 'no_borrowing', value: 'SELL', limit: 'BUY' },
    });
    expect(planCopy(entryInput({ pair })).outcome).toBe('COPIED');
  });

  it('an exit is not reduce-only, unlike on spot', () => {
    expect(planCopy(exitInput({ pair })).order?.reduceOnly).toBe(false);
    expect(planCopy(exitInput()).order?.reduceOnly).toBe(true);
  });
});
