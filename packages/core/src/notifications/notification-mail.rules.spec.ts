import { EVENT_TYPES, type EventType, MANDATORY_NOTIFICATIONS } from '@trading-automation/contracts';
import fc from 'fast-check';
import { type EventData, notificationContentOf } from './notification.rules.js';
import {
  composeDeactivationMail,
  composeNotificationMail,
  isMailed,
  isShown,
  mailTopicOf,
  type NotifiableEvent,
  type WebhookFailureSummary,
} from './notification-mail.rules.js';

const AT = new Date('2026-03-01T10:00:00.000Z');
/** An event with its notification; events that create none get the content of `trade.failed`. */
const eventOf = (type: EventType, data: EventData = {}): NotifiableEvent => {
  const record = { id: 'x_1', ...data };
  const content = notificationContentOf(type, record) ?? notificationContentOf('trade.failed', record)!;
  return { type, data: record, content: content, happenedAt: AT };
};
const summary: WebhookFailureSummary = {
  failingSince: new Date('2026-03-01T09:30:00.000Z'),
  lastAttemptAt: new Date('2026-03-01T09:59:58.000Z'),
  lastStatusCode: 503,
  lastError: 'http_status',
  waiting: 12,
};

describe('an event', () => {
  it.each([
    ['trade.filled', {}, false],
    ['trade.failed', {}, false],
    ['reward.granted', {}, false],
    ['exchange.sync_failed', {}, false],
    ['webhook.deactivated', {}, true],
    ['exchange.credentials_rejected', {}, true],
    ['copier.stopped', { status_reason: 'DRAWDOWN' }, true],
    ['copier.stopped', {}, true],
    ['copier.stopped', { status_reason: 'USER' }, false],
    ['withdrawal.failed', {}, true],
    ['key.created', {}, true],
    ['public_key.linked', {}, true],
  ] as const)(
    'is shown by default; whether it is also mailed by default: %s %j: %p',
    (type, data, expected) => {
      expect(isMailed(eventOf(type, data), {})).toBe(expected);
      expect(isShown(type, {})).toBe(true);
    },
  );

  it('is shown and mailed according to the preferences', () => {
    const preferences = {
      in_app: { 'trade.*': false },
      email: { 'trade.*': true, 'webhook.deactivated': false },
    };
    expect(isShown('trade.filled', preferences)).toBe(false);
    expect(isShown('copier.drift', preferences)).toBe(true);
    expect(isMailed(eventOf('trade.filled'), preferences)).toBe(true);
    expect(isMailed(eventOf('webhook.deactivated'), preferences)).toBe(false);
    expect(isMailed(eventOf('copier.stopped', { status_reason: 'USER' }), { email: { '*': true } })).toBe(
      true,
    );
  });

  it('is always shown and mailed if it is mandatory, so that a stolen key cannot silence it', () => {
    const muted = { in_app: { '*': false, 'key.*': false }, email: { '*': false, 'withdrawal.*': false } };
    for (const type of EVENT_TYPES) {
      expect([type, isShown(type, muted)]).toEqual([type, MANDATORY_NOTIFICATIONS.includes(type)]);
      expect([type, isMailed(eventOf(type), muted)]).toEqual([type, MANDATORY_NOTIFICATIONS.includes(type)]);
    }
  });

  it('is mailed at most once a day per webhook if it is a deactivation, and ten times a day per type otherwise', () => {
    const topicOf = (type: EventType, id: string) => mailTopicOf(eventOf(type, { id }));
    expect(topicOf('webhook.deactivated', 'whk_1')).toEqual({
      topic: 'webhook.deactivated whk_1',
      perDay: 1,
    });
    expect(topicOf('webhook.deactivated', 'whk_2').topic).not.toBe('webhook.deactivated whk_1');
    expect(topicOf('key.created', 'key_1')).toEqual(topicOf('key.created', 'key_2'));
    expect(topicOf('key.created', 'key_1').perDay).toBe(10);
  });
});

