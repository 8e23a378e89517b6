import { elementTexts, indentJson, memberText } from './raw-json.rules';

const RESPONSE =
  '{"success":true,"data":{"id":"a,}","payload":{"price":0.123456789012345678901,"list":[1,{"x":"\\""}]}}}';

describe('JSON as text', () => {
  it('finds a member without parsing its numbers', () => {
    expect(memberText(RESPONSE, ['data', 'payload'])).toBe(
      '{"price":0.123456789012345678901,"list":[1,{"x":"\\""}]}',
    );
    expect(memberText(RESPONSE, ['data', 'id'])).toBe('"a,}"');
  });

  it('returns undefined for a member that does not exist', () => {
    expect(memberText(RESPONSE, ['data', 'missing', 'x'])).toBeUndefined();
  });

  it('splits an array without parsing its numbers', () => {
    expect(elementTexts('[{"a":[1,2]}, 0.10000000000000000001, "x,]"]')).toEqual([
      '{"a":[1,2]}',
      '0.10000000000000000001',
      '"x,]"',
    ]);
    expect(elementTexts('[]')).toEqual([]);
  });

  it('indents like JSON.stringify', () => {
    for (const value of [{}, [], { a: [1, { b: 'c:d,{' }], e: null, f: {} }, 'text', [[], [true]]])
      expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
  });

  it('keeps every digit', () => {
    expect(indentJson('[0.10000000000000000001]')).toBe('[\n  0.10000000000000000001\n]');
  });
});
