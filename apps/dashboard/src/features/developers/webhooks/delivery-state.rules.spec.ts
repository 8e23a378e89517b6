import { deliveryState, eventsToReplay, isLatestOfRun } from './delivery-state.rules';

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
