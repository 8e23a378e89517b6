/** Whole plans, with every number that a decision shows; the other specs of this folder compare single fields. */
import { planCopy } from './plan.rules.js';
import { entryInput, exitInput, NOW, type PlanOverrides, TERMS } from './testing/plan-inputs.js';

const entry = (overrides: PlanOverrides = {}) => planCopy(entryInput(overrides));
const exit = (overrides: PlanOverrides = {}) => planCopy(exitInput(overrides));

const ENTRY_INPUTS = { reference_price: '100', leader_amount: '2', age_ms: 0 };
const LOT_INPUTS = { ratio: '0.5', masked_ratio: '0.5', sent_before: '0', forgone_before: '0' };
const LOT = {
  ratio: { numerator: '1', denominator: '2' },
  maskedRatio: '0.5',
  terms: TERMS,
  sentAmount: '0',
  sentQuote: '0',
  forgoneAmount: '0',
  maskedForgone: null,
  seenAmount: '2',
  owedAmount: '0',
};
const EXIT_INPUTS = { reference_price: '100', exit_amount: '0.4', lot_amount_before: '2', held: '1' };
const CLOSE = { kind: 'CLOSE', lotAmountBefore: '2', exitAmount: '2' } as const;

describe('a copied entry', () => {
  it('orders the size at the limit price, reserves its cost, and stores what was sent', () => {
    expect(entry()).toEqual({
      outcome: 'COPIED',
      code: null,
      targetAmount: '1',
      maskedTarget: null,
      order: {
        type: 'LIMIT',
        side: 'BUY',
        timeInForce: 'IOC',
        price: '100.5',
        amount: '1',
        reduceOnly: false,
        reserved: '100.5',
      },
      lot: { ...LOT, sentAmount: '1', sentQuote: '100.5' },
      inputs: { ...ENTRY_INPUTS, ...LOT_INPUTS, limit_price: '100.5' },
    });
  });

  it('that sells reserves its amount of the base currency', () => {
    const sale = entry({ signal: { side: 'SELL' }, account: { freeBase: '1', freeQuote: '0' } });
    expect(sale).toMatchObject({
      outcome: 'COPIED',
      order: { side: 'SELL', price: '99.5', amount: '1', reserved: '1' },
      lot: { sentAmount: '1', sentQuote: '100' },
    });
    expect(entry({ signal: { side: 'SELL' }, account: { freeBase: '0.999' } })).toEqual({
      outcome: 'SKIPPED',
      code: 'INSUFFICIENT_BALANCE',
      targetAmount: '1',
      maskedTarget: null,
      order: null,
      lot: null,
      inputs: {
        ...ENTRY_INPUTS,
        ...LOT_INPUTS,
        limit_price: '99.5',
        rule: 'free_base',
        value: '1',
        limit: '0.999',
      },
    });
  });

  it('adds to what the lot sent before', () => {
    const next = entry({ lot: {}, signal: { cumulativeAmount: '4', filledAmount: '2' } });
    expect(next).toMatchObject({
      targetAmount: '1',
      lot: { sentAmount: '2', sentQuote: '201', seenAmount: '4' },
      inputs: { sent_before: '1', forgone_before: '0', leader_amount: '4' },
    });
  });

  it('shows its age', () => {
    expect(entry({ signal: { signalAt: new Date(NOW.getTime() - 250) } }).inputs).toMatchObject({
      age_ms: 250,
    });
  });
});

it('an entry of a lot without a ratio starts the lot anew, and forgoes earlier fills', () => {
  const plan = entry({ lot: { ratio: null }, signal: { cumulativeAmount: '3', filledAmount: '1' } });
  expect(plan).toMatchObject({
    outcome: 'COPIED',
    order: { amount: '0.5' },
    lot: { ...LOT, sentAmount: '0.5', sentQuote: '50.25', forgoneAmount: '1', seenAmount: '3' },
  });
});

describe('the pair of the copier', () => {
  const shownBy = (symbol: string | undefined) =>
    [entry, exit].map((plan) => plan({ pair: { symbol } }).inputs.copier_symbol);

  it('is shown if its symbol differs from that of the strategy', () => {
    expect(shownBy('BTC/USDC')).toEqual(['BTC/USDC', 'BTC/USDC']);
    expect(shownBy('BTC/USDT')).toEqual([undefined, undefined]);
    expect(entry({ pair: { symbol: undefined } }).inputs).not.toHaveProperty('copier_symbol');
    expect(entry({ pair: null }).inputs).not.toHaveProperty('copier_symbol');
  });
});

