import { InMemoryReplayWindow, NONCE_TTL_MS, ReplayWindowFullError } from './replay-window.js';

function windowAt(startMs: number, nonceCountMax?: number) {
  const clock = { nowMs: startMs };
  const replayWindow = new InMemoryReplayWindow({ nowMs: () => clock.nowMs, nonceCountMax });
  const claim = (nonce: string, key = 'key') => replayWindow.claim(key, nonce, NONCE_TTL_MS);
  return { clock, claim };
}

describe('InMemoryReplayWindow', () => {
  it('accepts exactly one of 100 concurrent claims', async () => {
    const { claim } = windowAt(0);
    const claims = await Promise.all(Array.from({ length: 100 }, () => claim('n')));
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('rejects a nonce for exactly ten minutes, then accepts it again', async () => {
    const { clock, claim } = windowAt(1_000);
    expect(await claim('n')).toBe(true);
    clock.nowMs += NONCE_TTL_MS - 1;
    expect(await claim('n')).toBe(false);
    clock.nowMs += 1;
    expect(await claim('n')).toBe(true);
  });

  it('does not extend the expiry of a nonce when it rejects a claim', async () => {
    const { clock, claim } = windowAt(0);
    await claim('n');
    clock.nowMs = NONCE_TTL_MS / 2;
    expect(await claim('n')).toBe(false);
    clock.nowMs = NONCE_TTL_MS;
    expect(await claim('n')).toBe(true);
  });

  it('keeps the nonces of two keys separate', async () => {
    const { claim } = windowAt(0);
    expect(await claim('n', 'one')).toBe(true);
    expect(await claim('n', 'two')).toBe(true);
  });

  it('throws if it is full of unexpired nonces, and accepts claims again after they expire', async () => {
    const { clock, claim } = windowAt(0, 2);
    await claim('a');
    await claim('b');
    await expect(claim('c')).rejects.toThrow(ReplayWindowFullError);
    expect(await claim('a')).toBe(false);
    clock.nowMs = NONCE_TTL_MS;
    expect(await claim('c')).toBe(true);
  });
});
