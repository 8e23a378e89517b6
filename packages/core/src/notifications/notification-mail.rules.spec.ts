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
const toldOf = (type: EventType, data: EventData = {}): NotifiableEvent => {
  const record = { id: 'x_1', ...data };
  const note = notificationContentOf(type, record) ?? notificationContentOf('trade.failed', record)!;
  return { type, data: record, content: note, happenedAt: AT };
};
const trouble: WebhookFailureSummary = {
  failingSince: new Date('2026-03-01T09:30:00.000Z'),
  lastAttemptAt: new Date('2026-03-01T09:59:58.000Z'),
  lastStatusCode: 503,
  lastError: 'http_status',
  waiting: 12,
};

describe('who is mailed', () => {
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
  ] as const)('by default of what costs money or access: %s %j is %p', (type, data, expected) => {
    expect(isMailed(toldOf(type, data), {})).toBe(expected);
    expect(isShown(type, {})).toBe(true);
  });

  it('as they chose', () => {
    const chosen = { in_app: { 'trade.*': false }, email: { 'trade.*': true, 'webhook.deactivated': false } };
    expect(isShown('trade.filled', chosen)).toBe(false);
    expect(isShown('copier.drift', chosen)).toBe(true);
    expect(isMailed(toldOf('trade.filled'), chosen)).toBe(true);
    expect(isMailed(toldOf('webhook.deactivated'), chosen)).toBe(false);
    expect(isMailed(toldOf('copier.stopped', { status_reason: 'USER' }), { email: { '*': true } })).toBe(
      true,
    );
  });

  it('of a stranger at the account whatever was chosen: a stolen key may not silence it', () => {
    const silent = { in_app: { '*': false, 'key.*': false }, email: { '*': false, 'withdrawal.*': false } };
    for (const type of EVENT_TYPES) {
      expect([type, isShown(type, silent)]).toEqual([type, MANDATORY_NOTIFICATIONS.includes(type)]);
      expect([type, isMailed(toldOf(type), silent)]).toEqual([type, MANDATORY_NOTIFICATIONS.includes(type)]);
    }
  });

  it('of each webhook once a day, of any other kind ten times', () => {
    const topicOf = (type: EventType, id: string) => mailTopicOf(toldOf(type, { id }));
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
  const told = toldOf('webhook.deactivated', { id: 'whk_1', url, consecutive_failures: '10' });

  it('says what happened, since when, with what, how much waits, and how to mend it', () => {
    const { subject, text } = composeDeactivationMail(told, trouble);
    expect(subject).toBe('A webhook was deactivated');
    expect(text.split('\n')).toEqual(
      expect.arrayContaining([
        'Webhook       whk_1',
        'Address       https://hooks.example.com/in?…',
        'When          2026-03-01T10:00:00.000Z',
        'Failing       10 attempts in a row, since 2026-03-01T09:30:00.000Z',
        'Last attempt  2026-03-01T09:59:58.000Z: HTTP 503',
        'Waiting       12 deliveries, in its dead letters',
        '2. Take the webhook into use again: PATCH /v1/webhooks/whk_1 with {"is_active": true}',
        '3. Send what waits: POST /v1/webhooks/whk_1/dead-letters/retry with {}',
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
  ] as const)('tells of %j as it is', (more, line) => {
    expect(composeDeactivationMail(told, { ...trouble, ...more }).text).toMatch(line);
  });

  it.each([
    ['https://user:pw@example.com/\u202e\nBcc:x', 'https://example.com/%E2%80%AEBcc:x'],
    ['https://exämple.com/ü', 'https://xn--exmple-cua.com/%C3%BC'],
    ['not a url', 'unknown'],
  ])('shows %j as one line of ASCII without what signs in', (given, shown) => {
    const { text } = composeDeactivationMail(toldOf('webhook.deactivated', { url: given }), trouble);
    expect(text).toContain(`Address       ${shown}\n`);
  });
});

describe('any mail', () => {
  it('is lines of visible text, with a subject of ours, whatever an event carries', () => {
    const fields = ['name', 'label', 'account_name', 'url', 'wallet_address', 'amount', 'code', 'pubkey'];
    const data = fc.dictionary(fc.constantFrom('id', ...fields), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(fc.constantFrom(...EVENT_TYPES), data, fc.boolean(), (type, record, isLast) => {
        const told = toldOf(type, { ...record, id: record.id || 'x_1' });
        for (const { subject, text } of [
          composeNotificationMail(told, isLast),
          composeDeactivationMail(told, trouble),
        ]) {
          expect(subject).toMatch(/^[\w' ]{1,100}$/);
          expect(text).toMatch(/\n$/);
          expect(text).not.toMatch(/[^\n\P{Cc}]|\p{Cf}|undefined|null|NaN|\n\n\n/u);
          expect(text.length).toBeLessThan(4_000);
        }
      }),
    );
  });

  it('says how to choose, or that it can not be turned off and what to do about a stranger', () => {
    expect(composeNotificationMail(toldOf('trade.filled'), false).text).toContain(
      'PUT /v1/settings/notifications',
    );
    const { text } = composeNotificationMail(toldOf('withdrawal.created', { amount: '5' }), false);
    expect(text).toContain('If this was not you: cancel it (POST /v1/withdrawals/x_1/cancel), and revoke');
    expect(text).not.toContain('/v1/settings');
  });

  it('that is the last of a day says so', () => {
    expect(composeNotificationMail(toldOf('trade.filled'), true).text).toContain(
      'More about trade.filled comes by mail tomorrow',
    );
    expect(composeNotificationMail(toldOf('trade.filled'), false).text).not.toContain('tomorrow');
  });
});
