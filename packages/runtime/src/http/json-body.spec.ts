import { DomainError, JsonNumber, readDecimal } from '@trading-automation/contracts';
import fc from 'fast-check';
import { parseJsonBody } from './json-body.js';

const parse = (text: string) => parseJsonBody(Buffer.from(text));
const refusal = (bytes: Uint8Array | string): DomainError => {
  try {
    parseJsonBody(Buffer.from(bytes as string));
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('it was taken');
};
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join(',')}}`;

describe('a JSON body', () => {
  it('is read as every other parser reads it', () => {
    const value = fc.jsonValue({ maxDepth: 6 });
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, '\t'), (given, indent) => {
        const text = JSON.stringify(given, null, indent);
        fc.pre(!/"(?:__proto__|constructor|prototype)":/.test(text) && !/\\u0000|\\ud[89a-f]/.test(text));
        expect(plain(parse(text))).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it('is refused wherever every other parser refuses it', () => {
    const text = fc.string({ unit: fc.constantFrom(...'{}[]",:0.-e\\ut1 \n'), maxLength: 12 });
    fc.assert(
      fc.property(text, (given) => {
        let isJson = true;
        try {
          JSON.parse(given);
        } catch {
          isJson = false;
        }
        if (!isJson) expect(refusal(given).code).toBe('malformed_json');
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['nothing but blanks', ' \n'],
    ['text behind the value', '{} {}'],
    ['a comma too many', '{"a":1,}'],
    ['a comment', '{}//'],
    ['single quotes', "{'a':1}"],
    ['a leading zero', '{"a":01}'],
    ['a plus sign', '{"a":+1}'],
    ['a bare point', '{"a":.5}'],
    ['NaN', '{"a":NaN}'],
    ['Infinity', '{"a":-Infinity}'],
    ['a control character in a string', '{"a":"\n"}'],
    ['a byte order mark', '\ufeff{}'],
    ['a key twice', '{"qty":"1","qty":"9"}'],
    ['a key twice with one value', '{"qty":"1","qty":"1"}'],
    ['a key twice in two spellings', '{"qty":"1","q\\u0074y":"9"}'],
    ['a key twice further down', '{"a":[{"b":{},"b":1}]}'],
    ['__proto__', '{"__proto__":{"admin":true}}'],
    ['__proto__ in escapes', '{"\\u005f_proto__":{}}'],
    ['constructor', '{"a":{"constructor":{"prototype":{}}}}'],
    ['prototype', '[{"prototype":1}]'],
    ['33 levels', nested(33)],
    ['as many levels as fit', '['.repeat(262_144)],
    ['as many objects as fit', '{"a":'.repeat(52_000)],
    ['1,001 keys', keys(1_001)],
    ['1,001 items', `[${'0,'.repeat(1_000)}0]`],
  ])('with %s is malformed', (_name, text) => {
    expect(refusal(text).code).toBe('malformed_json');
  });

  it('that is not UTF-8 is malformed', () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
    ])
      expect(refusal(Uint8Array.from(bytes)).code).toBe('malformed_json');
    expect(refusal(Buffer.from('{}', 'utf16le')).code).toBe('malformed_json');
  });

  it('may be as deep and as wide as is promised', () => {
    expect(parse(nested(32))).toEqual(JSON.parse(nested(32)));
    expect(Object.keys(parse(keys(1_000)) as object)).toHaveLength(1_000);
    expect(parse(`[${'0,'.repeat(999)}0]`)).toHaveLength(1_000);
    expect(parse('[{"a":1},{"a":1}]')).toEqual([{ a: 1 }, { a: 1 }]);
  });

  it('says where it is wrong, in no words of its own', () => {
    const { details } = refusal('{"secret": s3cret}');
    expect(details).toEqual([{ code: 'syntax', message: 'Invalid JSON at character 11.' }]);
    expect(JSON.stringify(refusal('{"s3cret":1,"s3cret":2}').details)).not.toContain('s3cret');
  });

  it.each([
    ['"\\u0000"', undefined],
    ['{"a":{"b":["x","\\ud800"]}}', 'a.b.1'],
    ['{"a":"\\udc00\\ud800"}', 'a'],
    ['{"a":{"\\u0000":1}}', 'a'],
  ])('with text that can not be stored (%s) does not fit, and the field is named', (text, field) => {
    const { code, details } = refusal(text);
    expect([code, details[0]?.field, details[0]?.code]).toEqual(['validation_failed', field, 'invalid_text']);
  });

  it('takes every other character, escaped or not', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, (given) => {
        fc.pre(given.isWellFormed() && !given.includes('\u0000'));
        const escaped = [...Array(given.length).keys()].map(
          (i) => `\\u${given.charCodeAt(i).toString(16).padStart(4, '0')}`,
        );
        expect(parse(JSON.stringify(given))).toBe(given);
        expect(parse(`"${escaped.join('')}"`)).toBe(given);
      }),
    );
  });

  it('keeps every digit of a number', () => {
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,19})(\.\d{1,18})?([eE][+-]?\d)?$/);
    fc.assert(
      fc.property(digits, (text) => {
        const value = parse(text);
        expect(value instanceof JsonNumber || typeof value === 'number').toBe(true);
        const shown = value instanceof JsonNumber ? value.text : String(value);
        expect(readDecimal(shown)).toEqual(readDecimal(text));
      }),
      { numRuns: 1_000 },
    );
  });
});

/** Numbers that kept their digits, as the doubles that other parsers make of them. */
function plain(value: unknown): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}
