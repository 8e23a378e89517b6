import fc from 'fast-check';
import { readJson } from './json.js';

describe('readJson', () => {
  it('keeps every digit of every number, as a number or as a string', () => {
    const digits = fc.tuple(
      fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }),
      fc.option(fc.stringMatching(/^\d{1,20}$/)),
    );
    fc.assert(
      fc.property(digits, ([whole, fraction]) => {
        const text = fraction === null ? String(whole) : `${whole}.${fraction}`;
        const [read] = readJson(`[${text}]`) as [number | string];
        const trimmed = fraction === null ? text : text.replace(/\.?0+$/, '');
        const isExact =
          String(read) === text || (typeof read === 'number' && toPlainDecimal(read) === trimmed);
        expect([text, isExact]).toEqual([text, true]);
      }),
    );
  });

  it('parses short numbers and other values like JSON.parse', () => {
    const value = fc.jsonValue({ noUnicodeString: false, depthSize: 'small' } as never);
    fc.assert(
      fc.property(value, (json) => {
        const text = JSON.stringify(json);
        fc.pre(!/[\d.]{16}/.test(text));
        expect(readJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('returns a number with few digits as a number, also beside a long one', () => {
    expect(readJson('{"price":0.10,"volume":2.500}')).toEqual({ price: 0.1, volume: 2.5 });
    expect(readJson('[1,0.5,1234567890123456789]')).toEqual([1, 0.5, '1234567890123456789']);
  });

  it('returns undefined for invalid JSON', () => {
    for (const text of ['', '<html>', '{"a":', '1 2', '{"a":1234567890123456789', "{'a':1}"])
      expect(readJson(text)).toBeUndefined();
  });
});

/** Formats a double of at most 15 digits as a plain decimal string. */
function toPlainDecimal(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return text.includes('e') ? value.toFixed(20).replace(/\.?0+$/, '') : text;
}
