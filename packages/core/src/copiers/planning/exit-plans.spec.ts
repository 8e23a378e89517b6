/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { planCopy } from './plan.rules.js';
import { entryInput, exitInput, lotAfter, NOW, type PlanOverrides } from './testing/plan-inputs.js';

const plan = (overrides: PlanOverrides = {}) => planCopy(exitInput(overrides));
const CLOSE = { kind: 'CLOSE', lotAmountBefore: '2', exitAmount: '2' } as const;

describe('rule 3: exits are never blocked', () => {
  it('and are reduce-only market orders, whatever the limits, lists, age, slippage or credentials', () => {
    const result = plan({
      terms: {
        maxTradeQuote: '1',
        maxOpenQuote: '1',
        maxOpenTrades: 1,
        maxDailyLossQuote: '1',
        maxDrawdownPercent: '1',
        maxSlippageBps: 0,
        blockedPairs: ['BTC/USDT'],
        allowedPairs: ['ETH/USDT'],
        allowedSides: ['BUY'],
      },
      copier: {
        status: 'CLOSE_ONLY',
        dayLossQuote: '99',
        drawdownPercent: '99',
        openLotCount: 9,
        startedSequence: 99,
      },
      signal: { signalAt: new Date(NOW.getTime() - 86_400_000), leaderEquity: null },
      account: { isActive: false, freeQuote: '0', equity: null },
    });
    expect(result).toMatchObject({
      outcome: 'COPIED',
      code: null,
      order: { type: 'MARKET', side: 'SELL', price: null, amount: '0.2', reduceOnly: true, reserved: '0.2' },
    });
  });
});

describe('rule 4: an exit', () => {
  it('sells 20 % of the copier’s lot if the leader closes 20 % of its own', () => {
    expect(plan({ lot: { heldAmount: '7.5' } })).toMatchObject({
      targetAmount: '1.5',
      order: { amount: '1.5' },
    });
  });

  it('is computed exactly: a third of three is one', () => {
    const signal = { lotAmountBefore: '0.3', exitAmount: '0.1' };
    expect(plan({ signal, lot: { heldAmount: '3' } }).order?.amount).toBe('1');
  });

  it('sells everything if it is a CLOSE, whatever amount the leader sold', () => {
    const result = plan({ signal: { ...CLOSE, exitAmount: '0.001' }, lot: { heldAmount: '0.9876' } });
    expect(result).toMatchObject({ outcome: 'COPIED', targetAmount: '0.9876', order: { amount: '0.987' } });
  });

  it('row 16: of one tenth, repeated ten times, leaves no remainder', () => {
    let lot = lotAfter(planCopy(entryInput()));
    for (let left = 10; left > 0; left -= 1) {
      const signal = {
        kind: left === 1 ? 'CLOSE' : 'REDUCE',
        lotAmountBefore: `${left}`,
        exitAmount: '1',
      } as const;
      lot = lotAfter(plan({ signal, lot }), lot?.heldAmount);
      expect(Number(lot?.heldAmount)).toBeCloseTo((left - 1) / 10, 9);
    }
  });
});

describe('rule 5: a leader that reverses its position in one fill', () => {
  const open = {
    kind: 'OPEN',
    side: 'SELL',
    lotTradeId: 'short',
    lotFirstSequence: 13,
    sequence: 13,
  } as const;

  it('emits two signals: the lot is closed, then the other side is opened', () => {
    expect(plan({ signal: CLOSE }).order).toMatchObject({ side: 'SELL', type: 'MARKET', amount: '1' });
    expect(planCopy(entryInput({ signal: open })).order).toMatchObject({
      side: 'SELL',
      type: 'LIMIT',
      amount: '1',
    });
  });

  it('has only the new lot copied by a copier that does not hold the old one', () => {
    expect(plan({ signal: CLOSE, lot: null })).toMatchObject({ code: 'NOT_HELD', order: null });
    expect(planCopy(entryInput({ signal: open })).outcome).toBe('COPIED');
  });
});

