import { indented, memberOf, parseKeepingDigits } from './json-text.js';

const VALUES = [
  {},
  [],
  { a: [], b: {}, c: [1, 2, { d: 'x, [y]: {z}' }], e: 'a "quoted" \\ word', f: null, g: [[]] },
  [true, false, null, -1.5e-7, '{', '['],
  'text',
  12,
];

describe('JSON as text', () => {
  it.each(VALUES)('is laid out as JSON.stringify lays it out: %j', (value) => {
    expect(indented(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
  });

  it('keeps each number as it was written', () => {
    expect(indented('{"a":1.10,"b":0.123456789012345678,"c":1E+2}')).toBe(
      '{\n  "a": 1.10,\n  "b": 0.123456789012345678,\n  "c": 1E+2\n}',
    );
  });

  it('is read with the numbers that a JavaScript number can not hold as strings, and those alone', () => {
    expect(
      parseKeepingDigits(
        '{"a":0.123456789012345678,"b":1.5,"c":"0.123456789012345678","d":9007199254740991}',
      ),
    ).toEqual({ a: '0.123456789012345678', b: 1.5, c: '0.123456789012345678', d: 9007199254740991 });
    expect(() => parseKeepingDigits('{"a":}')).toThrow(SyntaxError);
  });

  it('returns a member byte for byte, even if its name occurs elsewhere', () => {
    const data = '{"data": "data", "x":[1.10, {"data":2}],"y":"\\"data\\":3"}';
    expect(memberOf(`{"success":true,"data":${data}}`, 'data')).toBe(data);
    expect(memberOf(`{"data":1.10 ,"success":true}`, 'data')).toBe('1.10');
    expect(memberOf('{"x":{"data":1}}', 'data')).toBeUndefined();
  });
});
