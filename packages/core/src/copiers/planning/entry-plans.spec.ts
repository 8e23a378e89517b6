/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import type { DecisionCode } from '@trading-automation/contracts';
import { planCopy } from './plan.rules.js';
import { entryInput, lotAfter, NOW, type PlanOverrides, TERMS } from './testing/plan-inputs.js';

const plan = (overrides: PlanOverrides = {}) => planCopy(entryInput(overrides));

describe('rule 1: an entry', () => {
  it('sends ratio × the filled amount of the leader, less the sent amount', () => {
    const first = plan({ signal: { cumulativeAmount: '0.5', filledAmount: '0.5' } });
    expect(first).toMatchObject({
      outcome: 'COPIED',
      code: null,
      targetAmount: '0.25',
      order: { amount: '0.25' },
    });
    const second = plan({
      lot: lotAfter(first),
      signal: { kind: 'INCREASE', sequence: 12, cumulativeAmount: '2', filledAmount: '1.5' },
    });
    expect(second).toMatchObject({
      targetAmount: '0.75',
      order: { amount: '0.75' },
      lot: { sentAmount: '1' },
    });
  });

  it('sends no order for a repeated signal, or for a signal that arrives after a later signal', () => {
    const lot = lotAfter(plan());
    const again = plan({ lot });
    expect(again).toMatchObject({
      outcome: 'SKIPPED',
      code: 'BELOW_MINIMUM',
      order: null,
      lot: { sentAmount: '1' },
    });
    const late = plan({ lot, signal: { cumulativeAmount: '0.5', filledAmount: '0.5' } });
    expect(late).toMatchObject({
      order: null,
      lot: { sentAmount: '1', forgoneAmount: '0', seenAmount: '2' },
    });
  });

  it('never sends the amount of a skipped signal later', () => {
    const stale = plan({
      lot: { sentAmount: '0.25', sentQuote: '25', seenAmount: '0.5' },
      signal: { cumulativeAmount: '1', filledAmount: '0.5', signalAt: new Date(NOW.getTime() - 61_000) },
    });
    expect(stale).toMatchObject({ code: 'STALE_SIGNAL', lot: { sentAmount: '0.25', forgoneAmount: '0.25' } });
    const next = plan({ lot: lotAfter(stale), signal: { cumulativeAmount: '2', filledAmount: '1' } });
    expect(next).toMatchObject({ targetAmount: '0.5', order: { amount: '0.5' } });
  });

  it('keeps the carried amount when a later signal is skipped', () => {
    const carrying = { sentAmount: '0.24', sentQuote: '24', seenAmount: '0.5' };
    const stale = plan({
      lot: carrying,
      signal: { cumulativeAmount: '1', filledAmount: '0.5', signalAt: new Date(NOW.getTime() - 61_000) },
    });
    expect(stale.lot).toMatchObject({ forgoneAmount: '0.25', seenAmount: '1' });
    const next = plan({ lot: lotAfter(stale), signal: { cumulativeAmount: '2', filledAmount: '1' } });
    expect(next.targetAmount).toBe('0.51');
  });

  it('forgoes the leader’s earlier fills if the copier starts with a later one', () => {
    const late = plan({ signal: { kind: 'INCREASE', cumulativeAmount: '2', filledAmount: '0.5' } });
    expect(late).toMatchObject({
      order: { amount: '0.25' },
      lot: { sentAmount: '0.25', forgoneAmount: '0.75' },
    });
  });
});

describe('rule 2: a leader that cancels the remainder', () => {
  it('leaves copiers with their share of the fills, because a copy is ordered only after a fill', () => {
    const only = plan({ signal: { cumulativeAmount: '0.4', filledAmount: '0.4', leaderOrderAmount: '40' } });
    expect(only.order).toMatchObject({ amount: '0.2', timeInForce: 'IOC' });
  });
});

