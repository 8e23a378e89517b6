/**
 * Settings that the service itself reads: a value that it could not follow is refused where it is put, so that nobody
 * believes to have chosen what does not count. Any other key is its user's alone.
 */
import {
  DomainError,
  type ErrorDetail,
  NOTIFICATIONS_SETTING,
  notificationPreferences,
} from '@trading-automation/contracts';
import type { z } from 'zod';

const KNOWN: ReadonlyMap<string, z.ZodType> = new Map([[NOTIFICATIONS_SETTING, notificationPreferences]]);

/** @throws {DomainError} `validation_failed`, naming each member that can't be followed and how to mend it */
export function assertValidSetting(key: string, value: unknown): void {
  const checked = KNOWN.get(key)?.safeParse(value);
  if (checked === undefined || checked.success) return;
  throw new DomainError('validation_failed', undefined, checked.error.issues.flatMap(detailsOf));
}

/** Values are never repeated, and names only as long as names are. */
const NAME_SHOWN_MAX = 100;

function detailsOf(issue: z.core.$ZodIssue): ErrorDetail[] {
  const fieldOf = (...path: PropertyKey[]) =>
    ['value', ...path.map((name) => String(name).slice(0, NAME_SHOWN_MAX))].join('.');
  const { message, path } = issue;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((name) => ({ field: fieldOf(...path, name), code: 'unknown_field', message }));
  const own = issue.code === 'custom' ? issue.params?.code : issue.code;
  return [{ field: fieldOf(...path), code: typeof own === 'string' ? own : 'invalid', message }];
}