describe('a clamped entry', () => {
  it.each<[string, PlanOverrides, object]>([
    [
      'max_trade_quote',
      { terms: { maxTradeQuote: '50' } },
      { code: 'MAX_TRADE', value: '100.5', limit: '50', amount: '0.497' },
    ],
    [
      'max_open_quote',
      { terms: { maxOpenQuote: '50' } },
      { code: 'MAX_OPEN', value: '100.5', limit: '50', amount: '0.497' },
    ],
    [
      'max_amount',
      { pair: { maxAmount: '0.4' } },
      { code: 'MAX_TRADE', value: '1', limit: '0.4', amount: '0.4' },
    ],
    [
      'max_notional',
      { pair: { maxNotional: '50' } },
      { code: 'MAX_TRADE', value: '100.5', limit: '50', amount: '0.497' },
    ],
  ])('by %s shows the limit, and forgoes the rest', (rule, overrides, expected) => {
    const { code, value, limit, amount } = expected as Record<string, string>;
    const plan = entry(overrides);
    expect(plan).toMatchObject({ outcome: 'CLAMPED', code, targetAmount: '1', order: { amount } });
    expect(plan.inputs).toEqual({ ...ENTRY_INPUTS, ...LOT_INPUTS, rule, value, limit, limit_price: '100.5' });
    expect(Number(plan.lot?.sentAmount) + Number(plan.lot?.forgoneAmount)).toBe(1);
  });

  it('is not clamped by a cap that equals its size', () => {
    expect(entry({ terms: { maxTradeQuote: '100.5' } }).outcome).toBe('COPIED');
    expect(entry({ pair: { maxAmount: '1' } }).outcome).toBe('COPIED');
    expect(entry({ terms: { maxTradeQuote: '100.4' } }).outcome).toBe('CLAMPED');
  });

  it('names the first of equal caps', () => {
    const plan = entry({ terms: { maxTradeQuote: '50', maxOpenQuote: '50' } });
    expect(plan.inputs).toMatchObject({ rule: 'max_trade_quote' });
  });

  it('is skipped if the limit leaves too little, and shows the limit and the price', () => {
    const plan = entry({ terms: { maxOpenQuote: '100' }, copier: { openQuote: '97' } });
    expect(plan).toEqual({
      outcome: 'SKIPPED',
      code: 'MAX_OPEN',
      targetAmount: '1',
      maskedTarget: null,
      order: null,
      lot: null,
      inputs: {
        ...ENTRY_INPUTS,
        ...LOT_INPUTS,
        limit_price: '100.5',
        rule: 'max_open_quote',
        value: '100.5',
        limit: '100',
      },
    });
    expect(entry({ terms: { maxOpenQuote: '100' }, copier: { openQuote: '120' } }).code).toBe('MAX_OPEN');
  });
});

