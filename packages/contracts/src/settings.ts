import { z } from 'zod';
import type { DetailCode } from './detail-codes.js';
import { NOTIFICATION_PREFERENCES_DESCRIPTION, NOTIFICATIONS_SETTING } from './notification-preferences.js';
import { defineOperation, instant } from './operation.js';
import { jsonText } from './serializer.js';
import { storedSchema } from './stored-json.js';

/** Format of a setting's key. Keys of earlier releases can also be `.` and `..`. */
export const SETTING_KEY = /^[a-z0-9._-]{1,64}$/;
/**
 * Returns whether a new setting can have the key. URL parsers remove the path segments `.` and `..`, so a setting with
 * such a key would have no address.
 */
export function isNewSettingKey(key: string): boolean {
  return SETTING_KEY.test(key) && key !== '.' && key !== '..';
}
/** Maximum size of a value in bytes, as compact JSON in UTF-8. */
export const SETTING_VALUE_MAX_BYTES = 16 * 1024;

const key = z.string().regex(SETTING_KEY).describe('1 to 64 characters of a-z, 0-9, `.`, `_` and `-`.');

const utf8 = new TextEncoder();

export const setting = z
  .object({
    key,
    value: storedSchema(
      z.unknown().describe('Any JSON value, returned as it was stored. Numbers keep every digit.'),
    ),
    created_at: instant.describe('For a default, the time at which your account was created.'),
    updated_at: instant.describe('For a default, the time at which your account was created.'),
    is_default: z
      .boolean()
      .describe('Whether the setting was never set, and the value is the default of the product.'),
  })
  .meta({ id: 'Setting' });
export type Setting = z.output<typeof setting>;

export const settingPut = z
  .strictObject({
    value: z
      .unknown()
      .superRefine((value, context) => {
        if (value === undefined || utf8.encode(jsonText(value)).length <= SETTING_VALUE_MAX_BYTES) return;
        context.addIssue({
          code: 'custom',
          message: `Must be at most ${SETTING_VALUE_MAX_BYTES} bytes of JSON.`,
          params: { code: 'too_big' satisfies DetailCode },
        });
      })
      .describe(`Any JSON value, including null, of at most 16 KiB. ${NOTIFICATION_PREFERENCES_DESCRIPTION}`),
  })
  .meta({ id: 'SettingPut' });
export type SettingPut = z.output<typeof settingPut>;

/** Accepts any string: a malformed key is "not found" on reads, and a validation error on `put`. */
const pathParams = z.object({ key: z.string().describe('Key of the setting.') });

export const settingOperations = {
  list: defineOperation({
    id: 'settings.list',
    method: 'GET',
    path: '/v1/settings',
    summary: 'Lists your settings.',
    access: 'READ',
    list: { sorts: ['created_at', 'updated_at', 'key'], limitDefault: 20 },
    response: setting,
    status: 200,
    errors: [],
  }),
  get: defineOperation({
    id: 'settings.get',
    method: 'GET',
    path: '/v1/settings/:key',
    summary: `Returns a setting. \`${NOTIFICATIONS_SETTING}\` has a default, which is returned if you never set it.`,
    access: 'READ',
    params: pathParams,
    response: setting,
    status: 200,
    errors: ['not_found'],
  }),
  put: defineOperation({
    id: 'settings.put',
    method: 'PUT',
    path: '/v1/settings/:key',
    summary: `Creates or replaces a setting. \`${NOTIFICATIONS_SETTING}\` selects the events that notify you.`,
    access: 'READ',
    params: pathParams,
    body: settingPut,
    response: setting,
    status: 200,
    createdStatus: 201,
    errors: ['limit_reached'],
  }),
  delete: defineOperation({
    id: 'settings.delete',
    method: 'DELETE',
    path: '/v1/settings/:key',
    summary: 'Deletes a setting.',
    access: 'READ',
    params: pathParams,
    response: z.object({ key, deleted: z.literal(true) }),
    status: 200,
    errors: ['not_found'],
  }),
} as const;