describe('rule 3: the limit price of an IOC entry', () => {
  it.each([
    [null, '100.5'],
    [0, '100'],
    [30, '100.3'],
    [10_000, '200'],
  ])('for max_slippage_bps %s and a reference price of 100 is %s for a buy', (maxSlippageBps, price) => {
    expect(plan({ terms: { maxSlippageBps } }).order).toMatchObject({
      type: 'LIMIT',
      side: 'BUY',
      timeInForce: 'IOC',
      price,
      reduceOnly: false,
    });
  });

  it('does not exist if no price tick is within the bound: the entry is skipped as SLIPPAGE', () => {
    const result = plan({ signal: { referencePrice: '0.003' }, pair: { minNotional: '0' } });
    expect(result).toMatchObject({
      code: 'SLIPPAGE',
      order: null,
      inputs: { rule: 'price_tick', limit: '0.01' },
    });
  });
});

describe('rule 6: sizing', () => {
  const sizing = (mode: (typeof TERMS)['sizing']['mode'], value: string, capital: string | null = null) => ({
    terms: { sizing: { mode, value, capital } },
  });

  it('MULTIPLIER: orders a multiple of the leader’s amount', () => {
    expect(plan(sizing('MULTIPLIER', '3')).order?.amount).toBe('6');
  });

  it('FIXED_AMOUNT: orders a base amount for the leader’s whole order, and a share of it for each fill', () => {
    const one = plan({ ...sizing('FIXED_AMOUNT', '1'), signal: { leaderOrderAmount: '10' } });
    expect(one.order?.amount).toBe('0.2');
    expect(plan(sizing('FIXED_AMOUNT', '1')).order?.amount).toBe('1');
  });

  it('FIXED_QUOTE: spends the quote amount once for an order with five fills, not five times', () => {
    let lot = null;
    const sent = [];
    for (const cumulativeAmount of ['2', '4', '6', '8', '10']) {
      const result = plan({
        ...sizing('FIXED_QUOTE', '500'),
        signal: { cumulativeAmount, filledAmount: '2', leaderOrderAmount: '10' },
        lot,
      });
      sent.push(result.order?.amount);
      lot = lotAfter(result);
    }
    expect(sent).toEqual(['1', '1', '1', '1', '1']);
    expect(lot).toMatchObject({ sentAmount: '5' });
  });

  it('EQUITY_RATIO: orders in the ratio of the equities; capital replaces the equity of the copier', () => {
    expect(plan(sizing('EQUITY_RATIO', '1')).order?.amount).toBe('1');
    expect(plan(sizing('EQUITY_RATIO', '2', '250')).order?.amount).toBe('1');
    const account = { equity: null };
    expect(plan({ ...sizing('EQUITY_RATIO', '1', '250'), account }).order?.amount).toBe('0.5');
  });

  it.each<[string, PlanOverrides]>([
    ["the leader's equity", { signal: { leaderEquity: null } }],
    ["a leader's equity above zero", { signal: { leaderEquity: '0' } }],
    ["the copier's equity", { account: { equity: null } }],
  ])('EQUITY_RATIO: skips the entry as STALE_EQUITY without %s', (_, overrides) => {
    const result = plan({ ...sizing('EQUITY_RATIO', '1'), ...overrides });
    expect(result).toMatchObject({ outcome: 'SKIPPED', code: 'STALE_EQUITY', order: null, lot: null });
  });

  it('freezes the ratio at the first entry, so that a later deposit does not change the size of the lot', () => {
    const first = plan({
      ...sizing('EQUITY_RATIO', '1'),
      signal: { cumulativeAmount: '1', filledAmount: '1' },
    });
    expect(first.lot?.ratio).toEqual({ numerator: '1', denominator: '2' });
    const richer = plan({
      ...sizing('EQUITY_RATIO', '1'),
      lot: lotAfter(first),
      account: { equity: '500000' },
    });
    expect(richer.order?.amount).toBe('0.5');
    const unknown = plan({ ...sizing('EQUITY_RATIO', '1'), lot: lotAfter(first), account: { equity: null } });
    expect(unknown.order?.amount).toBe('0.5');
  });

  it('keeps ratios as exact fractions: three thirds are one', () => {
    const thirds = sizing('EQUITY_RATIO', '1');
    const account = { equity: '1' };
    let lot = null;
    for (const cumulativeAmount of ['1', '2', '3']) {
      const signal = { cumulativeAmount, filledAmount: '1', leaderOrderAmount: '3', leaderEquity: '3' };
      lot = lotAfter(plan({ ...thirds, signal, account, lot }));
    }
    expect(lot).toMatchObject({ ratio: { numerator: '1', denominator: '3' }, sentAmount: '1' });
  });
});

