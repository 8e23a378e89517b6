/**
 * Notification preferences: the value of the setting `notifications`, the only setting that the product itself reads.
 *
 * 1. Every event type has a default. The value contains only deviations from the defaults.
 * 2. READ permission is enough to change settings. Security notifications are therefore sent regardless of the
 *    preferences: the holder of a stolen key must not be able to silence them.
 */
import { z } from 'zod';
import type { DetailCode } from './detail-codes.js';
import { EVENT_SELECTORS, type EventType } from './events.js';

/** The key of the setting. */
export const NOTIFICATIONS_SETTING = 'notifications';

/** Events that always notify in the product and by e-mail, regardless of the preferences. */
export const MANDATORY_NOTIFICATIONS: readonly EventType[] = [
  'key.created',
  'key.revoked',
  'public_key.linked',
  'withdrawal.created',
];

/**
 * Events that notify by e-mail by default, because they concern money or access. A copier that its
 * owner stopped causes no e-mail.
 */
export const MAILED_BY_DEFAULT: readonly EventType[] = [
  ...MANDATORY_NOTIFICATIONS,
  'withdrawal.completed',
  'withdrawal.cancelled',
  'withdrawal.failed',
  'exchange.credentials_rejected',
  'exchange.permissions_changed',
  'trade_pair.deactivated',
  'position.margin_call',
  'position.liquidated',
  'copier.stopped',
  'copier.drift',
  'copier.exit_delayed',
  'webhook.deactivated',
];

/** Maximum e-mails per user, event type and day. For `webhook.deactivated`, it is one per webhook and day instead. */
export const NOTIFICATION_MAILS_PER_DAY = 10;

const choices = z
  .record(z.string(), z.boolean({ error: 'Expected true or false.' }), {
    error: 'Expected an object with event types as keys, and true or false as values.',
  })
  .superRefine((chosen, context) => {
    for (const [selector, isOn] of Object.entries(chosen)) {
      const issue = issueOf(selector, isOn);
      if (issue !== null) {
        const { code, message } = issue;
        context.addIssue({ code: 'custom', path: [selector], message, params: { code } });
      }
    }
  });

function issueOf(selector: string, isOn: boolean): { code: DetailCode; message: string } | null {
  if (!EVENT_SELECTORS.includes(selector)) {
    const message = 'Expected an event type, a subject with .* (like trade.*), or *.';
    return { code: 'unknown_field', message };
  }
  if (isOn || !MANDATORY_NOTIFICATIONS.some((type) => type === selector)) return null;
  const message = `You are always notified of ${MANDATORY_NOTIFICATIONS.join(', ')}. Omit this event type.`;
  return { code: 'invalid_value', message };
}

const EXPECTED =
  'Expected an object like {"in_app": {"trade.filled": false}, "email": {"trade.failed": true}}.';

export const notificationPreferences = z.strictObject(
  { in_app: choices.optional(), email: choices.optional() },
  { error: ({ code }) => (code === 'invalid_type' ? EXPECTED : 'Only in_app and email are allowed.') },
);
export type NotificationPreferences = z.output<typeof notificationPreferences>;

/** The description of the setting in the API reference. */
export const NOTIFICATION_PREFERENCES_DESCRIPTION = [
  `The setting \`${NOTIFICATIONS_SETTING}\` selects the events that notify you:`,
  '`{"in_app": {"trade.filled": false}, "email": {"trade.*": true, "trade.filled": false}}`.',
  'Each key is an event type, `subject.*` or `*`; the most specific key applies.',
  'By default, every notification appears in the product, and these are also sent by e-mail:',
  `${MAILED_BY_DEFAULT.map((type) => `\`${type}\``).join(', ')}.`,
  'You get no e-mail about a copier that you stopped yourself.',
  `${MANDATORY_NOTIFICATIONS.map((type) => `\`${type}\``).join(', ')} always notify you.`,
  'E-mail is sent only to a verified address (PATCH /v1/me).',
  `You get at most ${NOTIFICATION_MAILS_PER_DAY} e-mails per event type and day; for \`webhook.deactivated\`, one per webhook and day.`,
].join(' ');

/**
 * Returns the preference for an event type: the value of the key for the type, else for its subject, else for `*`.
 * Returns undefined if no key applies.
 */
export function notificationPreferenceOf(
  chosen: Readonly<Record<string, boolean>> | undefined,
  type: EventType,
): boolean | undefined {
  if (chosen === undefined) return undefined;
  const subject = `${type.slice(0, type.indexOf('.'))}.*`;
  return chosen[type] ?? chosen[subject] ?? chosen['*'];
}
