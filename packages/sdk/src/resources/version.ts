import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { Version } from '../generated/records.js';

export class VersionResource<D extends DecimalForm> extends Resource<D> {
  /**
   * Tells which version answers, and for which world.
   *
   * @example
   * const { version, world } = await client.version.get();
   */
  get(options?: RequestOptions): ApiPromise<Version> {
    return this.caller.call('version.get', {}, options);
  }
}
