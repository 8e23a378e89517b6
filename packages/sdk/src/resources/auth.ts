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

/** Challenges, key pairs and e-mail verification. */
export class Auth<D extends DecimalForm> extends Resource<D> {
  /**
   * Verifies an e-mail address by the code from the link sent to it. The link is valid for 24 hours.
   *
   * @example
   * // `code` is in the mailed link.
   * await client.auth.verifyEmail({ code });
   */
  verifyEmail(query: AuthVerifyEmailQuery, options?: RequestOptions): ApiPromise<AuthVerifyEmailResult> {
    return this.caller.call('auth.verifyEmail', { query }, options);
  }

  /**
   * Returns a challenge to sign. It is single-use and expires after five minutes.
   *
   * @example
   * const { challenge, expires_at } = await client.auth.cliChallenge();
   */
  cliChallenge(query: AuthCliChallengeQuery = {}, options?: RequestOptions): ApiPromise<CliChallenge> {
    return this.caller.call('auth.cliChallenge', { query }, options);
  }

  /**
   * Links a public key to your account; its private key must have signed the challenge. Without a credential, creates
   * an account.
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