describe('rule 7: rounding', () => {
  it('floors the amount to the step, and sends the remainder with the next fill', () => {
    const result = plan({ signal: { cumulativeAmount: '0.5019', filledAmount: '0.5019' } });
    expect(result).toMatchObject({ targetAmount: '0.25095', order: { amount: '0.25' } });
    const next = plan({
      lot: lotAfter(result),
      signal: { cumulativeAmount: '1.0001', filledAmount: '0.4982' },
    });
    expect(next.order?.amount).toBe('0.25');
  });

  it('rounds the limit price towards the leader’s price: down for a buy, up for a sell', () => {
    const signal = { referencePrice: '100.017' };
    expect(plan({ signal }).order?.price).toBe('100.51');
    expect(plan({ signal: { ...signal, side: 'SELL' } }).order?.price).toBe('99.52');
  });

  it('row 13: never rounds up above the free balance', () => {
    const result = plan({ signal: { cumulativeAmount: '1.9999' }, account: { freeQuote: '100.4' } });
    expect(result.order).toMatchObject({ amount: '0.999', reserved: '100.3995' });
  });

  it('checks minimums on the rounded numbers', () => {
    const result = plan({
      signal: { cumulativeAmount: '0.1998', filledAmount: '0.1998' },
      pair: { minNotional: '10', amountStep: '0.01' },
    });
    expect(result).toMatchObject({ code: 'BELOW_MINIMUM', inputs: { rule: 'min_notional', value: '9.045' } });
  });
});

describe('rule 8: below the minimum', () => {
  const small = { cumulativeAmount: '0.06', filledAmount: '0.06' };

  it('row 7: ACCUMULATE carries a size below the exchange minimum until it can be traded', () => {
    const first = plan({ signal: small });
    expect(first).toMatchObject({
      outcome: 'SKIPPED',
      code: 'BELOW_MINIMUM',
      lot: { sentAmount: '0', forgoneAmount: '0' },
    });
    const second = plan({ lot: lotAfter(first), signal: { cumulativeAmount: '0.12', filledAmount: '0.06' } });
    expect(second).toMatchObject({ outcome: 'COPIED', targetAmount: '0.06', order: { amount: '0.06' } });
  });

  it('SKIP forgoes a size below the exchange minimum', () => {
    const terms = { belowMinimum: 'SKIP' } as const;
    expect(plan({ terms, signal: small })).toMatchObject({ code: 'BELOW_MINIMUM', lot: null });
    const later = plan({ terms, signal: { cumulativeAmount: '0.12', filledAmount: '0.06' } });
    expect(later).toMatchObject({ code: 'BELOW_MINIMUM', targetAmount: '0.03' });
    const held = plan({ terms, lot: {}, signal: { cumulativeAmount: '2.06', filledAmount: '0.06' } });
    expect(held).toMatchObject({ code: 'BELOW_MINIMUM', lot: { forgoneAmount: '0.03' } });
  });

  it('ROUND_UP raises a size to the least amount that can be sold again, and deducts the difference from later sizes', () => {
    const terms = { belowMinimum: 'ROUND_UP' } as const;
    const result = plan({ terms, signal: small });
    expect(result).toMatchObject({ outcome: 'COPIED', targetAmount: '0.03', order: { amount: '0.054' } });
    expect(result.inputs).toMatchObject({ rounded_up: true, rule: 'min_notional', limit: '5' });
    const next = plan({
      terms,
      lot: lotAfter(result),
      signal: { cumulativeAmount: '0.3', filledAmount: '0.24' },
    });
    expect(next).toMatchObject({ targetAmount: '0.096', order: { amount: '0.096' } });
  });

  it('ROUND_UP never buys more than twice the requested size, and never exceeds max_trade_quote', () => {
    const terms = { belowMinimum: 'ROUND_UP' } as const;
    const tiny = plan({ terms, signal: { cumulativeAmount: '0.04', filledAmount: '0.04' } });
    expect(tiny).toMatchObject({ outcome: 'SKIPPED', code: 'BELOW_MINIMUM', order: null });
    const capped = plan({ terms: { ...terms, maxTradeQuote: '5.02' }, signal: small });
    expect(capped).toMatchObject({ outcome: 'SKIPPED', code: 'BELOW_MINIMUM', order: null });
  });

  it('row 14: a skip reports the violated rule, the value and the limit', () => {
    expect(plan({ signal: small }).inputs).toMatchObject({
      rule: 'min_notional',
      value: '3.015',
      limit: '5',
    });
    const amount = plan({ signal: small, pair: { minAmount: '0.04' } });
    expect(amount.inputs).toMatchObject({ rule: 'min_amount', value: '0.03', limit: '0.04' });
  });
});

