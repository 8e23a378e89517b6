/**
 * Validates the settings that the product itself reads. An invalid value is rejected on write, so that a user never
 * relies on a choice that has no effect. The product reads no other setting.
 */
import {
  DomainError,
  type ErrorDetail,
  isDetailCode,
  NOTIFICATIONS_SETTING,
  notificationPreferences,
} from '@trading-automation/contracts';
import type { z } from 'zod';

interface KnownSetting {
  readonly schema: z.ZodType;
  /** The value, as JSON, that has the same effect as a setting that was never set. */
  readonly byDefault: string;
}

const KNOWN_SETTINGS: ReadonlyMap<string, KnownSetting> = new Map([
  [NOTIFICATIONS_SETTING, { schema: notificationPreferences, byDefault: '{"in_app":{},"email":{}}' }],
]);

/** Returns the default of a setting as JSON; undefined if the setting has no default. */
export function defaultOf(key: string): string | undefined {
  return KNOWN_SETTINGS.get(key)?.byDefault;
}

/** @throws {DomainError} `validation_failed`, naming each invalid member and how to fix it */
export function assertValidSetting(key: string, value: unknown): void {
  const checked = KNOWN_SETTINGS.get(key)?.schema.safeParse(value);
  if (checked === undefined || checked.success) return;
  throw new DomainError('validation_failed', undefined, checked.error.issues.flatMap(detailsOf));
}

/** The length to which errors shorten names. Errors never repeat values. */
const NAME_SHOWN_MAX = 100;

function detailsOf(issue: z.core.$ZodIssue): ErrorDetail[] {
  const fieldOf = (...path: PropertyKey[]) =>
    ['value', ...path.map((name) => String(name).slice(0, NAME_SHOWN_MAX))].join('.');
  const { message, path } = issue;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((name) => ({ field: fieldOf(...path, name), code: 'unknown_field', message }));
  const issueCode = issue.code === 'custom' ? issue.params?.code : issue.code;
  return [{ field: fieldOf(...path), code: isDetailCode(issueCode) ? issueCode : 'invalid', message }];
}