describe('rule 8: exits and the minimum', () => {
  it('row 15: an exit also sells a remainder that would be too small to sell later', () => {
    const result = plan({ signal: { exitAmount: '1.92' } });
    expect(result).toMatchObject({ targetAmount: '0.96', order: { amount: '1' }, lot: { owedAmount: '0' } });
  });

  it('an exit that is too small is owed, and sold with the next exit', () => {
    const small = plan({ signal: { exitAmount: '0.08' } });
    expect(small).toMatchObject({
      outcome: 'SKIPPED',
      code: 'BELOW_MINIMUM',
      targetAmount: '0.04',
      order: null,
      lot: { owedAmount: '0.04' },
      inputs: { rule: 'min_notional', value: '4', limit: '5' },
    });
    const next = plan({ lot: lotAfter(small, '1'), signal: { lotAmountBefore: '1.92', exitAmount: '0.48' } });
    expect(next).toMatchObject({ outcome: 'COPIED', targetAmount: '0.28', order: { amount: '0.28' } });
    expect(next.lot?.owedAmount).toBe('0');
  });

  it('two exits whose exact shares add up to whole steps sell these steps', () => {
    const first = plan({
      pair: { minNotional: '0' },
      lot: { heldAmount: '0.068' },
      signal: { lotAmountBefore: '0.051', exitAmount: '0.014' },
    });
    expect(first).toMatchObject({ targetAmount: '0.018666666666666666', order: { amount: '0.018' } });
    // 0.068 × 21 ÷ 51 is 0.028, of which the first exit sold 0.018.
    const second = plan({
      pair: { minNotional: '0' },
      lot: lotAfter(first, '0.068'),
      signal: { lotAmountBefore: '0.037', exitAmount: '0.007' },
    });
    expect(second).toMatchObject({ targetAmount: '0.01', order: { amount: '0.01' } });
  });

  it('dust that the exchange cannot trade remains in the lot, and the decision reports it', () => {
    const result = plan({ signal: CLOSE, lot: { heldAmount: '0.04' } });
    expect(result).toMatchObject({
      outcome: 'SKIPPED',
      code: 'BELOW_MINIMUM',
      order: null,
      lot: { owedAmount: '0.04' },
    });
  });

  it('an amount above the maximum of one order is owed, and sold by a later order', () => {
    const result = plan({ signal: CLOSE, pair: { maxAmount: '0.97' } });
    expect(result).toMatchObject({
      outcome: 'COPIED',
      targetAmount: '1',
      order: { amount: '0.95' },
      lot: { owedAmount: '0.05' },
    });
    const rest = plan({
      signal: { kind: 'REDUCE', exitAmount: '0' },
      lot: lotAfter(result, '1'),
      pair: { maxAmount: '0.97' },
    });
    expect(rest).toMatchObject({ order: { amount: '0.05' }, lot: { owedAmount: '0' } });
  });

  it('an exit is rounded to the step of market orders, and its notional is checked at the last price', () => {
    expect(plan({ pair: { marketAmountStep: '0.15' } }).order?.amount).toBe('0.15');
    expect(plan({ pair: { marketAmountStep: '0' } }).order?.amount).toBe('0.2');
    expect(plan({ pair: { lastPrice: '10' } })).toMatchObject({
      code: 'BELOW_MINIMUM',
      inputs: { value: '2' },
    });
    expect(plan({ pair: { lastPrice: null } }).order?.amount).toBe('0.2');
  });

  it('an exit is judged by the newer of the last price and the leader’s fill', () => {
    const lastPriceAt = new Date(NOW.getTime() - 1_000);
    const stale = { lastPrice: '10', lastPriceAt };
    expect(plan({ pair: stale }).order?.amount).toBe('0.2');
    const signal = { signalAt: new Date(NOW.getTime() - 2_000) };
    expect(plan({ pair: stale, signal })).toMatchObject({
      code: 'BELOW_MINIMUM',
      inputs: { value: '2', missing_amount: '0.3' },
    });
    const fallen = plan({ pair: { lastPriceAt }, signal: { referencePrice: '10' } });
    expect(fallen).toMatchObject({ code: 'BELOW_MINIMUM', inputs: { value: '2', missing_amount: '0.3' } });
  });

  it('an exit reduces the amount carried to the next entry by its share, and a CLOSE drops it', () => {
    const carried = { sentAmount: '0.96', heldAmount: '0.96' };
    expect(plan({ signal: CLOSE, lot: carried }).lot?.forgoneAmount).toBe('0.04');
    expect(plan({ lot: carried }).lot?.forgoneAmount).toBe('0.008');
  });
});

describe('rule 11: a stopped copier', () => {
  it('follows no exit and keeps its lot unchanged while it is PAUSED', () => {
    const result = plan({ copier: { status: 'PAUSED' }, lot: { owedAmount: '0.1' } });
    expect(result).toMatchObject({
      outcome: 'SKIPPED',
      code: 'NOT_ACTIVE',
      order: null,
      lot: { owedAmount: '0.1' },
    });
  });

  it('follows exits but no entries while it is CLOSE_ONLY', () => {
    expect(plan({ copier: { status: 'CLOSE_ONLY' } }).outcome).toBe('COPIED');
    expect(planCopy(entryInput({ copier: { status: 'CLOSE_ONLY' } })).code).toBe('NOT_ACTIVE');
  });
});

describe('rule 13: a lot of which the user sold a part', () => {
  it('is sold up to the free balance', () => {
    const result = plan({ signal: CLOSE, account: { freeBase: '0.4' } });
    expect(result).toMatchObject({
      outcome: 'CLAMPED',
      code: 'INSUFFICIENT_BALANCE',
      targetAmount: '1',
      order: { amount: '0.4' },
      inputs: { rule: 'free_base', value: '1', limit: '0.4' },
    });
  });

  it('leads to INSUFFICIENT_BALANCE if no balance is free', () => {
    const result = plan({ signal: CLOSE, account: { freeBase: '0' } });
    expect(result).toMatchObject({ outcome: 'SKIPPED', code: 'INSUFFICIENT_BALANCE', order: null });
  });

  it('leads to NOT_HELD once it is empty', () => {
    expect(plan({ lot: { heldAmount: '0' } })).toMatchObject({
      outcome: 'SKIPPED',
      code: 'NOT_HELD',
      order: null,
    });
    expect(plan({ lot: null })).toMatchObject({
      outcome: 'SKIPPED',
      code: 'NOT_HELD',
      order: null,
      lot: null,
    });
  });
});

describe('rule 24: fees in base currency', () => {
  it('limit an exit to the lesser of lot and free balance, rounded down', () => {
    const net = plan({ signal: CLOSE, lot: { heldAmount: '0.999' }, account: { freeBase: '0.9985' } });
    expect(net).toMatchObject({ order: { amount: '0.998' } });
  });

  it('do not clamp an exit if only dust below the step is missing', () => {
    const net = plan({ signal: CLOSE, lot: { heldAmount: '0.9989' }, account: { freeBase: '0.9985' } });
    expect(net).toMatchObject({ outcome: 'COPIED', code: null, order: { amount: '0.998' } });
  });
});

describe('rule 27: a pair that the copier cannot trade', () => {
  it('leads to PAIR_UNAVAILABLE for exits too, and their amounts are owed', () => {
    expect(plan({ pair: null })).toMatchObject({
      code: 'PAIR_UNAVAILABLE',
      order: null,
      lot: { owedAmount: '0.2' },
    });
  });
});
