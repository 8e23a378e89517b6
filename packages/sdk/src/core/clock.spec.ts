import { ServerClock } from './clock.js';
import { toApiError } from './errors.js';

const NOW_MS = Date.UTC(2026, 0, 1);
const apiError = (code: string, details: readonly object[], headers: Record<string, string> = {}) =>
  toApiError({
    status: 401,
    headers: new Headers(headers),
    text: JSON.stringify({ error: { code, message: 'No.', details } }),
    origin: 'https://api.example.com',
  });

let localMs: number;
let clock: ServerClock;
beforeEach(() => {
  localMs = NOW_MS;
  clock = new ServerClock(() => localMs);
});

describe('ServerClock', () => {
  it("returns the local time until it knows the server's time", () => {
    expect([clock.nowMs(), clock.skewMs]).toEqual([NOW_MS, 0]);
  });

  it('adopts the server time of a timestamp error, exact to the millisecond, and continues from it', () => {
    const details = [{ field: 'x-svc-timestamp', server_time: NOW_MS + 300_123 }];
    expect(clock.syncFrom(apiError('timestamp_out_of_window', details))).toBe(true);
    localMs += 1_000;
    expect([clock.nowMs(), clock.skewMs]).toEqual([NOW_MS + 301_123, 300_123]);
  });

  it('adopts the Date header if the error details contain no time', () => {
    const date = new Date(NOW_MS - 300_000).toUTCString();
    for (const details of [[], [{}], [{ server_time: 'noon' }]]) {
      expect(clock.syncFrom(apiError('timestamp_out_of_window', details, { date }))).toBe(true);
      expect(clock.nowMs()).toBe(NOW_MS - 300_000);
    }
  });

  it('ignores other errors, and timestamp errors without a valid time', () => {
    const details = [{ server_time: 1 }];
    expect(clock.syncFrom(apiError('invalid_signature', details, { date: new Date(0).toUTCString() }))).toBe(
      false,
    );
    expect(clock.syncFrom(apiError('timestamp_out_of_window', []))).toBe(false);
    expect(clock.syncFrom(apiError('timestamp_out_of_window', [], { date: 'noon' }))).toBe(false);
    expect(clock.nowMs()).toBe(NOW_MS);
  });
});
