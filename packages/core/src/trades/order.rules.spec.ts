/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { TIMES_IN_FORCE, TRADE_TYPES } from '@trading-automation/contracts';
import fc from 'fast-check';
import {
  isCostTooLarge,
  type OrderToCheck,
  type PairRules,
  reservationFor,
  violationsOf,
} from './order.rules.js';

const SCALE = 18;
const ONE = 10n ** 18n;

function formatUnits(units: bigint): string {
  const digits = units.toString().padStart(SCALE + 1, '0');
  const fraction = digits.slice(-SCALE).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, -SCALE) : `${digits.slice(0, -SCALE)}.${fraction}`;
}
function parseUnits(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(SCALE, '0'));
}

const rulesOf = (overrides: Partial<PairRules> = {}): PairRules => ({
  base: 'BTC',
  quote: 'USDT',
  priceTick: '0.010000000000000000',
  amountStep: '0.000100000000000000',
  minAmount: '0.001',
  maxAmount: '100',
  minNotional: '5',
  maxNotional: '1000000',
  marketAmountStep: null,
  marketMaxAmount: null,
  orderTypes: TRADE_TYPES,
  timeInForces: TIMES_IN_FORCE,
  lastPrice: null,
  ...overrides,
});
const orderOf = (overrides: Partial<OrderToCheck> = {}): OrderToCheck => ({
  type: 'LIMIT',
  side: 'BUY',
  timeInForce: 'GTC',
  amount: '1',
  price: '100',
  ...overrides,
});
const market = { type: 'MARKET', price: undefined } as const;
const brokenBy = (order: Partial<OrderToCheck>, rules: Partial<PairRules> = {}) =>
  violationsOf(orderOf(order), rulesOf(rules)).map(({ field, rule, value, limit }) => [
    field,
    rule,
    value,
    limit,
  ]);

describe('an order', () => {
  it.each([
    ['that is far from every limit', {}, {}],
    ['with the least amount', { amount: '0.001', price: '5000' }, {}],
    ['with the largest amount', { amount: '100' }, {}],
    ['with exactly the least notional', { amount: '0.05' }, {}],
    ['with exactly the largest notional', { amount: '100', price: '10000' }, {}],
    [
      'without any upper bound',
      { amount: '99999999', price: '99999999' },
      { maxAmount: null, maxNotional: null },
    ],
    [
      'without steps',
      { amount: '0.123456789012345678', price: '1000.000000000000000001' },
      { amountStep: '0', priceTick: '0' },
    ],
    ['with a stop price on the tick', { type: 'STOP_LIMIT', stopPrice: '99.99' }, {}],
    [
      'that is a limit order and exceeds limits for market orders',
      {},
      { marketAmountStep: '7', marketMaxAmount: '0.1' },
    ],
    ['of type MARKET, whose time in force is not sent,', market, { timeInForces: ['POST_ONLY'] }],
    ['of type MARKET, valued at the last price,', { ...market, amount: '0.05' }, { lastPrice: '100' }],
    ['of type MARKET with a small notional on a pair without a price', { ...market, amount: '0.001' }, {}],
  ] as const)('%s breaks no rule of its pair', (_case, order, rules) => {
    expect(brokenBy(order, rules)).toEqual([]);
  });
});

describe('an order that breaks a rule', () => {
  it.each([
    ['amount_step', { amount: '1.00001' }, {}, ['amount', 'amount_step', '1.00001', '0.0001']],
    ['min_amount', { amount: '0.0009', price: '10000' }, {}, ['amount', 'min_amount', '0.0009', '0.001']],
    ['max_amount', { amount: '100.0001' }, {}, ['amount', 'max_amount', '100.0001', '100']],
    ['price_tick', { price: '100.001' }, {}, ['price', 'price_tick', '100.001', '0.01']],
    [
      'the tick of a stop price',
      { type: 'STOP_LIMIT', stopPrice: '99.999' },
      {},
      ['stop_price', 'price_tick', '99.999', '0.01'],
    ],
    ['min_notional', { amount: '0.0499' }, {}, ['amount', 'min_notional', '4.99', '5']],
    [
      'max_notional',
      { amount: '100', price: '10000.01' },
      {},
      ['amount', 'max_notional', '1000001', '1000000'],
    ],
    [
      'min_notional at the last price',
      { ...market, amount: '0.04' },
      { lastPrice: '100' },
      ['amount', 'min_notional', '4', '5'],
    ],
    [
      'min_notional at the stop price',
      { type: 'STOP_MARKET', price: undefined, stopPrice: '10', amount: '0.4' },
      { lastPrice: '100' },
      ['amount', 'min_notional', '4', '5'],
    ],
    [
      'the step of market orders',
      { ...market, amount: '0.15' },
      { marketAmountStep: '0.1' },
      ['amount', 'market_amount_step', '0.15', '0.1'],
    ],
    [
      'the largest amount of market orders',
      { type: 'STOP_MARKET', price: undefined, stopPrice: '10', amount: '2' },
      { marketMaxAmount: '1.5' },
      ['amount', 'market_max_amount', '2', '1.5'],
    ],
    ['the supported order types', {}, { orderTypes: ['MARKET'] }, ['type', 'order_types', 'LIMIT', 'MARKET']],
    [
      'the supported times in force',
      { timeInForce: 'POST_ONLY' },
      { timeInForces: ['GTC', 'IOC'] },
      ['time_in_force', 'time_in_forces', 'POST_ONLY', 'GTC, IOC'],
    ],
  ] as const)(
    'row 14: leads to a violation with the rule, the value and the limit: %s',
    (_case, order, rules, violation) => {
      expect(brokenBy(order, rules)).toEqual([violation]);
    },
  );

  it('does not include min_notional for reduce-only orders, so that a position that lost its value can be closed', () => {
    const small = { ...market, amount: '0.04' };
    expect(brokenBy(small, { lastPrice: '100' })).toHaveLength(1);
    expect(brokenBy({ ...small, reduceOnly: true }, { lastPrice: '100' })).toEqual([]);
    const tiny = { ...market, amount: '0.0001', reduceOnly: true };
    expect(brokenBy(tiny, { lastPrice: '100' }).map(([, rule]) => rule)).toEqual(['min_amount']);
  });

  it('leads to one violation for each broken rule', () => {
    const order = { type: 'STOP_LIMIT', amount: '0.00005', price: '0.001', stopPrice: '0.002' } as const;
    expect(brokenBy(order).map(([field, rule]) => `${field} ${rule}`)).toEqual([
      'amount amount_step',
      'amount min_amount',
      'price price_tick',
      'stop_price price_tick',
      'amount min_notional',
    ]);
  });
});

