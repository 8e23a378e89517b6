import { jsonOrText, namedText, putAt } from './named-values.js';

describe('values that an option names', () => {
  it('have a name, and all after the first = as their text', () => {
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
  ])('are JSON where they can be: %s', (text, value) => {
    expect(jsonOrText(text)).toEqual(value);
  });

  it('are put where their path says, and made on the way where that is allowed', () => {
    const made: Record<string, unknown> = {};
    putAt(made, 'a.b', 1, true);
    putAt(made, 'a.c', 2, true);
    expect(made).toEqual({ a: { b: 1, c: 2 } });
    expect(() => putAt(made, 'x.y', 1, false)).toThrow('The path x.y does not exist');
    expect(() => putAt(made, 'a.b.c', 1, true)).toThrow('The path a.b.c does not exist');
    expect(() => putAt(made, 'a..c', 1, true)).toThrow('no place a..c');
  });

  it('never reach what all objects have', () => {
    expect(() => putAt({}, '__proto__.polluted', 1, true)).toThrow('does not exist');
    expect(() => putAt({}, 'constructor.prototype.polluted', 1, false)).toThrow('does not exist');
    expect('polluted' in {}).toBe(false);
  });
});
