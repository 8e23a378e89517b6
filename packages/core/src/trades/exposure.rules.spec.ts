import fc from 'fast-check';
import { BigDecimal } from '../values/index.js';
import { type Exposure, effectOf, mayReduceOnly } from './exposure.rules.js';

const exposureOf = (net: string, open: Partial<Exposure> = {}): Exposure => ({
  net,
  buying: '0',
  selling: '0',
  ...open,
});

describe('an order on a net position', () => {
  it.each([
    ['BUY', '2', '0', { intent: 'OPEN', positionSide: 'LONG', isExit: false, openingAmount: '2' }],
    ['SELL', '2', '0', { intent: 'OPEN', positionSide: 'SHORT', isExit: false, openingAmount: '2' }],
    ['BUY', '2', '1', { intent: 'INCREASE', positionSide: 'LONG', isExit: false, openingAmount: '2' }],
    ['SELL', '2', '-1', { intent: 'INCREASE', positionSide: 'SHORT', isExit: false, openingAmount: '2' }],
    ['SELL', '1', '3', { intent: 'REDUCE', positionSide: 'LONG', isExit: true, openingAmount: '0' }],
    ['BUY', '1', '-3', { intent: 'REDUCE', positionSide: 'SHORT', isExit: true, openingAmount: '0' }],
    ['SELL', '3', '3', { intent: 'CLOSE', positionSide: 'LONG', isExit: true, openingAmount: '0' }],
    ['SELL', '5', '3', { intent: 'CLOSE', positionSide: 'LONG', isExit: false, openingAmount: '2' }],
    ['BUY', '5', '-3', { intent: 'CLOSE', positionSide: 'SHORT', isExit: false, openingAmount: '2' }],
  ] as const)('%s %s at a net position of %s', (side, amount, net, effect) => {
    expect(effectOf({ side, amount, reduceOnly: false }, exposureOf(net))).toEqual(effect);
  });

  it('may open what other open orders of its side already reduce', () => {
    const order = { side: 'SELL', amount: '2', reduceOnly: false } as const;
    expect(effectOf(order, exposureOf('3', { selling: '2' })).openingAmount).toBe('1');
    expect(effectOf(order, exposureOf('3', { buying: '2' })).openingAmount).toBe('0');
    expect(effectOf(order, exposureOf('3', { selling: '9' })).openingAmount).toBe('2');
  });

  it('opens nothing if it is reduce-only', () => {
    const order = { side: 'SELL', amount: '5', reduceOnly: true } as const;
    expect(effectOf(order, exposureOf('3'))).toMatchObject({ isExit: true, openingAmount: '0' });
    expect(effectOf(order, exposureOf('-3'))).toMatchObject({ isExit: true, openingAmount: '0' });
  });

  it('may be reduce-only only if the whole order reduces the position', () => {
    const amounts = fc.bigInt({ min: 1n, max: 1_000n });
    fc.assert(
      fc.property(
        fc.bigInt({ min: -1_000n, max: 1_000n }),
        amounts,
        fc.constantFrom('BUY', 'SELL'),
        (net, amount, side) => {
          const after = side === 'BUY' ? net + amount : net - amount;
          const abs = (value: bigint) => (value < 0n ? -value : value);
          const reducesOnly = abs(after) === abs(net) - amount;
          expect(mayReduceOnly(side, String(amount), String(net))).toBe(reducesOnly);
          const { isExit, openingAmount } = effectOf(
            { side, amount: String(amount), reduceOnly: false },
            exposureOf(String(net)),
          );
          expect(isExit).toBe(reducesOnly);
          expect(new BigDecimal(openingAmount).isZero()).toBe(reducesOnly);
        },
      ),
    );
  });
});
