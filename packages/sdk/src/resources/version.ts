import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { Version } from '../generated/records.js';

/** The version of the API. */
export class VersionResource<D extends DecimalForm> extends Resource<D> {
  /**
   * Returns the build version and the world (`test` or `live`) of the API.
   *
   * @example
   * const { version, world } = await client.version.get();
   */
  get(options?: RequestOptions): ApiPromise<Version> {
    return this.operations.call('version.get', {}, options);
  }
}
