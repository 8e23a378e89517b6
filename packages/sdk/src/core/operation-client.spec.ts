import fc from 'fast-check';
import { buildRequest, pathWith, queryStringOf, segmentOf } from './operation-client.js';

const text = fc.string({ unit: 'binary' }).map((given) => given.toWellFormed());

describe('a part of a path', () => {
  it('arrives unchanged and is one segment, whatever it contains', () => {
    fc.assert(
      fc.property(
        text.filter((given) => !/^\.{0,2}$/.test(given)),
        (given) => {
          const { pathname } = new URL(`https://api.example.com/v1/settings/${segmentOf('key', given)}/more`);
          const parts = pathname.split('/');
          expect(parts).toHaveLength(5);
          expect(decodeURIComponent(parts[3]!)).toBe(given);
        },
      ),
    );
  });

  it.each(['', '.', '..', undefined, null, 7, {}, []])(
    'is never %j, which would be another route',
    (given) => {
      expect(() => segmentOf('id', given)).toThrow(TypeError);
      expect(() => buildRequest('trades.get', { params: { id: given as string } })).toThrow(
        /^id must be a non-empty string/,
      );
    },
  );

  it('replaces its parameter of the route', () => {
    const params = { id: 'whk_1', dlq_id: 'dlq/2' };
    expect(buildRequest('deadLetters.retry', { params })).toEqual({
      method: 'POST',
      path: '/v1/webhooks/whk_1/dead-letters/dlq%2F2/retry',
      body: undefined,
    });
  });
});

describe('a query', () => {
  it('arrives as it was given, the undefined left out', () => {
    const value = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(undefined), fc.constant(null));
    fc.assert(
      fc.property(fc.dictionary(text, value), (query) => {
        const expected = Object.entries(query)
          .filter(([, each]) => each !== undefined && each !== null)
          .map(([name, each]) => [name, String(each)]);
        expect([...new URL(`https://api.example.com/${queryStringOf(query)}`).searchParams]).toEqual(
          expected,
        );
      }),
    );
  });

  it.each([
    [{}, ''],
    [{ a: undefined }, ''],
    [{ from: new Date('2026-01-01T00:00:00Z') }, '?from=2026-01-01T00%3A00%3A00.000Z'],
    [{ include: ['total', 'revoked'] }, '?include=total%2Crevoked'],
    [{ a: '', b: 0, c: false }, '?a=&b=0&c=false'],
    [new URLSearchParams('a=1&a=2'), '?a=1&a=2'],
  ])('%j is %s', (query, search) => {
    expect(queryStringOf(query)).toBe(search);
  });

  it.each([
    ['/v1/a', {}, '/v1/a'],
    ['/v1/a', { b: 1 }, '/v1/a?b=1'],
    ['/v1/a?b=1', {}, '/v1/a?b=1'],
    ['/v1/a?b=1', { c: 2 }, '/v1/a?b=1&c=2'],
  ])('goes on where the path has one: %s with %j', (path, query, whole) => {
    expect(pathWith(path, query)).toBe(whole);
  });
});
