import { absenceWords, subscribersFirst } from './event-receivers.rules';

const event = { type: 'trade.filled', timestamp: '2026-01-02T00:00:00.000Z' } as const;
const webhook = { events: ['trade.*'], is_active: true, created_at: '2026-01-01T00:00:00.000Z' };

describe('the webhooks of an event', () => {
  it('begin with those that subscribe to it', () => {
    const webhooks = [
      { ...webhook, id: 'a', events: ['copier.*'] },
      { ...webhook, id: 'b' },
      { ...webhook, id: 'c', events: ['*'] },
    ];
    expect(subscribersFirst(webhooks, event.type).map(({ id }) => id)).toEqual(['b', 'c', 'a']);
  });

  it('say why they did not receive it', () => {
    expect(absenceWords(webhook, event)).toBe('Not sent');
    expect(absenceWords({ ...webhook, events: ['copier.*'] }, event)).toBe('Not subscribed to this type');
    expect(absenceWords({ ...webhook, is_active: false }, event)).toMatch(/deactivated/);
    expect(absenceWords({ ...webhook, created_at: '2026-01-03T00:00:00.000Z' }, event)).toMatch(/newer/);
  });
});
