import fc from 'fast-check';
import {
  divideAmongLots,
  loanOwners,
  negated,
  type OwingLot,
  valueAt,
  withoutRepeatedLots,
} from './funding.rules.js';

const lotsOf = (...weights: readonly string[]) => weights.map((weight, i) => ({ lotId: String(i), weight }));
const amountsOf = (total: string, ...weights: readonly string[]) =>
  divideAmongLots(total, lotsOf(...weights)).map(({ amount }) => amount);

describe('the parts of lots', () => {
  it('are proportional to the open amounts', () => {
    expect(amountsOf('-4', '1', '3')).toEqual(['-1', '-3']);
  });

  it('are rounded toward zero, and the last lot takes the rest', () => {
    expect(amountsOf('1', '1', '1', '1')).toEqual([
      '0.333333333333333333',
      '0.333333333333333333',
      '0.333333333333333334',
    ]);
    expect(amountsOf('-1', '1', '2')).toEqual(['-0.333333333333333333', '-0.666666666666666667']);
  });

  it('leave out lots without weight, also if they are last', () => {
    expect(divideAmongLots('5', lotsOf('2', '0'))).toEqual([{ lotId: '0', amount: '5' }]);
    expect(divideAmongLots('5', lotsOf('0'))).toEqual([]);
    expect(divideAmongLots('5', [])).toEqual([]);
  });

  it('add up to the amount, have its sign, and are within a unit of the exact quotient', () => {
    const units = (least: bigint) => fc.bigInt({ min: least, max: 10n ** 24n });
    const decimalOf = (value: bigint) => negated(negated(formatted(value)));
    fc.assert(
      fc.property(
        units(-(10n ** 24n)),
        fc.array(units(1n), { minLength: 1, maxLength: 8 }),
        (total, weights) => {
          const parts = amountsOf(decimalOf(total), ...weights.map(decimalOf)).map(unitsOf);
          const sum = weights.reduce((a, b) => a + b, 0n);
          expect(parts.reduce((a, b) => a + b, 0n)).toBe(total);
          for (const [i, part] of parts.slice(0, -1).entries()) {
            const missing = total * weights[i]! - part * sum;
            expect(total < 0n ? missing <= 0n && missing > -sum : missing >= 0n && missing < sum).toBe(true);
          }
        },
      ),
    );
  });
});

const SCALE = 18;
/** Formats units of 10^-18 with all decimals; independent of the code under test. */
const formatted = (units: bigint) => {
  const digits = (units < 0n ? -units : units).toString().padStart(SCALE + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`;
};
const unitsOf = (text: string) => {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(SCALE, '0'));
  return text.startsWith('-') ? -units : units;
};

describe('the lots that owe a loan', () => {
  const lot = (lotId: string, changes: Partial<OwingLot>): OwingLot => ({
    lotId,
    tradePairId: 'pair',
    side: 'BUY',
    base: 'BTC',
    quote: 'USDT',
    openAmount: '2',
    openValue: '200',
    price: '100',
    ...changes,
  });

  it('are the short lots of the asset, in proportion to their amount', () => {
    const short = lot('short', { side: 'SELL' });
    expect(loanOwners('BTC', [lot('long', {}), short], null)).toEqual({
      lots: [{ ...short, weight: '2' }],
      currency: 'USDT',
      price: '100',
    });
  });

  it('are the long lots bought with the asset, in proportion to their cost', () => {
    const long = lot('long', { openValue: '150' });
    expect(loanOwners('USDT', [long, lot('short', { side: 'SELL' })], null)).toEqual({
      lots: [{ ...long, weight: '150' }],
      currency: 'USDT',
      price: '1',
    });
  });

  it('are those with the quote currency of the oldest short lot, or of the stored value', () => {
    const lots = [lot('a', { side: 'SELL', quote: 'USDC' }), lot('b', { side: 'SELL' })];
    const owners = (currency: string | null) =>
      loanOwners('BTC', lots, currency)?.lots.map(({ lotId }) => lotId);
    expect(owners(null)).toEqual(['a']);
    expect(owners('USDT')).toEqual(['b']);
    expect(owners('EUR')).toBeUndefined();
  });

  it('are long lots of the asset only if the stored value is in it', () => {
    const owners = (currency: string) => loanOwners('USDT', [lot('long', {})], currency)?.lots.length;
    expect([owners('USDT'), owners('EUR')]).toEqual([1, undefined]);
  });

  it('do not exist if no open lot used the loan', () => {
    expect(loanOwners('BTC', [lot('long', {})], null)).toBeNull();
    expect(loanOwners('ETH', [lot('long', {}), lot('short', { side: 'SELL' })], null)).toBeNull();
  });
});

it('a value is rounded toward zero to 18 decimals', () => {
  expect(valueAt('0.000000000000000003', '0.5')).toBe('0.000000000000000001');
  expect(valueAt('2', '1.5')).toBe('3');
});

describe('the lots of several connections', () => {
  const lot = (exchangeAccountId: string, isOurs: boolean, tradePairId = 'BTC') => ({
    exchangeAccountId,
    isOurs,
    tradePairId,
  });

  it('all take part if orders of the product opened them', () => {
    const lots = [lot('a', true), lot('b', true)];
    expect(withoutRepeatedLots(lots, ['a'])).toEqual(lots);
    expect(withoutRepeatedLots(lots, [])).toEqual(lots);
  });

  it('take part for the first reader that has adopted lots, of each pair', () => {
    const [one, two, three] = [lot('a', false), lot('b', false), lot('b', false, 'ETH')];
    expect(withoutRepeatedLots([one, two, three], ['a', 'b'])).toEqual([one, three]);
    expect(withoutRepeatedLots([one, two, three], ['b', 'a'])).toEqual([two, three]);
  });

  it('of the product leave the adopted lots of another reader in place', () => {
    const lots = [lot('a', true), lot('b', false)];
    expect(withoutRepeatedLots(lots, ['a', 'b'])).toEqual(lots);
  });

  it('take no part if they were adopted by a connection that is no reader', () => {
    expect(withoutRepeatedLots([lot('a', false)], ['b'])).toEqual([]);
  });
});
