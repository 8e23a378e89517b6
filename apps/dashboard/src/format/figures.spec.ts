import { asLoss, formatFigure } from './figures';

describe('a figure', () => {
  it('has two digits and the typographic minus', () => {
    expect(formatFigure('-1.234', 'en')).toBe('−1.23');
    expect(formatFigure('1.5', 'en')).toBe('1.50');
  });
});

describe('a loss', () => {
  it('is a negative change, unless it is zero', () => {
    expect(asLoss('12.5')).toBe('-12.5');
    expect(asLoss('0')).toBe('0');
    expect(asLoss(null)).toBeNull();
  });
});
