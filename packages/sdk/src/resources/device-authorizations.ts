import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type {
  BrowserSession,
  DeviceApproval,
  DeviceAuthorization,
  DeviceAuthorizationCreate,
  DeviceDenial,
  DeviceTokenCreate,
  GrantedSession,
  StartedDeviceAuthorization,
} from '../generated/records.js';

/** Sign-in by code: a client shows a code, and a signed-in user approves it. */
export class DeviceAuthorizations<D extends DecimalForm> extends Resource<D> {
  /**
   * Starts a sign-in by code. Show `user_code` to the user, and ask for the result with `token`.
   *
   * @example
   * import { createSigner, generatePrivateKey, signChallenge } from '@trading-automation/sdk/signer';
   *
   * const signer = createSigner(generatePrivateKey());
   * const { challenge } = await client.auth.cliChallenge();
   * const proof = await signChallenge(challenge, signer);
   * const { user_code } = await client.deviceAuthorizations.create({ ...proof, client_name: 'dashboard' });
   */
  create(body: DeviceAuthorizationCreate, options?: RequestOptions): ApiPromise<StartedDeviceAuthorization> {
    return this.operations.call('deviceAuthorizations.create', { body }, options);
  }

  /**
   * Returns the sign-in that shows a code. Check it with the user before you approve it.
   *
   * @example
   * const { client_name, address, permissions } = await client.deviceAuthorizations.get(userCode);
   */
  get(userCode: string, options?: RequestOptions): ApiPromise<DeviceAuthorization> {
    return this.operations.call('deviceAuthorizations.get', { params: { user_code: userCode } }, options);
  }

  /**
   * Approves a sign-in by code and opens its session. `permissions` grants fewer permissions than requested.
   *
   * @example
   * const { expires_at } = await client.deviceAuthorizations.approve({ user_code: userCode, permissions: ['READ'] });
   */
  approve(body: DeviceApproval, options?: RequestOptions): ApiPromise<BrowserSession> {
    return this.operations.call('deviceAuthorizations.approve', { body }, options);
  }

  /**
   * Refuses a sign-in by code.
   *
   * @example
   * await client.deviceAuthorizations.deny({ user_code: userCode });
   */
  deny(body: DeviceDenial, options?: RequestOptions): ApiPromise<DeviceAuthorization> {
    return this.operations.call('deviceAuthorizations.deny', { body }, options);
  }

  /**
   * Returns the session of an approved sign-in. Throws a `ConflictError` with the state PENDING, DENIED or EXPIRED
   * otherwise. Wait `interval` seconds between two requests.
   *
   * @example
   * const { public_key_id, permissions } = await client.deviceAuthorizations.token({ device_code: deviceCode });
   */
  token(body: DeviceTokenCreate, options?: RequestOptions): ApiPromise<GrantedSession> {
    return this.operations.call('deviceAuthorizations.token', { body }, options);
  }
}
