import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type {
  AuthCliChallengeQuery,
  AuthVerifyEmailQuery,
  AuthVerifyEmailResult,
  CliChallenge,
  CliIdentityCreate,
  PublicKey,
} from '../generated/records.js';

export class Auth<D extends DecimalForm> extends Resource<D> {
  /**
   * Verifies an e-mail address: the link that was sent to it. It is good for 24 hours.
   *
   * @example
   * // `code` is in the link that was mailed.
   * await client.auth.verifyEmail({ code });
   */
  verifyEmail(query: AuthVerifyEmailQuery, options?: RequestOptions): ApiPromise<AuthVerifyEmailResult> {
    return this.caller.call('auth.verifyEmail', { query }, options);
  }

  /**
   * A challenge to sign, good once and for five minutes.
   *
   * @example
   * const { challenge, expires_at } = await client.auth.cliChallenge();
   */
  cliChallenge(query: AuthCliChallengeQuery = {}, options?: RequestOptions): ApiPromise<CliChallenge> {
    return this.caller.call('auth.cliChallenge', { query }, options);
  }

  /**
   * Links a key pair by its signature over a challenge; without a credential, opens an account for it.
   *
   * @example
   * import { createSigner, generatePrivateKey, signChallenge } from '@trading-automation/sdk/signer';
   *
   * const signer = createSigner(generatePrivateKey());
   * const { challenge } = await client.auth.cliChallenge();
   * await client.auth.cliIdentity({ ...(await signChallenge(challenge, signer)), label: 'laptop' });
   */
  cliIdentity(body: CliIdentityCreate, options?: RequestOptions): ApiPromise<PublicKey> {
    return this.caller.call('auth.cliIdentity', { body }, options);
  }
}
