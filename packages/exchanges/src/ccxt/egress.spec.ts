import { createHash } from 'node:crypto';
import { chooseEgress } from './egress.js';

const addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'];
const keys = Array.from({ length: 2_000 }, (_, i) => `key-${i}`);
const countBy = (values: readonly (string | undefined)[]) =>
  values.reduce(
    (counts, value) => counts.set(value ?? '', (counts.get(value ?? '') ?? 0) + 1),
    new Map<string, number>(),
  );

describe('the local address of an account', () => {
  it('is the same for the same key, and accounts are spread evenly over the addresses', () => {
    const chosen = keys.map((key) => chooseEgress(addresses, key, undefined));
    expect(keys.map((key) => chooseEgress([...addresses].reverse(), key, undefined))).toEqual(chosen);
    const counts = [...countBy(chosen).values()];
    expect(counts).toHaveLength(4);
    expect(Math.min(...counts)).toBeGreaterThan(400);
  });

  it('stays the assigned one while it is configured, whatever addresses are added', () => {
    expect(keys.map((key) => chooseEgress([...addresses, '10.0.0.5'], key, '10.0.0.2'))).toEqual(
      keys.map(() => '10.0.0.2'),
    );
  });

  it('changes only for the accounts of a removed address', () => {
    const before = keys.map((key) => chooseEgress(addresses, key, undefined));
    const rest = addresses.slice(1);
    const after = keys.map((key, i) => chooseEgress(rest, key, before[i]));
    const moved = keys.filter((_, i) => before[i] !== after[i]);
    expect(moved).toEqual(keys.filter((_, i) => before[i] === addresses[0]));
    expect(after.every((address) => address !== addresses[0])).toBe(true);
  });

  it('is undefined if no address is configured', () => {
    expect(chooseEgress([], 'key', '10.0.0.1')).toBeUndefined();
  });
});

it('an account uses the address with the highest SHA-256, also in later releases', () => {
  const scoreOf = (address: string, key: string) =>
    createHash('sha256').update(`${address} ${key}`).digest('hex');
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const [expected] = addresses.toSorted((a, b) => (scoreOf(a, key) < scoreOf(b, key) ? 1 : -1));
    expect(chooseEgress(addresses, key, undefined)).toBe(expected);
  }
});
