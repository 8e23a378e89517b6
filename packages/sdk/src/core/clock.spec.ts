import { ServerClock } from './clock.js';
import { toApiError } from './errors.js';

const NOW_MS = Date.UTC(2026, 0, 1);
const refusal = (code: string, details: readonly object[], headers: Record<string, string> = {}) =>
  toApiError({
    status: 401,
    headers: new Headers(headers),
    text: JSON.stringify({ error: { code, message: 'No.', details } }),
    origin: 'https://api.example.com',
  });

let ownMs: number;
let clock: ServerClock;
beforeEach(() => {
  ownMs = NOW_MS;
  clock = new ServerClock(() => ownMs);
});

describe("the server's time", () => {
  it("is this machine's until another was learnt", () => {
    expect([clock.nowMs(), clock.skewMs]).toEqual([NOW_MS, 0]);
  });

  it('is learnt from the refusal of a signature, to the millisecond, and goes on from there', () => {
    const details = [{ field: 'x-svc-timestamp', server_time: NOW_MS + 300_123 }];
    expect(clock.syncFrom(refusal('timestamp_out_of_window', details))).toBe(true);
    ownMs += 1_000;
    expect([clock.nowMs(), clock.skewMs]).toEqual([NOW_MS + 301_123, 300_123]);
  });

  it('is learnt from the Date of the answer where its body has none', () => {
    const date = new Date(NOW_MS - 300_000).toUTCString();
    for (const details of [[], [{}], [{ server_time: 'noon' }]]) {
      expect(clock.syncFrom(refusal('timestamp_out_of_window', details, { date }))).toBe(true);
      expect(clock.nowMs()).toBe(NOW_MS - 300_000);
    }
  });

  it('is learnt from nothing else: no other refusal, and none without a time', () => {
    const details = [{ server_time: 1 }];
    expect(clock.syncFrom(refusal('invalid_signature', details, { date: new Date(0).toUTCString() }))).toBe(
      false,
    );
    expect(clock.syncFrom(refusal('timestamp_out_of_window', []))).toBe(false);
    expect(clock.syncFrom(refusal('timestamp_out_of_window', [], { date: 'noon' }))).toBe(false);
    expect(clock.nowMs()).toBe(NOW_MS);
  });
});
