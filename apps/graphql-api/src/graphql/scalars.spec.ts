import { decimalInput, JsonNumber } from '@trading-automation/contracts';
import fc from 'fast-check';
import { type GraphQLScalarType, parseValue } from 'graphql';
import { SCALARS } from './scalars.js';

const literal = (scalar: GraphQLScalarType, text: string, variables = {}) =>
  scalar.parseLiteral(parseValue(text), variables);

describe('Decimal', () => {
  const read = (input: unknown) => decimalInput('any').parse(input);

  it('passes every digit of a literal to the contract', () => {
    const digits = fc.stringMatching(/^[1-9]\d{0,18}\.\d{0,16}[1-9]$/);
    fc.assert(
      fc.property(digits, (text) => {
        for (const written of [text, `"${text}"`, `-${text}`])
          expect(read(literal(SCALARS.Decimal, written))).toBe(written.replaceAll('"', ''));
      }),
    );
    expect(read(literal(SCALARS.Decimal, '1e-18'))).toBe('0.000000000000000001');
    expect(read(literal(SCALARS.Decimal, '12345678901234567890'))).toBe('12345678901234567890');
  });

  it('passes every digit of a variable to the contract', () => {
    const text = '0.100000000000000001';
    expect(read(SCALARS.Decimal.parseValue(new JsonNumber(text)))).toBe(text);
    expect(read(SCALARS.Decimal.parseValue(text))).toBe(text);
    expect(read(SCALARS.Decimal.parseValue(1.5))).toBe('1.5');
  });

  it('rejects other types', () => {
    for (const text of ['true', 'BUY', '[1]', '{a: 1}'])
      expect(() => literal(SCALARS.Decimal, text)).toThrow('a decimal');
    for (const value of [true, [1], { a: 1 }])
      expect(() => SCALARS.Decimal.parseValue(value)).toThrow('a decimal');
  });
});

describe('JSON', () => {
  it('parses a literal to the same value as a variable', () => {
    const text = '{"a": [1, 2.5, "x", true, null, {"b": {}}], "c": []}';
    const written = '{a: [1, 2.5, "x", true, null, {b: {}}], c: []}';
    expect(literal(SCALARS.JSON, written)).toEqual(JSON.parse(text));
  });

  it('keeps the digits of numbers that a double cannot hold, at any depth', () => {
    expect(literal(SCALARS.JSON, '{a: [{b: 1.0000000000000000001}, 12345678901234567890]}')).toEqual({
      a: [{ b: new JsonNumber('1.0000000000000000001') }, new JsonNumber('12345678901234567890')],
    });
  });

  it('accepts variables inside a literal', () => {
    expect(literal(SCALARS.JSON, '{a: [$n, {b: $n}]}', { n: 7 })).toEqual({ a: [7, { b: 7 }] });
  });
});

describe('Long', () => {
  it.each(['0', '-1', '9007199254740991', '-9007199254740991', '"9007199254740991"'])(
    'accepts %s as a literal and as a variable',
    (text) => {
      const number = Number(text.replaceAll('"', ''));
      expect(literal(SCALARS.Long, text)).toBe(number);
      expect(SCALARS.Long.parseValue(JSON.parse(text))).toBe(number);
      expect(SCALARS.Long.serialize(JSON.parse(text))).toBe(number);
    },
  );

  it.each(['9007199254740993', '"9007199254740993"', '"x"', '""', '"1e3"', '" 1"'])('rejects %s', (text) => {
    expect(() => literal(SCALARS.Long, text)).toThrow('53 bits');
    expect(() => SCALARS.Long.parseValue(JSON.parse(text))).toThrow('53 bits');
  });

  it('rejects a fraction, and an unparsed number that a double cannot hold', () => {
    expect(() => literal(SCALARS.Long, '1.5')).toThrow('53 bits');
    expect(() => SCALARS.Long.parseValue(1.5)).toThrow('53 bits');
    expect(() => SCALARS.Long.parseValue(new JsonNumber('9007199254740993'))).toThrow('53 bits');
  });
});

it('DateTime is a string', () => {
  expect(SCALARS.DateTime.parseValue('2026-01-01T00:00:00Z')).toBe('2026-01-01T00:00:00Z');
  for (const value of [1, null, {}]) expect(() => SCALARS.DateTime.parseValue(value)).toThrow('ISO 8601');
  expect(() => literal(SCALARS.DateTime, '1')).toThrow('ISO 8601');
});
