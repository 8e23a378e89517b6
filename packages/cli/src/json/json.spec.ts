import { indented, memberOf, parseKeepingDigits } from './json-text.js';
import { jsonOrText, namedText, setAtPath } from './named-values.js';

const VALUES = [
  {},
  [],
  { a: [], b: {}, c: [1, 2, { d: 'x, [y]: {z}' }], e: 'a "quoted" \\ word', f: null, g: [[]] },
  [true, false, null, -1.5e-7, '{', '['],
  'text',
  12,
];

describe('JSON text', () => {
  it.each(VALUES)('is indented as JSON.stringify indents it: %j', (value) => {
    expect(indented(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
  });

  it('is indented without changing a number', () => {
    expect(indented('{"a":1.10,"b":0.123456789012345678,"c":1E+2}')).toBe(
      '{\n  "a": 1.10,\n  "b": 0.123456789012345678,\n  "c": 1E+2\n}',
    );
  });

  it('is parsed with a number as a string if a JavaScript number cannot hold its digits', () => {
    expect(
      parseKeepingDigits(
        '{"a":0.123456789012345678,"b":1.5,"c":"0.123456789012345678","d":9007199254740991}',
      ),
    ).toEqual({ a: '0.123456789012345678', b: 1.5, c: '0.123456789012345678', d: 9007199254740991 });
    expect(() => parseKeepingDigits('{"a":}')).toThrow(SyntaxError);
  });

  it('yields a member byte for byte, even if its name also occurs elsewhere', () => {
    const data = '{"data": "data", "x":[1.10, {"data":2}],"y":"\\"data\\":3"}';
    expect(memberOf(`{"success":true,"data":${data}}`, 'data')).toBe(data);
    expect(memberOf(`{"data":1.10 ,"success":true}`, 'data')).toBe('1.10');
    expect(memberOf('{"x":{"data":1}}', 'data')).toBeUndefined();
  });
});

describe('name=value options', () => {
  it('are split at the first =', () => {
    expect(namedText('--field', 'a.b=c=d')).toEqual(['a.b', 'c=d']);
    expect(namedText('--field', 'a=')).toEqual(['a', '']);
    expect(() => namedText('--field', '=x')).toThrow('--field must be name=value');
    expect(() => namedText('--field', 'x')).toThrow('--field must be name=value');
  });

  it.each([
    ['1.5', 1.5],
    ['true', true],
    ['null', null],
    ['["READ"]', ['READ']],
    ['BTC/USDT', 'BTC/USDT'],
    ['', ''],
    ['0.123456789012345678', '0.123456789012345678'],
  ])('are parsed as JSON if possible, otherwise as text: %s', (text, value) => {
    expect(jsonOrText(text)).toEqual(value);
  });

  it('set the value at a path, and create missing objects only if allowed', () => {
    const record: Record<string, unknown> = {};
    setAtPath(record, 'a.b', 1, true);
    setAtPath(record, 'a.c', 2, true);
    expect(record).toEqual({ a: { b: 1, c: 2 } });
    expect(() => setAtPath(record, 'x.y', 1, false)).toThrow('The path x.y does not exist');
    expect(() => setAtPath(record, 'a.b.c', 1, true)).toThrow('The path a.b.c does not exist');
    expect(() => setAtPath(record, 'a..c', 1, true)).toThrow('The path a..c does not exist');
  });

  it('never change the prototype of objects', () => {
    expect(() => setAtPath({}, '__proto__.polluted', 1, true)).toThrow('does not exist');
    expect(() => setAtPath({}, 'constructor.prototype.polluted', 1, false)).toThrow('does not exist');
    for (const name of ['__proto__', 'constructor', 'prototype', ''])
      expect(() => setAtPath({ a: {} }, `a.${name}`, 1, true)).toThrow('does not exist');
    expect('polluted' in {}).toBe(false);
  });
});
