/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { Decimal } from 'decimal.js';
import { planCopy } from './plan.rules.js';
import type { CopyPlan } from './plan.types.js';
import { entryInput, exitInput, type PlanOverrides } from './testing/plan-inputs.js';

const plan = (overrides: PlanOverrides = {}) => planCopy(entryInput(overrides));

/** Plans an entry of half the leader's amount. */
const entryOf = (leaderAmount: string, overrides: PlanOverrides = {}) =>
  plan({ ...overrides, signal: { cumulativeAmount: leaderAmount, filledAmount: leaderAmount } });

/** What a filled entry leaves in the lot if its fee is charged in each of the three ways. */
const FEES: readonly [string, (amount: Decimal) => Decimal][] = [
  ['base currency', (amount) => amount.times('0.999')],
  ['quote currency', (amount) => amount],
  ['a third asset', (amount) => amount],
];

const closeOf = (heldAmount: string, lastPrice = '100') =>
  planCopy(
    exitInput({
      lot: { heldAmount },
      pair: { lastPrice },
      signal: { kind: 'CLOSE', lotAmountBefore: '2', exitAmount: '2' },
    }),
  );

describe('rule 8: an entry', () => {
  it('is skipped if it could not be sold again after the fee and a fall of the price by 5 %', () => {
    const skipped = entryOf('0.106');
    expect(skipped).toMatchObject({
      outcome: 'SKIPPED',
      code: 'BELOW_MINIMUM',
      targetAmount: '0.053',
      order: null,
      inputs: { rule: 'sellable_notional', value: '5.2', limit: '5.25' },
    });
    expect(entryOf('0.108')).toMatchObject({ outcome: 'COPIED', order: { amount: '0.054' } });
  });

  it('at the minimum amount is skipped, because the fee reduces it below that amount', () => {
    const pair = { minNotional: '0', minAmount: '0.1' };
    expect(entryOf('0.2', { pair })).toMatchObject({
      code: 'BELOW_MINIMUM',
      inputs: { rule: 'sellable_amount', value: '0.099', limit: '0.1' },
    });
    expect(entryOf('0.202', { pair }).order?.amount).toBe('0.101');
  });

  it.each(FEES)(
    'of the least size can be sold if its fee is charged in %s and the price falls by 4 %%',
    (_, net) => {
      const { order } = entryOf('0.108');
      const held = net(new Decimal(order!.amount)).toFixed();
      expect(closeOf(held, '96')).toMatchObject({ outcome: 'COPIED', code: null });
    },
  );

  it('assumes a fee of 1 % if the exchange publishes none', () => {
    const pair = { takerFee: null, minNotional: '0', minAmount: '0.1' };
    expect(entryOf('0.202', { pair }).code).toBe('BELOW_MINIMUM');
    expect(entryOf('0.204', { pair }).order?.amount).toBe('0.102');
  });

  it('that sells pays no fee from its amount', () => {
    const pair = { minNotional: '0', minAmount: '0.1' };
    const signal = { side: 'SELL', cumulativeAmount: '0.2', filledAmount: '0.2' } as const;
    expect(plan({ pair, signal }).order?.amount).toBe('0.1');
  });

  it('is sold together with the rest of its lot, so an increase of a large lot needs only the exchange minimum', () => {
    const increase = { kind: 'INCREASE', cumulativeAmount: '2.1', filledAmount: '0.1' } as const;
    expect(plan({ lot: { heldAmount: '1' }, signal: increase }).order?.amount).toBe('0.05');
    expect(plan({ lot: { heldAmount: '0' }, signal: increase }).code).toBe('BELOW_MINIMUM');
  });

  it('below that size is carried by ACCUMULATE until the sum can be sold again', () => {
    const first = entryOf('0.1');
    expect(first).toMatchObject({ code: 'BELOW_MINIMUM', lot: { sentAmount: '0', forgoneAmount: '0' } });
    const lot = { ...first.lot!, heldAmount: '0' };
    const next = plan({
      lot,
      signal: { kind: 'INCREASE', cumulativeAmount: '0.108', filledAmount: '0.008' },
    });
    expect(next).toMatchObject({ outcome: 'COPIED', order: { amount: '0.054' } });
  });

  it('raised by ROUND_UP can be sold again with every step, fee and minimum', () => {
    const raised: CopyPlan[] = [];
    for (const amountStep of ['0.001', '0.01', '0.00001']) {
      for (const marketAmountStep of [null, '0.02']) {
        for (const takerFee of ['0', '0.001', '0.006', null]) {
          const pair = { amountStep, marketAmountStep, takerFee };
          const result = entryOf('0.08', { pair, terms: { belowMinimum: 'ROUND_UP' } });
          if (result.order === null) continue;
          raised.push(result);
          const held = new Decimal(result.order.amount).times(new Decimal(1).minus(takerFee ?? '0.01'));
          const close = planCopy(
            exitInput({
              pair,
              lot: { heldAmount: held.toFixed() },
              signal: { kind: 'CLOSE', lotAmountBefore: '2', exitAmount: '2' },
            }),
          );
          expect(close).toMatchObject({ outcome: 'COPIED', code: null });
        }
      }
    }
    expect(raised.length).toBeGreaterThan(15);
  });
});
