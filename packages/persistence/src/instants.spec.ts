import fc from 'fast-check';
import pg from 'pg';
import { readInstant, TYPE_PARSERS } from './instants.js';

const parseWithDriver = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

const twoDigits = (max: number, min = 0) => fc.integer({ min, max }).map((n) => String(n).padStart(2, '0'));
const anyFraction = fc.oneof(
  fc.constant(''),
  fc.stringMatching(/^\.\d{0,5}[1-9]$/),
  fc.integer({ min: 0, max: 999 }).map((ms) => `.${String(ms).padStart(3, '0')}`),
);
const anyZone = fc.constantFrom('+00', '+02', '-03:30', '+05:30', '+00:19:32', '+00 BC', '');
const anyInstant = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1900, max: 2100 }), fc.integer({ min: 1, max: 20_000 })),
    fc.tuple(twoDigits(12, 1), twoDigits(28, 1), twoDigits(23), twoDigits(59), twoDigits(59), anyFraction),
    fc.oneof(fc.constant('+00'), anyZone),
  )
  .map(([year, [month, day, hour, minute, second, fraction], zone]) => {
    const date = `${String(year).padStart(4, '0')}-${month}-${day}`;
    return `${date} ${hour}:${minute}:${second}${fraction}${zone}`;
  });

describe('readInstant', () => {
  it('returns the same date as the driver for every form of timestamp', () => {
    fc.assert(
      fc.property(anyInstant, (text) => {
        expect(readInstant(text)).toEqual(parseWithDriver(text));
      }),
      { numRuns: 5_000 },
    );
  });

  it.each(['infinity', '-infinity'])('returns the same value as the driver for %s', (text) => {
    expect(readInstant(text)).toBe(parseWithDriver(text));
  });

  it.each([
    '2026-11-21 18:54:37.+00',
    '2026-11-21T18:54:37+00',
    '2026-1a-21 18:54:37+00',
    '2026-11-21 18:54:37.12x+00',
    '2026-11-21 18:54:37.1234x+00',
    '+00',
  ])('returns the same date as the driver for the malformed string %s', (text) => {
    expect(readInstant(text)).toEqual(parseWithDriver(text));
  });

  it('is the parser only of timestamptz; the driver parses the other types', () => {
    const { builtins } = pg.types;
    expect(TYPE_PARSERS.getTypeParser(builtins.TIMESTAMPTZ, 'text')).toBe(readInstant);
    for (const type of [builtins.TIMESTAMP, builtins.DATE, builtins.NUMERIC, builtins.INT8, builtins.JSONB])
      expect(TYPE_PARSERS.getTypeParser(type, 'text')).toBe(pg.types.getTypeParser(type, 'text'));
  });
});