describe('rule 9: clamp or skip', () => {
  it('row 8: max_trade_quote bounds the whole copy of a large order, even if the order fills in parts', () => {
    const terms = { maxTradeQuote: '50' };
    const first = plan({ terms });
    expect(first).toMatchObject({
      outcome: 'CLAMPED',
      code: 'MAX_TRADE',
      targetAmount: '1',
      order: { amount: '0.497' },
    });
    expect(first.inputs).toMatchObject({ rule: 'max_trade_quote', value: '100.5', limit: '50' });
    expect(first.lot).toMatchObject({ sentAmount: '0.497', forgoneAmount: '0.503' });
    const second = plan({ terms, lot: lotAfter(first), signal: { cumulativeAmount: '4' } });
    expect(second).toMatchObject({ outcome: 'SKIPPED', code: 'MAX_TRADE', order: null });
  });

  it('max_open_quote clamps the size; if it is then below the minimum, the copy is skipped with this limit as the reason', () => {
    const terms = { maxOpenQuote: '100' };
    expect(plan({ terms, copier: { openQuote: '40' } })).toMatchObject({
      outcome: 'CLAMPED',
      code: 'MAX_OPEN',
      order: { amount: '0.597' },
    });
    const full = plan({ terms, copier: { openQuote: '97' } });
    expect(full).toMatchObject({ outcome: 'SKIPPED', code: 'MAX_OPEN', order: null, lot: null });
  });

  it('a limit is not the reason if the requested size is below the minimum anyway', () => {
    const signal = { cumulativeAmount: '0.06', filledAmount: '0.06' };
    const result = plan({ terms: { maxTradeQuote: '2' }, signal });
    expect(result).toMatchObject({
      outcome: 'SKIPPED',
      code: 'BELOW_MINIMUM',
      inputs: { rule: 'min_notional', value: '3.015' },
      lot: { forgoneAmount: '0' },
    });
  });

  it('a limit that only takes what rounding takes anyway reduces nothing, and the rest is bought later', () => {
    // 50 USDT at 100.5 buy 0.49751…, less than 0.4978.
    const signal = { cumulativeAmount: '0.9956', filledAmount: '0.9956' };
    expect(plan({ terms: { maxTradeQuote: '50' }, signal })).toMatchObject({
      outcome: 'COPIED',
      code: null,
      targetAmount: '0.4978',
      order: { amount: '0.497' },
      lot: { forgoneAmount: '0' },
    });
  });

  it('if two limits apply, the tighter one is the reason', () => {
    const terms = { maxTradeQuote: '60', maxOpenQuote: '100' };
    expect(plan({ terms, copier: { openQuote: '70' } }).code).toBe('MAX_OPEN');
    expect(plan({ terms, copier: { openQuote: '10' } }).code).toBe('MAX_TRADE');
  });

  it('the maximums of the exchange clamp the size too', () => {
    const byAmount = plan({ pair: { maxAmount: '0.4' } });
    expect(byAmount).toMatchObject({
      outcome: 'CLAMPED',
      order: { amount: '0.4' },
      inputs: { rule: 'max_amount', value: '1' },
    });
    const byNotional = plan({ pair: { maxNotional: '50' } });
    expect(byNotional).toMatchObject({
      outcome: 'CLAMPED',
      order: { amount: '0.497' },
      inputs: { rule: 'max_notional' },
    });
  });
});