describe('the mail of a deactivation', () => {
  const url = 'https://hooks.example.com/in?token=s3cret#part';
  const event = eventOf('webhook.deactivated', { id: 'whk_1', url, consecutive_failures: '10' });

  it('contains the event, the failures, the dead letters and how to fix the webhook', () => {
    const { subject, text } = composeDeactivationMail(event, summary);
    expect(subject).toBe('A webhook was deactivated');
    expect(text.split('\n')).toEqual(
      expect.arrayContaining([
        'Webhook       whk_1',
        'Address       https://hooks.example.com/in?…',
        'When          2026-03-01T10:00:00.000Z',
        'Failing       10 attempts in a row, since 2026-03-01T09:30:00.000Z',
        'Last attempt  2026-03-01T09:59:58.000Z: HTTP 503',
        'Waiting       12 deliveries, in its dead letters',
        '2. Activate the webhook: PATCH /v1/webhooks/whk_1 with {"is_active": true}',
        '3. Retry the dead letters: POST /v1/webhooks/whk_1/dead-letters/retry with {}',
      ]),
    );
    expect(text).not.toContain('s3cret');
  });

  it.each([
    [{ lastStatusCode: null, lastError: 'timeout' }, /: timeout$/m],
    [{ lastStatusCode: 200, lastError: 'response_too_large' }, /: HTTP 200 \(response_too_large\)$/m],
    [{ lastAttemptAt: null, failingSince: null }, /^Last attempt {2}unknown$/m],
    [{ waiting: 1 }, /^Waiting {7}1 delivery, in/m],
    [{ waiting: 10_000 }, /^Waiting {7}10000 or more deliveries/m],
  ] as const)('shows the failures %j', (overrides, line) => {
    expect(composeDeactivationMail(event, { ...summary, ...overrides }).text).toMatch(line);
  });

  it.each([
    ['https://user:pw@example.com/\u202e\nBcc:x', 'https://example.com/%E2%80%AEBcc:x'],
    ['https://exämple.com/ü', 'https://xn--exmple-cua.com/%C3%BC'],
    ['not a url', 'unknown'],
  ])('shows the URL %j as one line of ASCII without credentials', (url, shown) => {
    const { text } = composeDeactivationMail(eventOf('webhook.deactivated', { url }), summary);
    expect(text).toContain(`Address       ${shown}\n`);
  });
});

describe('any mail', () => {
  it('consists of lines of visible text with a fixed subject, for any content of the event', () => {
    const fields = ['name', 'label', 'account_name', 'url', 'wallet_address', 'amount', 'code', 'pubkey'];
    const data = fc.dictionary(fc.constantFrom('id', ...fields), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(fc.constantFrom(...EVENT_TYPES), data, fc.boolean(), (type, record, isLast) => {
        const event = eventOf(type, { ...record, id: `x_${record.id ?? ''}` });
        for (const { subject, text } of [
          composeNotificationMail(event, isLast),
          composeDeactivationMail(event, summary),
        ]) {
          expect(subject).toMatch(/^[\w' ]{1,100}$/);
          expect(text).toMatch(/\n$/);
          expect(text).not.toMatch(/[^\n\P{Cc}]|\p{Cf}|undefined|null|NaN|\n\n\n/u);
          expect(text.length).toBeLessThan(4_000);
        }
      }),
    );
  });

  it('explains how to choose mails; a mandatory mail explains why it is sent and how to stop an intruder', () => {
    expect(composeNotificationMail(eventOf('trade.filled'), false).text).toContain(
      'PUT /v1/settings/notifications',
    );
    const { text } = composeNotificationMail(eventOf('withdrawal.created', { amount: '5' }), false);
    expect(text).toContain('If this was not you, cancel it (POST /v1/withdrawals/x_1/cancel), and revoke');
    expect(text).not.toContain('/v1/settings');
  });

  it('says that the daily limit is reached if it is the last mail of the day', () => {
    expect(composeNotificationMail(eventOf('trade.filled'), true).text).toContain(
      'The daily limit for mails about trade.filled is reached. Until tomorrow, see your notifications.',
    );
    expect(composeNotificationMail(eventOf('trade.filled'), false).text).not.toContain('tomorrow');
  });
});
