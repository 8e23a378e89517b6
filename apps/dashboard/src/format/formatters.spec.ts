import { numberFormatter, timeFormatter } from './formatters';

describe('a formatter', () => {
  it('is created once for equal options', () => {
    const digits = { maximumFractionDigits: 3 };
    expect(numberFormatter('de-DE', digits)).toBe(numberFormatter('de-DE', { ...digits }));
    expect(timeFormatter(undefined, { dateStyle: 'medium' })).toBe(
      timeFormatter(undefined, { dateStyle: 'medium' }),
    );
  });

  it('is another one for another locale, other options or another time zone', () => {
    expect(numberFormatter('de-DE', {}).format(1.5)).toBe('1,5');
    expect(numberFormatter('en-US', {}).format(1.5)).toBe('1.5');
    expect(numberFormatter('en-US', { minimumFractionDigits: 2 }).format(1.5)).toBe('1.50');
    const hour = { hour: '2-digit', hourCycle: 'h23' } as const;
    expect(timeFormatter('en-GB', { ...hour, timeZone: 'UTC' }).format(0)).toBe('00');
    expect(timeFormatter('en-GB', { ...hour, timeZone: 'Asia/Tokyo' }).format(0)).toBe('09');
  });
});