describe('rule 10: the watermark', () => {
  it('skips the increases of a lot that was open at the copier’s start', () => {
    const old = { kind: 'INCREASE', lotFirstSequence: 10 } as const;
    expect(plan({ signal: old })).toMatchObject({
      outcome: 'SKIPPED',
      code: 'NOT_HELD',
      order: null,
      lot: null,
    });
    expect(plan({ signal: old, lot: {} })).toMatchObject({ code: 'NOT_HELD', order: null });
  });

  it('permits a copy of an existing lot at the current price if the start requested it', () => {
    const signal = { lotFirstSequence: 3, copiesExisting: true, referencePrice: '110' };
    expect(plan({ signal })).toMatchObject({ outcome: 'COPIED', order: { amount: '1', price: '110.55' } });
  });

  it('shows in the inputs of a copied or skipped lot that a start copied it, and only then', () => {
    const signal = { lotFirstSequence: 3, copiesExisting: true };
    expect(plan({ signal }).inputs).toMatchObject({ copy_existing: true });
    expect(plan({ signal, account: { freeQuote: '0' } })).toMatchObject({
      outcome: 'SKIPPED',
      inputs: { copy_existing: true },
    });
    expect(plan().inputs).not.toHaveProperty('copy_existing');
  });
});

describe('rule 14: the age of signals', () => {
  it('permits a copy of an entry up to the maximum age, but not of an older entry', () => {
    const at = (ageMs: number) => plan({ signal: { signalAt: new Date(NOW.getTime() - ageMs) } });
    expect(at(60_000).outcome).toBe('COPIED');
    expect(at(60_001)).toMatchObject({
      outcome: 'SKIPPED',
      code: 'STALE_SIGNAL',
      inputs: { rule: 'max_signal_age_ms', value: 60_001, limit: 60_000 },
    });
  });
});

describe('rule 15: the first limit that is reached is the reason', () => {
  /** The limits in the order in which they are checked, each with overrides that violate it. */
  const violations: readonly (readonly [DecisionCode, PlanOverrides])[] = [
    ['NOT_ACTIVE', { copier: { status: 'CLOSE_ONLY' } }],
    ['NOT_HELD', { signal: { lotFirstSequence: 10 } }],
    ['CREDENTIALS', { account: { isActive: false } }],
    ['PAIR_BLOCKED', { terms: { blockedPairs: ['BTC/USDT'] } }],
    ['SIDE_BLOCKED', { terms: { allowedSides: ['SELL'] } }],
    ['STALE_SIGNAL', { signal: { signalAt: new Date(0) } }],
    ['OFF_MARKET', { bookMid: '90' }],
    ['DAILY_LOSS', { terms: { maxDailyLossQuote: '10' }, copier: { dayLossQuote: '10' } }],
    ['DRAWDOWN', { terms: { maxDrawdownPercent: '5' }, copier: { drawdownPercent: '5.1' } }],
    ['MAX_TRADES', { terms: { maxOpenTrades: 1 }, copier: { openLotCount: 1 } }],
    [
      'STALE_EQUITY',
      {
        terms: { sizing: { mode: 'EQUITY_RATIO', value: '1', capital: null } },
        signal: { leaderEquity: null },
      },
    ],
    ['BELOW_MINIMUM', { pair: { minAmount: '9' } }],
    ['MAX_TRADE', { terms: { maxTradeQuote: '1' } }],
    ['INSUFFICIENT_BALANCE', { account: { freeQuote: '1' } }],
  ];
  /** Overrides that violate the limit at the index and all later ones. */
  const violatedFrom = (from: number): PlanOverrides =>
    violations.slice(from).reduce<PlanOverrides>(
      (all, [, overrides]) => ({
        signal: { ...all.signal, ...overrides.signal },
        terms: { ...all.terms, ...overrides.terms },
        copier: { ...all.copier, ...overrides.copier },
        account: { ...all.account, ...overrides.account },
        pair: { ...all.pair, ...overrides.pair },
        bookMid: overrides.bookMid ?? all.bookMid,
      }),
      {},
    );

  it.each(violations.map(([code], i) => [code, i] as const))(
    '%s precedes all later limits of the list',
    (code, i) => {
      expect(plan(violatedFrom(i))).toMatchObject({ outcome: 'SKIPPED', code, order: null });
    },
  );

  it.each<[DecisionCode, PlanOverrides]>([
    ['PAIR_BLOCKED', { terms: { allowedPairs: ['ETH/USDT'] } }],
    ['PAIR_UNAVAILABLE', { pair: null }],
    ['NOT_ACTIVE', { copier: { status: 'PAUSED' } }],
    ['NOT_ACTIVE', { copier: { startedAt: null } }],
  ])('%s skips the entry, and no lot is created', (code, overrides) => {
    expect(plan(overrides)).toMatchObject({
      outcome: 'SKIPPED',
      code,
      order: null,
      lot: null,
      targetAmount: '0',
    });
  });
});