describe('a rejected entry', () => {
  const SKIPPED = { outcome: 'SKIPPED', targetAmount: '0', maskedTarget: null, order: null, lot: null };
  it.each<[string, PlanOverrides, object]>([
    ['NOT_ACTIVE', { copier: { status: 'PAUSED' } }, { rule: 'status', value: 'PAUSED', limit: 'ACTIVE' }],
    ['NOT_ACTIVE', { copier: { startedAt: null } }, { rule: 'status', value: 'ACTIVE', limit: 'ACTIVE' }],
    ['NOT_HELD', { copier: { startedSequence: 11 } }, { rule: 'watermark', value: 11, limit: 11 }],
    ['CREDENTIALS', { account: { isActive: false } }, { rule: 'credentials', value: 'REFUSED', limit: null }],
    [
      'PAIR_BLOCKED',
      { terms: { allowedPairs: ['ETH/USDT'] } },
      { rule: 'allowed_pairs', value: 'BTC/USDT', limit: null },
    ],
    [
      'PAIR_BLOCKED',
      { terms: { blockedPairs: ['ETH/USDT', 'BTC/USDT'] } },
      { rule: 'blocked_pairs', value: 'BTC/USDT', limit: null },
    ],
    ['PAIR_UNAVAILABLE', { pair: null }, { rule: 'pair', value: 'BTC/USDT', limit: null }],
    [
      'SIDE_BLOCKED',
      { terms: { allowedSides: ['SELL'] } },
      { rule: 'allowed_sides', value: 'BUY', limit: 'SELL' },
    ],
    [
      'SIDE_BLOCKED',
      { terms: { allowedSides: ['SELL', 'SELL'] } },
      { rule: 'allowed_sides', value: 'BUY', limit: 'SELL,SELL' },
    ],
    ['SIDE_BLOCKED', { terms: { allowedSides: [] } }, { rule: 'allowed_sides', value: 'BUY', limit: '' }],
    ['OFF_MARKET', { bookMid: null }, { rule: 'order_book', value: null, limit: 50, book_mid: null }],
    [
      'OFF_MARKET',
      { bookMid: '99' },
      { rule: 'max_slippage_bps', value: '101.0102', limit: 50, book_mid: '99' },
    ],
    [
      'OFF_MARKET',
      { bookMid: '125' },
      { rule: 'max_slippage_bps', value: '2000', limit: 50, book_mid: '125' },
    ],
    [
      'DAILY_LOSS',
      { terms: { maxDailyLossQuote: '10' }, copier: { dayLossQuote: '11' } },
      { rule: 'max_daily_loss_quote', value: '11', limit: '10' },
    ],
    [
      'DRAWDOWN',
      { terms: { maxDrawdownPercent: '5' }, copier: { drawdownPercent: '5' } },
      { rule: 'max_drawdown_percent', value: '5', limit: '5' },
    ],
    [
      'MAX_TRADES',
      { terms: { maxOpenTrades: 2 }, copier: { openLotCount: 3 } },
      { rule: 'max_open_trades', value: 3, limit: 2 },
    ],
    [
      'STALE_EQUITY',
      {
        terms: { sizing: { mode: 'EQUITY_RATIO', value: '1', capital: null } },
        signal: { leaderEquity: null },
      },
      { rule: 'leader_equity', value: null, limit: null },
    ],
    [
      'STALE_EQUITY',
      { terms: { sizing: { mode: 'EQUITY_RATIO', value: '1', capital: null } }, account: { equity: null } },
      { rule: 'equity', value: null, limit: null },
    ],
  ])('as %s shows the rule, the value and the limit: %j', (code, overrides, numbers) => {
    expect(entry(overrides)).toEqual({ ...SKIPPED, code, inputs: { ...ENTRY_INPUTS, ...numbers } });
  });

  it('because no price tick is near shows the reference price and the tick', () => {
    const pair = { minNotional: '0' };
    const plan = entry({ signal: { referencePrice: '0.003' }, pair });
    expect(plan).toMatchObject({ code: 'SLIPPAGE', targetAmount: '1', lot: null });
    expect(plan.inputs).toEqual({
      ...ENTRY_INPUTS,
      ...LOT_INPUTS,
      reference_price: '0.003',
      rule: 'price_tick',
      value: '0.003',
      limit: '0.01',
    });
  });

  it.each<[string, PlanOverrides]>([
    ['with a listed pair', { terms: { allowedPairs: ['ETH/USDT', 'BTC/USDT'] } }],
    ['with other blocked pairs', { terms: { blockedPairs: ['ETH/USDT'] } }],
    ['with a listed side', { terms: { allowedSides: ['SELL', 'BUY'] } }],
    ['below the maximum of open trades', { terms: { maxOpenTrades: 2 }, copier: { openLotCount: 1 } }],
    [
      'below the maximum drawdown',
      { terms: { maxDrawdownPercent: '5' }, copier: { drawdownPercent: '4.99' } },
    ],
    ['with an unknown drawdown', { terms: { maxDrawdownPercent: '5' }, copier: { drawdownPercent: null } }],
    ['without a maximum drawdown', { copier: { drawdownPercent: '99' } }],
    ['whose book belongs to the past', { bookMid: 'PAST' }],
    ['exactly at the slippage bound', { bookMid: '125', terms: { maxSlippageBps: 2_000 } }],
  ])('is copied instead %s', (_case, overrides) => {
    expect(entry(overrides)).toMatchObject({ outcome: 'COPIED', code: null });
  });

  it('keeps the lot that exists, and forgoes only what the signal added', () => {
    const plan = entry({
      lot: { forgoneAmount: '0.1' },
      account: { isActive: false },
      signal: { cumulativeAmount: '3', filledAmount: '1' },
    });
    expect(plan.lot).toEqual({
      ...LOT,
      sentAmount: '1',
      sentQuote: '100.5',
      forgoneAmount: '0.6',
      seenAmount: '3',
    });
  });

  it('keeps a lot without a ratio unchanged', () => {
    const plan = entry({ lot: { ratio: null }, account: { isActive: false } });
    expect(plan.lot).toEqual({ ...LOT, ratio: null, sentAmount: '1', sentQuote: '100.5' });
  });
});

