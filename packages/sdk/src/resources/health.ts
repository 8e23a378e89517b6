import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { DetailedHealth, Health } from '../generated/records.js';

/** Health checks. */
export class HealthResource<D extends DecimalForm> extends Resource<D> {
  /**
   * Checks that the API is alive.
   *
   * @example
   * const { status } = await client.health.get();
   */
  get(options?: RequestOptions): ApiPromise<Health> {
    return this.operations.call('health.get', {}, options);
  }

  /**
   * Returns the health of each service behind the API.
   *
   * @example
   * const { status, services } = await client.health.detailed();
   */
  detailed(options?: RequestOptions): ApiPromise<DetailedHealth> {
    return this.operations.call('health.detailed', {}, options);
  }
}
