import { decisionCodeOf, entryVerdict, exitVerdict, retryAfterMs, slippageBps } from './settlement.rules.js';

const planned = { outcome: 'CLAMPED', code: 'MAX_TRADE' } as const;
const order = {
  status: 'CANCELLED',
  cancelReason: 'IOC_REMAINDER',
  failureCode: null,
  amount: '5',
  filledAmount: '2',
} as const;

describe('the verdict on an entry', () => {
  it('is the planned verdict if the order was filled completely, however it ended', () => {
    expect(entryVerdict(planned, { ...order, filledAmount: '5' })).toEqual(planned);
    expect(entryVerdict(planned, { ...order, filledAmount: '5.000', status: 'FILLED' })).toEqual(planned);
    const copied = { outcome: 'COPIED', code: null } as const;
    for (const status of ['FILLED', 'CANCELLED', 'FAILED'] as const)
      expect(entryVerdict(copied, { ...order, filledAmount: '5', status })).toEqual(copied);
  });

  it.each([
    ['IOC_REMAINDER', 'SLIPPAGE'],
    ['EXCHANGE', 'SLIPPAGE'],
    ['EXPIRED', 'STALE_SIGNAL'],
    ['USER', 'NOT_ACTIVE'],
    ['RISK', 'NOT_ACTIVE'],
  ] as const)(
    'after a cancellation for the reason %s is CLAMPED, or SKIPPED without a fill, with the code %s unless a limit applied before',
    (cancelReason, code) => {
      const copied = { outcome: 'COPIED', code: null } as const;
      expect(entryVerdict(copied, { ...order, cancelReason })).toEqual({ outcome: 'CLAMPED', code });
      expect(entryVerdict(planned, { ...order, cancelReason })).toEqual(planned);
      expect(entryVerdict(planned, { ...order, cancelReason, filledAmount: '0' })).toEqual({
        outcome: 'SKIPPED',
        code,
      });
    },
  );

  it('is FAILED with the mapped code if the exchange rejected the order', () => {
    const failed = { ...order, status: 'FAILED', filledAmount: '0', failureCode: 'rate_limited' } as const;
    expect(entryVerdict(planned, failed)).toEqual({ outcome: 'FAILED', code: 'RATE_LIMITED' });
    expect(decisionCodeOf('credentials_rejected')).toBe('CREDENTIALS');
    expect(decisionCodeOf('insufficient_balance')).toBe('INSUFFICIENT_BALANCE');
    expect(decisionCodeOf('rule_violated')).toBe('EXCHANGE_REJECTED');
    expect(decisionCodeOf(null)).toBe('EXCHANGE_REJECTED');
  });
});

it.each([
  ['credentials_rejected', 'CREDENTIALS'],
  ['permission_missing', 'CREDENTIALS'],
  ['insufficient_balance', 'INSUFFICIENT_BALANCE'],
  ['insufficient_funds', 'INSUFFICIENT_BALANCE'],
  ['rate_limited', 'RATE_LIMITED'],
  ['stale_signal', 'STALE_SIGNAL'],
  ['expired', 'STALE_SIGNAL'],
  ['not_accepted', 'NOT_ACCEPTED'],
])('the failure %s has the decision code %s', (failure, code) => {
  expect(decisionCodeOf(failure)).toBe(code);
});

describe('the verdict on an exit', () => {
  it('is COPIED if nothing, or less than one step of an amount, is left', () => {
    const exit = { filledAmount: '4.9', targetAmount: '5', amountStep: '0.2' };
    for (const code of ['BELOW_MINIMUM', 'NOT_HELD', null] as const) {
      expect(exitVerdict(exit, code)).toEqual({ outcome: 'COPIED', code: null });
      expect(exitVerdict({ ...exit, filledAmount: '5', amountStep: '0' }, code)).toEqual({
        outcome: 'COPIED',
        code: null,
      });
    }
  });

  it('is NOT_HELD if more than that is left and the copier holds nothing any more', () => {
    const exit = { filledAmount: '4.8', targetAmount: '5', amountStep: '0.2' };
    expect(exitVerdict(exit, null)).toEqual({ outcome: 'CLAMPED', code: 'NOT_HELD' });
    expect(exitVerdict({ ...exit, filledAmount: '0' }, null)).toEqual({
      outcome: 'SKIPPED',
      code: 'NOT_HELD',
    });
  });

  it('is CLAMPED for any other code, or SKIPPED if no amount was sold', () => {
    const exit = { filledAmount: '2', targetAmount: '5', amountStep: '0.2' };
    expect(exitVerdict(exit, 'NOT_ACTIVE')).toEqual({ outcome: 'CLAMPED', code: 'NOT_ACTIVE' });
    expect(exitVerdict({ ...exit, filledAmount: '0' }, 'BELOW_MINIMUM')).toEqual({
      outcome: 'SKIPPED',
      code: 'BELOW_MINIMUM',
    });
  });
});

describe('slippage', () => {
  it('is positive if the copy paid more or received less, and null without a fill or a reference price', () => {
    expect(slippageBps('BUY', '100', '2', '201')).toBe('50');
    expect(slippageBps('SELL', '100', '2', '201')).toBe('-50');
    expect(slippageBps('SELL', '100', '3', '299')).toBe('33.3333');
    expect(slippageBps('BUY', '100', '0', '0')).toBeNull();
    expect(slippageBps('BUY', '0', '1', '100')).toBeNull();
  });
});

it('the delay between orders of an exit grows with each failure, up to one minute', () => {
  expect([1, 2, 3, 7, 500].map(retryAfterMs)).toEqual([1_000, 2_000, 4_000, 60_000, 60_000]);
});