describe('an entry below the minimum', () => {
  const small = { cumulativeAmount: '0.06', filledAmount: '0.06' };

  it('shows the price, and is carried without a lot only if the copier skips small sizes', () => {
    const carried = entry({ signal: small });
    expect(carried).toEqual({
      outcome: 'SKIPPED',
      code: 'BELOW_MINIMUM',
      targetAmount: '0.03',
      maskedTarget: null,
      order: null,
      lot: { ...LOT, seenAmount: '0.06' },
      inputs: {
        ...ENTRY_INPUTS,
        ...LOT_INPUTS,
        leader_amount: '0.06',
        limit_price: '100.5',
        rule: 'min_notional',
        value: '3.015',
        limit: '5',
      },
    });
    expect(entry({ signal: small, terms: { belowMinimum: 'SKIP' } }).lot).toBeNull();
    expect(entry({ signal: { cumulativeAmount: '0', filledAmount: '0' } }).lot).toBeNull();
  });

  it('raised by ROUND_UP shows the rule that raised it', () => {
    const plan = entry({ signal: small, terms: { belowMinimum: 'ROUND_UP' } });
    expect(plan.inputs).toEqual({
      ...ENTRY_INPUTS,
      ...LOT_INPUTS,
      leader_amount: '0.06',
      rounded_up: true,
      rule: 'min_notional',
      value: '3.015',
      limit: '5',
      limit_price: '100.5',
    });
    expect(plan).toMatchObject({ outcome: 'COPIED', code: null, lot: { sentAmount: '0.054' } });
  });

  it('may be raised to exactly twice the size, and up to a cap that equals it', () => {
    const twice = { cumulativeAmount: '0.054', filledAmount: '0.054' };
    const terms = { belowMinimum: 'ROUND_UP' } as const;
    expect(entry({ signal: twice, terms }).order?.amount).toBe('0.054');
    const below = { cumulativeAmount: '0.0539', filledAmount: '0.0539' };
    expect(entry({ signal: below, terms }).order).toBeNull();
    expect(entry({ signal: twice, terms: { ...terms, maxTradeQuote: '5.427' } }).order?.amount).toBe('0.054');
    expect(entry({ signal: twice, terms: { ...terms, maxTradeQuote: '5.426' } }).order).toBeNull();
  });
});

