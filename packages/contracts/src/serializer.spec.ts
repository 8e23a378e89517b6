import fc from 'fast-check';
import { z } from 'zod';
import { decimal, JsonNumber, readDecimal } from './decimal.js';
import { compileSerializer, jsonText } from './serializer.js';

const record = z.object({
  id: z.string(),
  amount: decimal,
  price: decimal.optional(),
  note: z.string().nullable(),
  tags: z.array(z.string()),
  balance: z.record(z.string(), decimal),
});

const anyDecimal = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n - 1n }), fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }))
  .map(([whole, fraction]) => readDecimal(`${whole}.${fraction.toString().padStart(18, '0')}`))
  .map((read) => ('value' in read ? read.value : ''));

const records = fc.record(
  {
    id: fc.string({ unit: 'binary' }),
    amount: anyDecimal,
    price: anyDecimal,
    note: fc.option(fc.string()),
    tags: fc.array(fc.string({ unit: 'grapheme' })),
    balance: fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      anyDecimal,
    ),
  },
  { requiredKeys: ['id', 'amount', 'note', 'tags', 'balance'] },
);

describe('compileSerializer', () => {
  it('writes the same as JSON.stringify, with decimals as strings', () => {
    const write = compileSerializer(record, 'string');
    fc.assert(
      fc.property(records, (value) =>
        expect(JSON.parse(write(value))).toEqual(JSON.parse(JSON.stringify(value))),
      ),
    );
  });

  it('writes a decimal as a JSON number with all its digits', () => {
    const write = compileSerializer(z.object({ amount: decimal }));
    fc.assert(
      fc.property(anyDecimal, (amount) => {
        const json = write({ amount });
        expect(json).toBe(`{"amount":${amount}}`);
        expect(JSON.parse(json).amount).toBe(Number(amount));
      }),
    );
  });

  it('omits fields that are not in the schema', () => {
    const write = compileSerializer(z.object({ id: z.string() }));
    expect(write({ id: 'a', secret: 'internal' })).toBe('{"id":"a"}');
  });

  it.each([
    ['a missing field', {}],
    ['a decimal that is a number', { amount: 1 }],
    ['a decimal in exponent notation', { amount: '1e5' }],
    ['a decimal with injected JSON', { amount: '1,"admin":true' }],
    ['NaN for a decimal', { amount: 'NaN' }],
  ])('throws on %s instead of serializing it', (_case, value) => {
    const write = compileSerializer(z.object({ amount: decimal }));
    expect(() => write(value)).toThrow(TypeError);
  });
});

describe('jsonText', () => {
  const json = fc.jsonValue({ noUnicodeString: false }).map((value) => value as unknown);

  it('writes the same as JSON.stringify, except for negative zero', () => {
    fc.assert(
      fc.property(json, (value) => {
        const written = jsonText(value);
        expect(JSON.parse(written)).toStrictEqual(value);
        expect(JSON.stringify(JSON.parse(written))).toBe(JSON.stringify(value));
      }),
    );
    expect(jsonText(-0)).toBe('-0');
  });

  it('keeps every digit of a number that a double cannot hold', () => {
    const digits = '-12345678901234567890.123456789012345678e+400';
    expect(jsonText({ a: [new JsonNumber(digits)] })).toBe(`{"a":[${digits}]}`);
  });

  it('serializes fields whose schema allows any JSON', () => {
    const write = compileSerializer(z.object({ value: z.unknown() }), 'string');
    expect(write({ value: { price: new JsonNumber('1.10'), tags: ['a'] } })).toBe(
      '{"value":{"price":1.10,"tags":["a"]}}',
    );
  });

  it('serializes unions of scalars; other unions are rejected', () => {
    const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
    const write = compileSerializer(z.record(z.string(), scalar));
    expect(write({ a: '1.10', b: 2, c: true, d: null })).toBe('{"a":"1.10","b":2,"c":true,"d":null}');
    expect(() => write({ a: ['1'] })).toThrow(TypeError);
    expect(() => compileSerializer(z.union([z.string(), z.object({})]))).toThrow(TypeError);
  });

  it('omits undefined members', () => {
    expect(jsonText({ a: undefined, b: null })).toBe('{"b":null}');
  });

  it.each([
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a function', () => 1],
    ['a bigint', 1n],
    ['a symbol', Symbol('s')],
    ['an instance', new Date(0)],
    ['undefined in a list', [undefined]],
  ])('throws on %s, which JSON cannot represent', (_case, value) => {
    expect(() => jsonText(value)).toThrow(TypeError);
  });
});
