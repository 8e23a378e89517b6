import fc from 'fast-check';
import { buildRequest, pathWith, queryStringOf, segmentOf } from './operation-client.js';

const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed());

describe('a path parameter', () => {
  it('is encoded as one path segment, even if it contains a slash', () => {
    fc.assert(
      fc.property(
        text.filter((value) => !/^\.{0,2}$/.test(value)),
        (value) => {
          const { pathname } = new URL(`https://api.example.com/v1/settings/${segmentOf('key', value)}/more`);
          const segments = pathname.split('/');
          expect(segments).toHaveLength(5);
          expect(decodeURIComponent(segments[3]!)).toBe(value);
        },
      ),
    );
  });

  it.each(['', '.', '..', undefined, null, 7, {}, []])('must not be %j', (value) => {
    expect(() => segmentOf('id', value)).toThrow(TypeError);
    expect(() => buildRequest('trades.get', { params: { id: value as string } })).toThrow(
      /^id must be a non-empty string/,
    );
  });

  it('replaces the route parameter of the same name', () => {
    const params = { id: 'whk_1', dlq_id: 'dlq/2' };
    expect(buildRequest('deadLetters.retry', { params })).toEqual({
      method: 'POST',
      path: '/v1/webhooks/whk_1/dead-letters/dlq%2F2/retry',
      body: undefined,
    });
  });
});

describe('a query', () => {
  it('is encoded without null and undefined values', () => {
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
  ])('%p is encoded as %s', (query, search) => {
    expect(queryStringOf(query)).toBe(search);
  });

  it.each([
    ['/v1/a', {}, '/v1/a'],
    ['/v1/a', { b: 1 }, '/v1/a?b=1'],
    ['/v1/a?b=1', {}, '/v1/a?b=1'],
    ['/v1/a?b=1', { c: 2 }, '/v1/a?b=1&c=2'],
  ])('is appended to a path, which may already have a query: %s with %j', (path, query, target) => {
    expect(pathWith(path, query)).toBe(target);
  });
});
