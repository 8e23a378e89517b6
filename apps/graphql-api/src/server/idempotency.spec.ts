import { isDeepStrictEqual } from 'node:util';
import { parseJsonBody } from '@trading-automation/runtime/http';
import fc from 'fast-check';
import { fingerprintOf, idempotencyOf } from './idempotency.js';

const QUERY = 'mutation ($v: JSON) { put(value: $v) }';
const parse = (text: string) => parseJsonBody(Buffer.from(text));
/** Returns the fingerprint of variables that are written in JSON. */
const of = (variables: string, query = QUERY) =>
  Buffer.from(fingerprintOf({ query, variables: parse(variables) })).toString('hex');
const key = fc.stringMatching(/^[a-z"\\,:{}[\] é]{0,3}$/);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, 1, '0', '1', 'null', 'true', '', '[]', '{}'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
}));

describe('the fingerprint of an operation', () => {
  it('does not depend on the order and whitespace of its JSON', () => {
    const reversed = (given: unknown): unknown => {
      if (Array.isArray(given)) return given.map(reversed);
      if (typeof given !== 'object' || given === null) return given;
      return Object.fromEntries(
        Object.entries(given)
          .reverse()
          .map(([name, member]) => [name, reversed(member)]),
      );
    };
    fc.assert(
      fc.property(fc.dictionary(key, value), (given) => {
        expect(of(JSON.stringify(reversed(given), null, '\t'))).toBe(of(JSON.stringify(given)));
      }),
    );
  });

  it('differs for other variables', () => {
    fc.assert(
      fc.property(value, value, (one, other) => {
        const [first, second] = [JSON.stringify({ v: one }), JSON.stringify({ v: other })];
        const isEqual = isDeepStrictEqual(JSON.parse(first), JSON.parse(second));
        expect(of(first) === of(second)).toBe(isEqual);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['digits that a double cannot hold', '{"v":0.1000000000000000055}', '{"v":0.1}'],
    ['the last of many digits', '{"v":12345678901234567890.1}', '{"v":12345678901234567890.2}'],
    ['a number and the same digits as a string', '{"v":1}', '{"v":"1"}'],
    [
      'a long number and the same digits as a string',
      '{"v":0.1234567890123456789}',
      '{"v":"0.1234567890123456789"}',
    ],
    ['a long number and an object', '{"v":0.1234567890123456789}', '{"v":{"text":"0.1234567890123456789"}}'],
    ['null and an omitted variable', '{"v":null}', '{}'],
    ['the order of a list', '{"v":[1,2]}', '{"v":[2,1]}'],
    ['a list and its items', '{"v":[[1],2]}', '{"v":[1,2]}'],
  ])('distinguishes %s', (_what, one, other) => {
    expect(of(one)).not.toBe(of(other));
  });

  it('treats equal numbers, and omitted variables, as equal', () => {
    expect(of('{"v":1.50}')).toBe(of('{"v":15e-1}'));
    const none = Buffer.from(fingerprintOf({ query: QUERY })).toString('hex');
    expect([of('null'), of('{}')]).toEqual([none, none]);
  });

  it('differs for another document', () => {
    expect(of('{}', `${QUERY} `)).not.toBe(of('{}'));
  });
});

describe('the key of a mutation over a socket', () => {
  const keyOf = (idempotencyKey: unknown) =>
    idempotencyOf({ query: QUERY, extensions: { idempotencyKey } })?.key;

  it('is undefined if the extensions have no key', () => {
    for (const extensions of [undefined, null, {}, { persistedQuery: {} }])
      expect(idempotencyOf({ query: QUERY, extensions })).toBeUndefined();
  });

  it('is validated like the header', () => {
    expect(['a', ' a ', 'a  b', '~'.repeat(255)].map(keyOf)).toEqual(['a', 'a', 'a  b', '~'.repeat(255)]);
  });
});
