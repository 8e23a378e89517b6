import { DomainError, JsonNumber, readDecimal } from '@trading-automation/contracts';
import fc from 'fast-check';
import { parseJsonBody } from './json-body.js';

const parse = (text: string) => parseJsonBody(Buffer.from(text));
const errorOf = (bytes: Uint8Array | string): DomainError => {
  let error: unknown;
  try {
    parseJsonBody(Buffer.from(bytes as string));
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(DomainError);
  return error as DomainError;
};
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join(',')}}`;

describe('parseJsonBody', () => {
  it('parses valid JSON like JSON.parse', () => {
    const value = fc.jsonValue({ maxDepth: 6 });
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
        const text = JSON.stringify(json, null, indent);
        fc.pre(!/"(?:__proto__|constructor|prototype)":/.test(text) && !/\\u0000|\\ud[89a-f]/.test(text));
        expect(withDoubles(parse(text))).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it('rejects everything that JSON.parse rejects', () => {
    const text = fc.string({ unit: fc.constantFrom(...'{}[]",:0.-e\\ut1 \n'), maxLength: 12 });
    fc.assert(
      fc.property(text, (candidate) => {
        let isJson = true;
        try {
          JSON.parse(candidate);
        } catch {
          isJson = false;
        }
        if (!isJson) expect(errorOf(candidate).code).toBe('malformed_json');
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['only whitespace', ' \n'],
    ['text after the value', '{} {}'],
    ['a trailing comma', '{"a":1,}'],
    ['a comment', '{}//'],
    ['single quotes', "{'a':1}"],
    ['a leading zero', '{"a":01}'],
    ['a plus sign', '{"a":+1}'],
    ['a number that starts with a point', '{"a":.5}'],
    ['NaN', '{"a":NaN}'],
    ['Infinity', '{"a":-Infinity}'],
    ['a control character in a string', '{"a":"\n"}'],
    ['a byte order mark', '\ufeff{}'],
    ['a duplicate key', '{"qty":"1","qty":"9"}'],
    ['a duplicate key with an equal value', '{"qty":"1","qty":"1"}'],
    ['a duplicate key with another escape', '{"qty":"1","q\\u0074y":"9"}'],
    ['a nested duplicate key', '{"a":[{"b":{},"b":1}]}'],
    ['__proto__', '{"__proto__":{"admin":true}}'],
    ['an escaped __proto__', '{"\\u005f_proto__":{}}'],
    ['constructor', '{"a":{"constructor":1}}'],
    ['an escaped constructor', '{"constructo\\u0072":1}'],
    ['constructor and prototype', '{"a":{"constructor":{"prototype":{}}}}'],
    ['prototype', '[{"prototype":1}]'],
    ['33 levels', nested(33)],
    ['as many levels as a body can hold', '['.repeat(262_144)],
    ['as many nested objects as a body can hold', '{"a":'.repeat(52_000)],
    ['1,001 keys', keys(1_001)],
    ['1,001 items', `[${'0,'.repeat(1_000)}0]`],
  ])('rejects %s as malformed', (_name, text) => {
    expect(errorOf(text).code).toBe('malformed_json');
  });

  it('rejects bytes that are not UTF-8 as malformed', () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
    ])
      expect(errorOf(Uint8Array.from(bytes)).code).toBe('malformed_json');
    expect(errorOf(Buffer.from('{}', 'utf16le')).code).toBe('malformed_json');
  });

  it('accepts exactly 32 levels, 1,000 keys and 1,000 items', () => {
    expect(parse(nested(32))).toEqual(JSON.parse(nested(32)));
    expect(Object.keys(parse(keys(1_000)) as object)).toHaveLength(1_000);
    expect(parse(`[${'0,'.repeat(999)}0]`)).toHaveLength(1_000);
    expect(parse('[{"a":1},{"a":1}]')).toEqual([{ a: 1 }, { a: 1 }]);
  });

  it('reports the position of a syntax error without quoting the body', () => {
    const { details } = errorOf('{"secret": s3cret}');
    expect(details).toEqual([{ code: 'syntax', message: 'Invalid JSON at character 11.' }]);
    expect(JSON.stringify(errorOf('{"s3cret":1,"s3cret":2}').details)).not.toContain('s3cret');
  });

  it.each([
    ['an invalid escape in a key', '{"a":1,"b":2,"\\x":3}', 14],
    ['the same invalid key twice', '{"\\x":1,"\\x":2}', 2],
    ['a line break in a key', '{"a":1,"b\n":2}', 9],
    ['a key without its end', '{"a":1,"b', 9],
    ['a key without its end, with an escape', '{"a":1,"\\u0062', 14],
  ])('counts the position from the start of the body for %s', (_case, body, position) => {
    expect(errorOf(body).details).toEqual([
      { code: 'syntax', message: `Invalid JSON at character ${position}.` },
    ]);
  });

  it('leaves a list at its end: it counts no level of a sibling, and reads the keys that follow', () => {
    const siblings = `[${Array(40).fill('[]').join(',')}]`;
    expect(parse(siblings)).toEqual(JSON.parse(siblings));
    expect(errorOf('{"a":[],"b":1,"b":2}').details).toMatchObject([{ code: 'duplicate_key' }]);
  });

  it.each([
    ['"\\u0000"', undefined],
    ['{"a":{"b":["x","\\ud800"]}}', 'a.b.1'],
    ['{"a":"\\udc00\\ud800"}', 'a'],
    ['{"a":{"\\u0000":1}}', 'a'],
  ])('rejects a string that cannot be stored (%s) and names the field', (text, field) => {
    const { code, details } = errorOf(text);
    expect([code, details[0]?.field, details[0]?.code]).toEqual(['validation_failed', field, 'invalid_text']);
  });

  it('accepts every character that can be stored, escaped or not', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, (characters) => {
        fc.pre(characters.isWellFormed() && !characters.includes('\u0000'));
        const escaped = [...Array(characters.length).keys()].map(
          (i) => `\\u${characters.charCodeAt(i).toString(16).padStart(4, '0')}`,
        );
        expect(parse(JSON.stringify(characters))).toBe(characters);
        expect(parse(`"${escaped.join('')}"`)).toBe(characters);
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

describe('the detail of a rejected body', () => {
  it.each([
    ['bytes that are not UTF-8', Uint8Array.from([0xff]), 'not_utf8', 'The body is not UTF-8.'],
    ['an end in the middle', '{"a":', 'syntax', expect.stringMatching(/^Invalid JSON at character \d+\.$/)],
    ['33 levels', nested(33), 'too_deep', 'The body has too many levels; at most 32 are allowed.'],
    [
      '1,001 items',
      `[${'0,'.repeat(1_000)}0]`,
      'too_many',
      'An object or array is too large; at most 1000 keys or items are allowed.',
    ],
    ['a prototype', '{"__proto__":1}', 'forbidden_key', 'The key __proto__ is not allowed.'],
    ['a constructor', '{"constructor":1}', 'forbidden_key', 'The key constructor is not allowed.'],
    ['an escaped prototype', '{"prototyp\\u0065":1}', 'forbidden_key', 'The key prototype is not allowed.'],
    ['a repeated key', '{"a":1,"a":2}', 'duplicate_key', 'An object has a duplicate key.'],
    ['a repeated second key', '{"b":0,"a":1,"a":2}', 'duplicate_key', 'An object has a duplicate key.'],
    ['an escaped repeated key', '{"a":1,"\\u0061":2}', 'duplicate_key', 'An object has a duplicate key.'],
  ])('names the rule for %s', (_case, body, code, message) => {
    expect(errorOf(body).details).toEqual([{ code, message }]);
  });

  it('names every field with characters that cannot be stored, up to 100', () => {
    const message = 'U+0000 and lone surrogates are not allowed.';
    expect(errorOf('"\\ud800"').details).toEqual([{ code: 'invalid_text', message }]);
    expect(errorOf('{"a":["\\u0000",{"b":"x\\udc00"}],"\\u0000":"\\u0000"}').details).toEqual([
      { field: 'a.0', code: 'invalid_text', message },
      { field: 'a.1.b', code: 'invalid_text', message },
      { code: 'invalid_text', message },
    ]);
    expect(errorOf(`[${Array(101).fill('"\\u0000"').join(',')}]`).details).toHaveLength(100);
  });

  it('accepts numbers, null and forbidden names in values beside an escaped character', () => {
    expect(parse('{"a":"\\u0041","b":null,"c":1.10,"d":true}')).toMatchObject({ a: 'A', b: null, d: true });
    expect(parse('{"a":"constructor","b":["__proto__"]}')).toEqual({ a: 'constructor', b: ['__proto__'] });
    expect(parse('{"a":{"x":1},"b":{"x":1}}')).toEqual({ a: { x: 1 }, b: { x: 1 } });
    expect(parse('["a","a"]')).toEqual(['a', 'a']);
    expect(parse('[0,"constructor",{"a":["x","__proto__"]}]')).toEqual([
      0,
      'constructor',
      { a: ['x', '__proto__'] },
    ]);
    expect(parse('{"a\\"b":"\\\\","c":"{[,:"}')).toEqual({ 'a"b': '\\', c: '{[,:' });
  });
});

/** Converts every JsonNumber to the double that JSON.parse would return. */
function withDoubles(value: unknown): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(withDoubles);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withDoubles(member)]));
}
