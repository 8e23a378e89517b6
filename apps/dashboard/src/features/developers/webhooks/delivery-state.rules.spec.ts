import { deliveryState, eventsToReplay, isLatestOfRun, nextCheckMs } from './delivery-state.rules';

const NOW = Date.parse('2026-01-01T00:10:00Z');

describe('the state of a delivery attempt', () => {
  it('is pending only while another attempt is due', () => {
    expect(deliveryState({ status: 'SUCCEEDED' }, NOW, true)).toBe('DELIVERED');
    expect(deliveryState({ status: 'FAILED', next_attempt_at: '2026-01-01T00:12:00Z' }, NOW, true)).toBe(
      'PENDING',
    );
    expect(deliveryState({ status: 'FAILED', next_attempt_at: '2026-01-01T00:02:00Z' }, NOW, true)).toBe(
      'FAILED',
    );
    expect(deliveryState({ status: 'FAILED' }, NOW, true)).toBe('FAILED');
  });

  it('is not pending once the webhook is deactivated', () => {
    const attempt = { status: 'FAILED', next_attempt_at: '2026-01-01T00:12:00Z' } as const;
    expect(deliveryState(attempt, NOW, false)).toBe('FAILED');
  });

  it('knows the latest attempt of each run', () => {
    const attempts = [
      { run: 0, attempt: 1 },
      { run: 0, attempt: 2 },
      { run: 1, attempt: 1 },
    ];
    expect(attempts.map((attempt) => isLatestOfRun(attempt, attempts))).toEqual([false, true, true]);
  });
});

describe('the next look for attempts', () => {
  const failed = { event_id: 'a', run: 0, attempt: 1, status: 'FAILED' } as const;
  const at = (time: string) => ({ ...failed, next_attempt_at: `2026-01-01T00:${time}Z` });

  it('is when the next attempt is due, and at least every minute', () => {
    expect(nextCheckMs([at('10:05')], NOW, 0)).toBe(5_000);
    expect(nextCheckMs([at('20:00')], NOW, 0)).toBe(60_000);
    expect(nextCheckMs([at('10:05'), { ...at('10:02'), event_id: 'b' }], NOW, 0)).toBe(2_000);
  });

  it('is soon while an attempt is late, or after an event', () => {
    expect(nextCheckMs([at('09:58')], NOW, 0)).toBe(1_000);
    expect(nextCheckMs([], NOW, NOW - 9_000)).toBe(1_000);
  });

  it('is not needed after the last attempt', () => {
    const last = { ...failed, attempt: 2 };
    expect(nextCheckMs([last, at('10:05')], NOW, NOW - 11_000)).toBeUndefined();
    expect(nextCheckMs([{ ...failed, status: 'SUCCEEDED' }], NOW, 0)).toBeUndefined();
    expect(nextCheckMs([], NOW, 0)).toBeUndefined();
  });
});

describe('the events to send again', () => {
  const attempts = [
    { event_id: 'b', event_type: 'trade.filled', status: 'SUCCEEDED', attempted_at: '2026-01-01T00:03:00Z' },
    { event_id: 'b', event_type: 'trade.filled', status: 'FAILED', attempted_at: '2026-01-01T00:02:00Z' },
    { event_id: 'a', event_type: 'trade.created', status: 'FAILED', attempted_at: '2026-01-01T00:01:00Z' },
    { event_id: 'a', event_type: 'trade.created', status: 'FAILED', attempted_at: '2026-01-01T00:04:00Z' },
    { event_id: 't', event_type: 'webhook.test', status: 'FAILED', attempted_at: '2026-01-01T00:05:00Z' },
  ] as const;

  it('are each sent once, and only if the latest attempt failed', () => {
    expect(eventsToReplay(attempts, true)).toEqual(['a']);
  });

  it('are all, except test events, if the reader asks for it', () => {
    expect(eventsToReplay(attempts, false)).toEqual(['a', 'b']);
  });
});
