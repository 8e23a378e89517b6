/**
 * What an account is told of, and how: the value of one setting that the service itself reads.
 *
 * 1. What nothing is said about stays as it is by default; a value needs to hold no more than what differs.
 * 2. Settings can be put with READ alone. What tells an owner of a stranger at the account is therefore told whatever
 *    they say: who stole a key must not be able to silence it.
 */
import { z } from 'zod';
import { EVENT_SELECTORS, type EventType } from './events.js';

/** The key of the setting. */
export const NOTIFICATIONS_SETTING = 'notifications';

/** Told in the product and by e-mail, whatever was chosen. */
export const MANDATORY_NOTIFICATIONS: readonly EventType[] = [
  'key.created',
  'key.revoked',
  'public_key.linked',
  'withdrawal.created',
];

/**
 * Told by e-mail unless it was chosen otherwise: what costs money or access. A copier that its owner stopped is none
 * of it.
 */
export const MAILED_BY_DEFAULT: readonly EventType[] = [
  ...MANDATORY_NOTIFICATIONS,
  'withdrawal.completed',
  'withdrawal.cancelled',
  'withdrawal.failed',
  'exchange.credentials_rejected',
  'copier.stopped',
  'copier.drift',
  'webhook.deactivated',
];

/** Most e-mails about one kind of event in a day; about deactivations it is one for each webhook. */
export const NOTIFICATION_MAILS_PER_DAY = 10;

const choices = z
  .record(z.string(), z.boolean({ error: 'Expected true or false.' }), {
    error: 'Expected an object of kinds of events, each true or false.',
  })
  .superRefine((chosen, context) => {
    for (const [selector, isOn] of Object.entries(chosen)) {
      const refusal = refusalOf(selector, isOn);
      if (refusal !== null) {
        const { code, message } = refusal;
        context.addIssue({ code: 'custom', path: [selector], message, params: { code } });
      }
    }
  });

function refusalOf(selector: string, isOn: boolean): { code: string; message: string } | null {
  if (!EVENT_SELECTORS.includes(selector)) {
    const message = 'Not a kind of event; use a kind, its subject with .* or *.';
    return { code: 'unknown_field', message };
  }
  if (isOn || !MANDATORY_NOTIFICATIONS.some((type) => type === selector)) return null;
  const message = `You are always told of ${MANDATORY_NOTIFICATIONS.join(', ')}: leave it out.`;
  return { code: 'invalid_value', message };
}

const EXPECTED =
  'Expected an object like {"in_app": {"trade.filled": false}, "email": {"trade.failed": true}}.';

export const notificationPreferences = z.strictObject(
  { in_app: choices.optional(), email: choices.optional() },
  { error: ({ code }) => (code === 'invalid_type' ? EXPECTED : 'Only in_app and email can be chosen.') },
);
export type NotificationPreferences = z.output<typeof notificationPreferences>;

/** What the reference says of the setting. */
export const NOTIFICATION_PREFERENCES_DESCRIPTION = [
  `The value of \`${NOTIFICATIONS_SETTING}\` chooses what you are told of:`,
  '`{"in_app": {"trade.filled": false}, "email": {"trade.*": true, "trade.filled": false}}`.',
  'Each member names a kind of event, `subject.*` or `*`; the most specific one decides, and what none names stays',
  'as it is by default: in the product everything that makes a notification, by e-mail',
  `${MAILED_BY_DEFAULT.map((type) => `\`${type}\``).join(', ')} (a copier that you stopped yourself is none of it).`,
  `${MANDATORY_NOTIFICATIONS.map((type) => `\`${type}\``).join(', ')} are told whatever you choose.`,
  'E-mail goes to a verified address alone (PATCH /v1/me), at most',
  `${NOTIFICATION_MAILS_PER_DAY} about one kind in a day, and one about each webhook.`,
].join(' ');

/**
 * What was chosen for a kind: by its own name, else by its subject's, else by `*`; undefined where nothing was said.
 */
export function choiceOf(
  chosen: Readonly<Record<string, boolean>> | undefined,
  type: EventType,
): boolean | undefined {
  if (chosen === undefined) return undefined;
  const subject = `${type.slice(0, type.indexOf('.'))}.*`;
  return chosen[type] ?? chosen[subject] ?? chosen['*'];
}
