import fc from 'fast-check';
import { formatInstant } from './format-instant.js';

describe('formatInstant', () => {
  it('returns the same as toISOString, in any year and after any other day', () => {
    fc.assert(
      fc.property(fc.array(fc.date({ noInvalidDate: true }), { minLength: 1 }), (instants) => {
        const twice = instants.flatMap((instant) => [instant, new Date(instant.getTime() + 1)]);
        const valid = twice.filter((instant) => !Number.isNaN(instant.getTime()));
        expect(valid.map(formatInstant)).toEqual(valid.map((instant) => instant.toISOString()));
      }),
    );
  });

  it.each([
    ['the first millisecond of a day', '2026-11-21T00:00:00.000Z'],
    ['the last millisecond of a day', '2026-11-21T23:59:59.999Z'],
    ['an instant before 1970', '1969-12-31T23:59:59.999Z'],
  ])('formats %s', (_case, text) => {
    expect(formatInstant(new Date(text))).toBe(text);
  });

  it('throws for an invalid instant', () => {
    expect(() => formatInstant(new Date(Number.NaN))).toThrow(RangeError);
  });
});
