import fc from 'fast-check';
import { JsonNumber } from './decimal.js';
import { EVENT_SELECTORS, EVENT_TYPES, isSubscribed } from './events.js';
import {
  MAILED_BY_DEFAULT,
  MANDATORY_NOTIFICATIONS,
  notificationPreferenceOf,
  notificationPreferences,
} from './notification-preferences.js';

const issuesOf = (value: unknown) =>
  notificationPreferences
    .safeParse(value)
    .error?.issues.map((issue) => [
      issue.path.join('.'),
      issue.code === 'custom' ? issue.params?.code : issue.code,
    ]);

describe('notification preferences', () => {
  it.each([
    {},
    { in_app: {} },
    { email: { '*': true } },
    { in_app: { 'trade.*': false }, email: { 'trade.*': true, 'trade.filled': false, '*': false } },
    { email: { 'key.created': true, 'key.*': false } },
  ])('may be %j', (value) => {
    expect(notificationPreferences.parse(value)).toEqual(value);
  });

  it.each([
    [null, '', 'invalid_type'],
    [['email'], '', 'invalid_type'],
    [true, '', 'invalid_type'],
    [{ sms: {} }, '', 'unrecognized_keys'],
    [{ email: true }, 'email', 'invalid_type'],
    [{ email: ['trade.*'] }, 'email', 'invalid_type'],
    [{ email: { 'trade.*': 'yes' } }, 'email.trade.*', 'invalid_type'],
    [{ email: { 'trade.*': new JsonNumber('1') } }, 'email.trade.*', 'invalid_type'],
    [{ in_app: { 'trade.exploded': true } }, 'in_app.trade.exploded', 'unknown_field'],
    [{ in_app: { constructor: true } }, 'in_app.constructor', 'unknown_field'],
    [{ email: { 'key.created': false } }, 'email.key.created', 'invalid_value'],
  ])('reject %j, and name the member and a fix', (value, path, code) => {
    expect(issuesOf(value)).toEqual([[path, code]]);
    const [issue] = notificationPreferences.safeParse(value).error?.issues ?? [];
    expect(issue?.message).toMatch(/^(?:Expected|Only|You are always)/);
  });

  it('send all mandatory notifications by e-mail by default', () => {
    for (const type of MANDATORY_NOTIFICATIONS) expect(MAILED_BY_DEFAULT).toContain(type);
  });
});

describe('notificationPreferenceOf', () => {
  it('prefers the event type, then its subject, then *, regardless of the order of keys', () => {
    const preferences = fc.dictionary(fc.constantFrom(...EVENT_SELECTORS), fc.boolean());
    fc.assert(
      fc.property(preferences, fc.constantFrom(...EVENT_TYPES), (choices, type) => {
        const covering = Object.keys(choices).filter((selector) => isSubscribed([selector], type));
        const [mostSpecific] = covering.sort((a, b) => {
          const rank = (selector: string) => (selector === type ? 2 : selector === '*' ? 0 : 1);
          return rank(b) - rank(a);
        });
        expect(notificationPreferenceOf(choices, type)).toBe(
          mostSpecific === undefined ? undefined : choices[mostSpecific],
        );
      }),
    );
  });

  it('returns undefined if no preference is set', () => {
    expect(notificationPreferenceOf(undefined, 'trade.filled')).toBeUndefined();
    expect(notificationPreferenceOf({ 'copier.*': true }, 'trade.filled')).toBeUndefined();
  });
});
