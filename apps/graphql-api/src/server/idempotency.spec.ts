import { isDeepStrictEqual } from 'node:util';
import { parseJsonBody } from '@trading-automation/runtime/http';
import fc from 'fast-check';
import { fingerprintOf, idempotencyOf } from './idempotency.js';

const QUERY = 'mutation ($v: JSON) { put(value: $v) }';
const parse = (text: string) => parseJsonBody(Buffer.from(text));
/** Returns the fingerprint, in hex, of an operation with these JSON variables. */
const fingerprint = (variables: string, query = QUERY) =>
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
    const reversed = (input: unknown): unknown => {
      if (Array.isArray(input)) return input.map(reversed);
      if (typeof input !== 'object' || input === null) return input;
      return Object.fromEntries(
        Object.entries(input)
          .reverse()
          .map(([name, member]) => [name, reversed(member)]),
      );
    };
    fc.assert(
      fc.property(fc.dictionary(key, value), (input) => {
        expect(fingerprint(JSON.stringify(reversed(input), null, '\t'))).toBe(
          fingerprint(JSON.stringify(input)),
        );
      }),
    );
  });

  it('differs for other variables', () => {
    fc.assert(
      fc.property(value, value, (one, other) => {
        const [first, second] = [JSON.stringify({ v: one }), JSON.stringify({ v: other })];
        const isEqual = isDeepStrictEqual(JSON.parse(first), JSON.parse(second));
        expect(fingerprint(first) === fingerprint(second)).toBe(isEqual);
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
    expect(fingerprint(one)).not.toBe(fingerprint(other));
  });

  it('is the same for equal numbers in different notations, and for omitted, null and empty variables', () => {
    expect(fingerprint('{"v":1.50}')).toBe(fingerprint('{"v":15e-1}'));
    const none = Buffer.from(fingerprintOf({ query: QUERY })).toString('hex');
    expect([fingerprint('null'), fingerprint('{}')]).toEqual([none, none]);
  });

  it('differs for another document', () => {
    expect(fingerprint('{}', `${QUERY} `)).not.toBe(fingerprint('{}'));
  });
});

describe('the key of a mutation over a socket', () => {
  const keyOf = (idempotencyKey: unknown) =>
    idempotencyOf({ query: QUERY, extensions: { idempotencyKey } })?.key;

  it('is undefined if the extensions have no key', () => {
    for (const extensions of [undefined, null, {}, { persistedQuery: {} }])
      expect(idempotencyOf({ query: QUERY, extensions })).toBeUndefined();
  });

  it('loses surrounding spaces, like an Idempotency-Key header, and may have 255 characters', () => {
    expect(['a', ' a ', 'a  b', '~'.repeat(255)].map(keyOf)).toEqual(['a', 'a', 'a  b', '~'.repeat(255)]);
  });
});
