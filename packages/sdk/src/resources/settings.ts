import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { Setting, SettingsDeleteResult, SettingsListQuery } from '../generated/records.js';

/** A setting with the value type that you expect. The API stores any JSON value and does not check its type. */
export type SettingOf<Value> = Omit<Setting, 'value'> & { value: Value };

/** Your settings, each a key with a JSON value. */
export class Settings<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists your settings.
   *
   * @example
   * for await (const { key, value } of client.settings.list()) console.log(key, value);
   */
  list(query: SettingsListQuery = {}, options?: RequestOptions): PagePromise<Setting> {
    return this.operations.list('settings.list', { query }, options);
  }

  /**
   * Returns one setting.
   *
   * @example
   * const { value } = await client.settings.get<'dark' | 'light'>('dashboard.theme');
   */
  get<Value = unknown>(key: string, options?: RequestOptions): ApiPromise<SettingOf<Value>> {
    const setting = this.operations.call('settings.get', { params: { key } }, options);
    return setting as ApiPromise<SettingOf<Value>>;
  }

  /**
   * Creates or replaces a setting. The setting `notifications` selects which notifications you receive.
   *
   * @example
   * await client.settings.set('dashboard.theme', 'dark');
   */
  set<Value = unknown>(key: string, value: Value, options?: RequestOptions): ApiPromise<SettingOf<Value>> {
    const setting = this.operations.call('settings.put', { params: { key }, body: { value } }, options);
    return setting as ApiPromise<SettingOf<Value>>;
  }

  /**
   * Deletes a setting.
   *
   * @example
   * await client.settings.delete('dashboard.theme');
   */
  delete(key: string, options?: RequestOptions): ApiPromise<SettingsDeleteResult> {
    return this.operations.call('settings.delete', { params: { key } }, options);
  }
}