describe('rule 31: the market price', () => {
  const at = (bookMid: string | null, maxSlippageBps: number | null = 100) =>
    plan({ terms: { maxSlippageBps }, bookMid });

  it.each(['99.01', '100', '101.01'])(
    'permits an entry at 100 if the middle of the order book is %s and the bound is 1 %%',
    (mid) => {
      expect(at(mid).outcome).toBe('COPIED');
    },
  );

  it.each(['99', '101.02'])('skips an entry at 100 if the middle of the order book is %s', (mid) => {
    expect(at(mid)).toMatchObject({
      outcome: 'SKIPPED',
      code: 'OFF_MARKET',
      order: null,
      inputs: { rule: 'max_slippage_bps', limit: 100, book_mid: mid, reference_price: '100' },
    });
  });

  it('is checked with the default bound of 50 bps', () => {
    expect(at('100.6', null)).toMatchObject({ code: 'OFF_MARKET', inputs: { limit: 50 } });
    expect(at('100.4', null).outcome).toBe('COPIED');
  });

  it('skips an entry without a recent order book', () => {
    expect(at(null)).toMatchObject({
      outcome: 'SKIPPED',
      code: 'OFF_MARKET',
      inputs: { rule: 'order_book', value: null, book_mid: null },
    });
  });

  it('forgoes the amount of a skipped increase', () => {
    const increase = plan({ lot: {}, bookMid: '90', signal: { kind: 'INCREASE', cumulativeAmount: '3' } });
    expect(increase).toMatchObject({ code: 'OFF_MARKET', lot: { sentAmount: '1', forgoneAmount: '0.5' } });
  });
});

describe('rule 16: the daily loss blocks entries', () => {
  it('from the limit on, but not below it', () => {
    const terms = { maxDailyLossQuote: '10' };
    expect(plan({ terms, copier: { dayLossQuote: '9.99' } }).outcome).toBe('COPIED');
    expect(plan({ terms, copier: { dayLossQuote: '10' } })).toMatchObject({
      code: 'DAILY_LOSS',
      inputs: { rule: 'max_daily_loss_quote', value: '10', limit: '10' },
    });
  });
});

describe('rule 17: an entry', () => {
  it('reserves exactly amount × limit price, and is skipped if less is free', () => {
    expect(plan({ account: { freeQuote: '100.5' } }).order?.reserved).toBe('100.5');
    const short = plan({ account: { freeQuote: '100.499999999999999999' } });
    expect(short).toMatchObject({
      outcome: 'SKIPPED',
      code: 'INSUFFICIENT_BALANCE',
      inputs: { rule: 'free_quote', value: '100.5', limit: '100.499999999999999999' },
    });
  });
});

describe('rule 29: changes of settings apply only to new lots', () => {
  it('a lot keeps the sizing and the limits of its first entry', () => {
    const edited = {
      sizing: { mode: 'MULTIPLIER', value: '5', capital: null },
      blockedPairs: ['BTC/USDT'],
      maxTradeQuote: '1',
    } as const;
    const result = plan({ terms: edited, lot: { terms: TERMS }, signal: { cumulativeAmount: '4' } });
    expect(result).toMatchObject({ outcome: 'COPIED', order: { amount: '1' } });
    expect(result.lot?.terms).toBe(TERMS);
    expect(plan({ terms: edited })).toMatchObject({ code: 'PAIR_BLOCKED' });
  });
});

describe('rule 30: the inputs of a decision', () => {
  it('do not reveal the equity of the leader', () => {
    const terms = { sizing: { mode: 'EQUITY_RATIO', value: '1', capital: null } } as const;
    expect(Object.values(plan({ terms, signal: { leaderEquity: '987654.321' } }).inputs)).not.toContain(
      '987654.321',
    );
  });
});
