import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { Setting, SettingsDeleteResult, SettingsListQuery } from '../generated/records.js';

/** A setting whose value you know the type of: the API keeps any JSON, and sees to no type. */
export type SettingOf<Value> = Omit<Setting, 'value'> & { value: Value };

export class Settings<D extends DecimalForm> extends Resource<D> {
  /**
   * Your settings.
   *
   * @example
   * for await (const { key, value } of client.settings.list()) console.log(key, value);
   */
  list(query: SettingsListQuery = {}, options?: RequestOptions): PagePromise<Setting> {
    return this.caller.list('settings.list', { query }, options);
  }

  /**
   * One setting.
   *
   * @example
   * const { value } = await client.settings.get<'dark' | 'light'>('dashboard.theme');
   */
  get<Value = unknown>(key: string, options?: RequestOptions): ApiPromise<SettingOf<Value>> {
    const answer = this.caller.call('settings.get', { params: { key } }, options);
    return answer as ApiPromise<SettingOf<Value>>;
  }

  /**
   * Makes a setting, or gives it another value; `notifications` chooses what you are told of.
   *
   * @example
   * await client.settings.set('dashboard.theme', 'dark');
   */
  set<Value = unknown>(key: string, value: Value, options?: RequestOptions): ApiPromise<SettingOf<Value>> {
    const answer = this.caller.call('settings.put', { params: { key }, body: { value } }, options);
    return answer as ApiPromise<SettingOf<Value>>;
  }

  /**
   * Removes a setting.
   *
   * @example
   * await client.settings.delete('dashboard.theme');
   */
  delete(key: string, options?: RequestOptions): ApiPromise<SettingsDeleteResult> {
    return this.caller.call('settings.delete', { params: { key } }, options);
  }
}
