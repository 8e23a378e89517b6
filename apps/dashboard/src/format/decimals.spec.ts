import { ceilTo, decimalsOf, Exact, floorTo, isMultipleOf, readTyped } from './decimals';

describe('readTyped', () => {
  it('reads numbers without losing a digit', () => {
    const typed = readTyped(' 1204.500000000000000001 ');
    expect(typed.kind === 'number' && typed.value.toFixed()).toBe('1204.500000000000000001');
  });

  it('knows nothing from something wrong', () => {
    expect(readTyped('  ').kind).toBe('empty');
    for (const text of ['1,204', '1e5', '-1', 'abc', '0', '0.0', '.'])
      expect(readTyped(text).kind).toBe('invalid');
  });

  it('says how to write decimals for a comma', () => {
    expect(readTyped('1,5')).toMatchObject({ message: expect.stringContaining('point') });
  });
});

describe('steps', () => {
  it.each([
    ['100.129', '0.01', '100.12', '100.13'],
    ['0.00000000000000015', '0.0000000000000001', '0.0000000000000001', '0.0000000000000002'],
    ['7', '2.5', '5', '7.5'],
    ['7.5', '2.5', '7.5', '7.5'],
  ])('rounds %s to %s', (value, step, down, up) => {
    expect(floorTo(new Exact(value), new Exact(step)).toFixed()).toBe(down);
    expect(ceilTo(new Exact(value), new Exact(step)).toFixed()).toBe(up);
  });

  it('takes a step of zero for any value', () => {
    expect(isMultipleOf(new Exact('1.23'), new Exact(0))).toBe(true);
    expect(floorTo(new Exact('1.23'), new Exact(0)).toFixed()).toBe('1.23');
  });
});

it('counts the decimals of a step', () => {
  expect(['0.01', '0.05', '10', '1'].map(decimalsOf)).toEqual([2, 2, 0, 0]);
});
