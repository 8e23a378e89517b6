import { LruCache } from './lru-cache.js';

describe('a cache', () => {
  it('has at most its maximum of entries, and evicts those used least recently', () => {
    const cache = new LruCache<string, number>(2);
    cache.set('a', 1);
    cache.set('b', 2);
    expect(cache.get('a')).toBe(1);
    cache.set('c', 3);
    expect(cache.size).toBe(2);
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
  });

  it('replaces the value of a key without evicting another', () => {
    const cache = new LruCache<string, number>(2);
    cache.set('a', 1);
    cache.set('b', 2);
    cache.set('b', 3);
    expect([cache.get('a'), cache.get('b')]).toEqual([1, 3]);
  });
});