/** Sizes of steps, in units of 10^-18. */
const step = fc.oneof(
  fc.bigInt({ min: 1n, max: 10n ** 20n }),
  fc.nat(20).map((exponent) => 10n ** BigInt(exponent)),
);
/** Amounts in units of 10^-18, with up to 20 digits before the decimal point. */
const amount = fc.bigInt({ min: 1n, max: 10n ** 38n - 1n });
/** A step and a value; about half of the values are multiples of their step. */
const stepAndValue = fc
  .tuple(step, amount, fc.bigInt({ min: 1n, max: 10n ** 18n }), fc.boolean())
  .map(([size, anyAmount, count, isMultiple]) => ({ size, value: isMultiple ? size * count : anyAmount }));
const NO_LIMITS = { minAmount: '0', maxAmount: null, minNotional: '0', maxNotional: null } as const;

describe('steps', () => {
  it('row 13: accept an amount if and only if it is a multiple of the step', () => {
    fc.assert(
      fc.property(stepAndValue, ({ size, value }) => {
        const rules = { ...NO_LIMITS, amountStep: formatUnits(size), priceTick: '0' };
        const isBroken = brokenBy({ amount: formatUnits(value) }, rules).length > 0;
        expect(isBroken).toBe(value % size !== 0n);
      }),
      { numRuns: 1_000 },
    );
  });

  it('accept a price and a stop price if and only if they are multiples of the tick', () => {
    fc.assert(
      fc.property(stepAndValue, ({ size, value }) => {
        const rules = { ...NO_LIMITS, amountStep: '0', priceTick: formatUnits(size) };
        const price = formatUnits(value);
        const fields = brokenBy({ type: 'STOP_LIMIT', price, stopPrice: price }, rules).map(
          ([field]) => field,
        );
        expect(fields).toEqual(value % size === 0n ? [] : ['price', 'stop_price']);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the reservation of an order', () => {
  it('is never less than price × amount, and exceeds it by less than 10^-18', () => {
    fc.assert(
      fc.property(amount, amount, (price, size) => {
        const order = orderOf({ price: formatUnits(price), amount: formatUnits(size) });
        const reserved = reservationFor(order, rulesOf());
        expect(reserved.asset).toBe('USDT');
        const [reservation, exact] = [parseUnits(reserved.amount) * ONE, price * size];
        expect(reservation).toBeGreaterThanOrEqual(exact);
        expect(reservation - exact).toBeLessThan(ONE);
        expect(isCostTooLarge(order, rulesOf())).toBe(reservation >= 10n ** 56n);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    [
      'the amount in base for a limit sell',
      { side: 'SELL', amount: '0.5' },
      {},
      { asset: 'BTC', amount: '0.5' },
    ],
    ['the amount in base for a market sell', { ...market, side: 'SELL' }, {}, { asset: 'BTC', amount: '1' }],
    [
      'the cost at the last price for a market buy',
      market,
      { lastPrice: '99.5' },
      { asset: 'USDT', amount: '99.5' },
    ],
    ['nothing for a market buy without a price', market, {}, { asset: 'USDT', amount: '0' }],
    [
      'the cost at the limit price, not at the stop price',
      { type: 'STOP_LIMIT', stopPrice: '90' },
      {},
      { asset: 'USDT', amount: '100' },
    ],
    [
      'the cost at the stop price if the order has no limit price',
      { type: 'STOP_MARKET', price: undefined, stopPrice: '90' },
      { lastPrice: '10' },
      { asset: 'USDT', amount: '90' },
    ],
  ] as const)('is %s', (_case, order, rules, reserved) => {
    expect(reservationFor(orderOf(order), rulesOf(rules))).toEqual(reserved);
  });

  it('is too large if it has more than 20 digits before the decimal point, even if only because of rounding', () => {
    const nines = '9'.repeat(20);
    const largest = `${nines}.${'9'.repeat(18)}`;
    expect(isCostTooLarge(orderOf({ amount: '1', price: largest }), rulesOf())).toBe(false);
    const roundedUp = { amount: '9999999999.9999999999', price: '10000000000.0000000001' };
    expect(isCostTooLarge(orderOf(roundedUp), rulesOf())).toBe(true);
    expect(isCostTooLarge(orderOf({ ...market, amount: nines }), rulesOf())).toBe(false);
    expect(
      isCostTooLarge(orderOf({ ...market, side: 'SELL', amount: nines }), rulesOf({ lastPrice: '2' })),
    ).toBe(true);
  });
});
