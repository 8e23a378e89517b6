import { formatCode, isComplete, lettersOf } from './user-code.rules';

describe('formatCode', () => {
  it.each([
    ['', ''],
    ['bcdf', 'BCDF'],
    ['bcdfg', 'BCDF-G'],
    ['BCDF-', 'BCDF'],
    [' bcdf ghjk ', 'BCDF-GHJK'],
    ['bcdfghjklm', 'BCDF-GHJK'],
  ])('formats %p as %p', (typed, shown) => {
    expect(formatCode(typed)).toBe(shown);
  });
});

describe('lettersOf', () => {
  it('drops everything but letters', () => {
    expect(lettersOf('b1c-df')).toBe('BCDF');
    expect(isComplete('BCDF-GHJK')).toBe(true);
    expect(isComplete('BCDF-GHJ')).toBe(false);
  });
});