describe('an exit', () => {
  const order = {
    type: 'MARKET',
    side: 'SELL',
    timeInForce: 'GTC',
    price: null,
    amount: '0.2',
    reduceOnly: true,
    reserved: '0.2',
  };
  const lot = { ...LOT, sentAmount: '1', sentQuote: '100.5' };

  it('sells its share', () => {
    expect(exit()).toEqual({
      outcome: 'COPIED',
      code: null,
      targetAmount: '0.2',
      maskedTarget: null,
      order,
      lot,
      inputs: EXIT_INPUTS,
    });
  });

  it('of a short lot buys, and reserves the cost at the newest price', () => {
    const plan = exit({ signal: { side: 'BUY' }, account: { freeBase: '0' }, pair: { lastPrice: '110.5' } });
    expect(plan).toMatchObject({
      outcome: 'COPIED',
      order: { side: 'BUY', amount: '0.2', reserved: '22.1' },
    });
  });

  it('while the copier is paused shows its status', () => {
    expect(exit({ copier: { status: 'PAUSED' } })).toEqual({
      outcome: 'SKIPPED',
      code: 'NOT_ACTIVE',
      targetAmount: '0',
      maskedTarget: null,
      order: null,
      lot,
      inputs: { ...EXIT_INPUTS, rule: 'status', value: 'PAUSED', limit: 'CLOSE_ONLY' },
    });
  });

  it('of an empty lot shows that nothing is held', () => {
    expect(exit({ lot: { heldAmount: '0' } })).toEqual({
      outcome: 'SKIPPED',
      code: 'NOT_HELD',
      targetAmount: '0',
      maskedTarget: null,
      order: null,
      lot,
      inputs: { ...EXIT_INPUTS, held: '0', rule: 'held', value: '0', limit: null },
    });
    expect(exit({ lot: null }).inputs).toEqual({
      ...EXIT_INPUTS,
      held: '0',
      rule: 'held',
      value: '0',
      limit: null,
    });
  });

  it('of a pair that cannot be traded shows the pair', () => {
    expect(exit({ pair: null }).inputs).toEqual({
      ...EXIT_INPUTS,
      rule: 'pair',
      value: 'BTC/USDT',
      limit: null,
    });
  });

  it('below the minimum shows what is missing', () => {
    expect(exit({ signal: { exitAmount: '0.08' } })).toEqual({
      outcome: 'SKIPPED',
      code: 'BELOW_MINIMUM',
      targetAmount: '0.04',
      maskedTarget: null,
      order: null,
      lot: { ...lot, owedAmount: '0.04' },
      inputs: {
        ...EXIT_INPUTS,
        exit_amount: '0.08',
        rule: 'min_notional',
        value: '4',
        limit: '5',
        missing_amount: '0.01',
      },
    });
  });

  it('with too little balance shows what is free', () => {
    expect(exit({ signal: CLOSE, account: { freeBase: '0' } })).toEqual({
      outcome: 'SKIPPED',
      code: 'INSUFFICIENT_BALANCE',
      targetAmount: '1',
      maskedTarget: null,
      order: null,
      lot: { ...lot, owedAmount: '1' },
      inputs: { ...EXIT_INPUTS, exit_amount: '2', rule: 'free_base', value: '1', limit: '0' },
    });
    const clamped = exit({ signal: CLOSE, account: { freeBase: '0.4' } });
    expect(clamped.inputs).toEqual({
      ...EXIT_INPUTS,
      exit_amount: '2',
      rule: 'free_base',
      value: '1',
      limit: '0.4',
    });
    expect(clamped.lot).toEqual({ ...lot, owedAmount: '0.6' });
    expect(exit({ signal: CLOSE, account: { freeBase: '-3' } })).toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      order: null,
    });
  });

  it('sells what is owed besides its share, but never more than is held', () => {
    expect(exit({ lot: { owedAmount: '0.5' } }).targetAmount).toBe('0.6');
    expect(exit({ lot: { owedAmount: '5' } }).targetAmount).toBe('1');
    expect(exit({ signal: { exitAmount: '9' } }).targetAmount).toBe('1');
    expect(exit({ signal: { lotAmountBefore: '0' } })).toMatchObject({ targetAmount: '0', order: null });
  });

  it('of a lot without a ratio owes what it does not sell, and forgoes nothing', () => {
    const plan = exit({ lot: { ratio: null }, signal: { exitAmount: '0.08' } });
    expect(plan.lot).toEqual({ ...lot, ratio: null, owedAmount: '0.04' });
  });

  it('above the maximum of market orders is split so that the rest can be sold', () => {
    const amountOf = (pair: PlanOverrides['pair']) => exit({ signal: CLOSE, pair }).order?.amount;
    expect(amountOf({ marketMaxAmount: '0.6' })).toBe('0.6');
    expect(amountOf({ marketMaxAmount: '0.6', maxAmount: '0.5', maxNotional: '70' })).toBe('0.5');
    expect(amountOf({ marketMaxAmount: '0.6', maxAmount: '0.9', maxNotional: '40' })).toBe('0.4');
    expect(amountOf({ marketMaxAmount: '0', maxAmount: '0.9' })).toBe('0.9');
    expect(amountOf({ maxAmount: '1' })).toBe('1');
    expect(amountOf({ maxAmount: '0.96' })).toBe('0.95');
    expect(amountOf({ maxAmount: '0.95' })).toBe('0.95');
  });

  it('that closes the leader’s lot drops all that is carried, whatever amount the leader sold', () => {
    const carried = { sentAmount: '0.96', heldAmount: '0.96' };
    expect(exit({ signal: { ...CLOSE, exitAmount: '0.5' }, lot: carried }).lot?.forgoneAmount).toBe('0.04');
    expect(exit({ signal: { exitAmount: '0.5' }, lot: carried }).lot?.forgoneAmount).toBe('0.01');
  });

  it('that would be below the minimum with any balance does not blame the balance', () => {
    const plan = exit({ signal: CLOSE, lot: { heldAmount: '0.04' }, account: { freeBase: '0.01' } });
    expect(plan).toMatchObject({
      code: 'BELOW_MINIMUM',
      inputs: { rule: 'min_notional', value: '1', limit: '5', missing_amount: '0.04' },
    });
  });

  it('of less than one step misses one step if the exchange has no minimum', () => {
    const pair = { minAmount: '0', minNotional: '0' };
    const plan = exit({ signal: CLOSE, lot: { heldAmount: '0.0004' }, pair });
    expect(plan).toMatchObject({
      code: 'BELOW_MINIMUM',
      inputs: { rule: 'min_amount', value: '0', limit: '0', missing_amount: '0.001' },
    });
  });

  it('is judged by the last price if the fill is as old', () => {
    const plan = exit({ pair: { lastPrice: '10', lastPriceAt: NOW } });
    expect(plan).toMatchObject({ code: 'BELOW_MINIMUM', inputs: { value: '2' } });
  });
});
