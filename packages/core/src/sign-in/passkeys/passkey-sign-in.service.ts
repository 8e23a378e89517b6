/**
 * Sign-in by passkeys (WebAuthn). Retained until v2.0.
 *
 * 1. A challenge is valid for five minutes and one ceremony. The first response consumes it, valid or not. A
 *    registration challenge is issued for one user and valid only for that user.
 * 2. A response is valid only from one of our origins and for our domain, and only if the authenticator verified the
 *    user. Such a response proves two factors, so no second factor is required.
 * 3. A sign-in request names no user. The authenticator reports the owner of the passkey, and the passkey must belong to
 *    that user.
 * 4. A passkey whose counter does not increase may be a copy and is rejected, even in concurrent requests.
 *    Authenticators without a counter always report 0, which is accepted.
 * 5. Adding or removing a passkey needs a valid credential with ADMIN. An account has at most 20.
 */
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type VerifiedAuthenticationResponse,
  type VerifiedRegistrationResponse,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { DomainError, encodeId } from '@trading-automation/contracts';
import { inTransaction, isUniqueViolation, newUuid, type Tx } from '@trading-automation/persistence';
import type { z } from 'zod';
import { assertNotRevoked, lockUser } from '../../access/index.js';
import { type Actor, authorise, limitReached } from '../../operations/index.js';
import type { Platform } from '../../platform/index.js';
import { notOffered } from '../providers/provider-settings.js';
import type { SignInResult, SignInService } from '../sign-in.service.js';
import { authenticationResponse, challengeIn, registrationResponse } from './passkey-responses.js';
import type { PasskeyOptions } from './passkey-settings.js';

const CHALLENGE_SECONDS = 300;
const PASSKEYS_MAX = 20;
/** The COSE numbers of EdDSA, ES256 and RS256. */
const ALGORITHMS = [-8, -7, -257];

type Purpose = 'register' | 'login';
type RegistrationResponse = z.output<typeof registrationResponse>;
type AuthenticationResponse = z.output<typeof authenticationResponse>;

interface Passkey {
  readonly id: string;
  readonly user_id: string;
  readonly public_key: Buffer;
  readonly counter: string;
}

export interface PasskeySignInDependencies {
  readonly platform: Platform;
  readonly signIn: SignInService;
  /** Undefined if passkeys are not offered. */
  readonly options: PasskeyOptions | undefined;
}

export class PasskeySignInService {
  constructor(private readonly dependencies: PasskeySignInDependencies) {}

  /** Returns the options with which a browser creates a passkey for the actor's account. */
  async registrationOptions(actor: Actor): Promise<PublicKeyCredentialCreationOptionsJSON> {
    authorise(actor, 'ADMIN');
    const { rpId, rpName } = this.options();
    const { userId } = actor;
    const passkeys = await this.passkeysOf(userId);
    if (passkeys.length >= PASSKEYS_MAX) throw limitReached('passkeys', PASSKEYS_MAX);
    const options = await generateRegistrationOptions({
      rpID: rpId,
      rpName,
      userID: userHandleOf(userId),
      userName: (await this.emailOf(userId)) ?? encodeId('usr', userId),
      attestationType: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: passkeys.map(({ credential_id, transports }) => ({
        id: credential_id.toString('base64url'),
        transports,
      })),
      supportedAlgorithmIDs: ALGORITHMS,
      timeout: CHALLENGE_SECONDS * 1_000,
    });
    await this.storeChallenge('register', userId, options.challenge);
    return options;
  }

  /** Registers a passkey. @param response the browser's response @throws {DomainError} `validation_failed` */
  async register(actor: Actor, response: unknown): Promise<{ readonly credentialId: string }> {
    authorise(actor, 'ADMIN');
    this.options();
    const parsed = registrationResponse.safeParse(response);
    if (!parsed.success) throw badRegistration(parsed.error);
    const challenge = await this.consumeChallenge('register', actor.userId, parsed.data);
    if (challenge === null) throw badRegistration('the challenge is unknown');
    const registration = await this.verifyRegistration(parsed.data, challenge);
    if (!registration.verified) throw badRegistration('the response does not verify');
    try {
      await inTransaction(this.dependencies.platform.database, (tx) => addPasskey(tx, actor, registration));
    } catch (error) {
      if (!isUniqueViolation(error, 'passkeys_credential_id_key')) throw error;
      throw new DomainError('already_exists', 'This passkey is already registered.');
    }
    return { credentialId: registration.registrationInfo.credential.id };
  }

  /** Returns the options with which a browser signs in with any passkey of this domain. */
  async loginOptions(): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { rpId } = this.options();
    const options = await generateAuthenticationOptions({
      rpID: rpId,
      userVerification: 'required',
      timeout: CHALLENGE_SECONDS * 1_000,
    });
    await this.storeChallenge('login', null, options.challenge);
    return options;
  }

  /** Signs in with a passkey. @param response the browser's response @throws {DomainError} `invalid_login` */
  async login(response: unknown): Promise<SignInResult> {
    this.options();
    const parsed = authenticationResponse.safeParse(response);
    if (!parsed.success) throw badLogin(parsed.error);
    const challenge = await this.consumeChallenge('login', null, parsed.data);
    const passkey = await this.passkeyOf(parsed.data);
    if (challenge === null || passkey === null) throw badLogin('the challenge or the passkey is unknown');
    const login = await this.verifyLogin(parsed.data, challenge, passkey);
    if (!login.verified) throw badLogin('the response does not verify');
    return inTransaction(this.dependencies.platform.database, async (tx) => {
      await advanceCounter(tx, passkey, login.authenticationInfo.newCounter);
      return this.dependencies.signIn.complete(tx, passkey.user_id, 'passkey');
    });
  }

  /** Removes a passkey of the actor's account. */
  async remove(actor: Actor, credentialId: string): Promise<void> {
    authorise(actor, 'ADMIN');
    await inTransaction(this.dependencies.platform.database, async (tx) => {
      await lockUser(tx, actor.userId);
      await assertNotRevoked(tx, actor);
      const [removed] = await tx.query(
        'DELETE FROM passkeys WHERE user_id = $1 AND credential_id = $2 RETURNING id',
        [actor.userId, Buffer.from(credentialId, 'base64url')],
      );
      if (removed.length === 0) throw new DomainError('not_found');
    });
  }

  private options(): PasskeyOptions {
    if (this.dependencies.options === undefined) throw notOffered('passkeys');
    return this.dependencies.options;
  }

  private async verifyRegistration(
    response: RegistrationResponse,
    challenge: string,
  ): Promise<VerifiedRegistrationResponse> {
    const { rpId, origins } = this.options();
    try {
      return await verifyRegistrationResponse({
        response: { ...response, clientExtensionResults: {} },
        expectedChallenge: challenge,
        expectedOrigin: origins,
        expectedRPID: rpId,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      });
    } catch (error) {
      throw badRegistration(error);
    }
  }

  private async verifyLogin(
    response: AuthenticationResponse,
    challenge: string,
    passkey: Passkey,
  ): Promise<VerifiedAuthenticationResponse> {
    const { rpId, origins } = this.options();
    try {
      return await verifyAuthenticationResponse({
        response: { ...response, clientExtensionResults: {} },
        expectedChallenge: challenge,
        expectedOrigin: origins,
        expectedRPID: rpId,
        requireUserVerification: true,
        credential: {
          id: response.id,
          publicKey: new Uint8Array(passkey.public_key),
          counter: Number(passkey.counter),
        },
      });
    } catch (error) {
      throw badLogin(error);
    }
  }

  private async storeChallenge(purpose: Purpose, userId: string | null, challenge: string): Promise<void> {
    await this.dependencies.platform.database.query(
      `INSERT INTO passkey_challenges (id, user_id, challenge, purpose, expires_at)
       VALUES ($1, $2, $3, $4, clock_timestamp() + ${CHALLENGE_SECONDS} * interval '1 second')`,
      [newUuid(), userId, challenge, purpose],
    );
  }

  /** Consumes the challenge outside of any transaction, so that a rejected response consumes it too. */
  private async consumeChallenge(
    purpose: Purpose,
    userId: string | null,
    response: RegistrationResponse | AuthenticationResponse,
  ): Promise<string | null> {
    const challenge = challengeIn(response);
    const [used] = await this.dependencies.platform.database.query(
      `DELETE FROM passkey_challenges
       WHERE challenge = $1 AND purpose = $2 AND user_id IS NOT DISTINCT FROM $3 AND expires_at > clock_timestamp()
       RETURNING challenge`,
      [challenge, purpose, userId],
    );
    return used[0]?.challenge ?? null;
  }

  private async passkeyOf({ id, response }: AuthenticationResponse): Promise<Passkey | null> {
    const [passkey] = await this.dependencies.platform.database.query(
      'SELECT id, user_id, public_key, counter FROM passkeys WHERE credential_id = $1',
      [Buffer.from(id, 'base64url')],
    );
    if (passkey === undefined) return null;
    const belongsToUser = userHandleOf(passkey.user_id).equals(Buffer.from(response.userHandle, 'base64url'));
    return belongsToUser ? passkey : null;
  }

  private passkeysOf(userId: string): Promise<{ credential_id: Buffer; transports: string[] }[]> {
    const { database } = this.dependencies.platform;
    return database.query('SELECT credential_id, transports FROM passkeys WHERE user_id = $1', [userId]);
  }

  private async emailOf(userId: string): Promise<string | null> {
    const { database } = this.dependencies.platform;
    const [user] = await database.query(
      'SELECT coalesce(pending_email, email) AS email FROM users WHERE id = $1',
      [userId],
    );
    return user?.email ?? null;
  }
}

/** Returns the handle that authenticators store with the passkey: a random number without personal data. */
function userHandleOf(userId: string): Buffer<ArrayBuffer> {
  return Buffer.from(userId.replaceAll('-', ''), 'hex');
}

async function addPasskey(
  tx: Tx,
  actor: Actor,
  { registrationInfo }: Extract<VerifiedRegistrationResponse, { verified: true }>,
): Promise<void> {
  await lockUser(tx, actor.userId);
  await assertNotRevoked(tx, actor);
  const [{ count }] = await tx.query('SELECT count(*)::int AS count FROM passkeys WHERE user_id = $1', [
    actor.userId,
  ]);
  if (count >= PASSKEYS_MAX) throw limitReached('passkeys', PASSKEYS_MAX);
  const { id, publicKey, counter, transports } = registrationInfo.credential;
  await tx.query(
    `INSERT INTO passkeys (id, user_id, credential_id, public_key, counter, transports, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp())`,
    [
      newUuid(),
      actor.userId,
      Buffer.from(id, 'base64url'),
      Buffer.from(publicKey),
      counter,
      transports ?? [],
    ],
  );
}

/** Stores the counter. The UPDATE compares the locked row again, so that a concurrent response cannot reuse the counter. */
async function advanceCounter(tx: Tx, { id }: Passkey, counter: number): Promise<void> {
  const [updated] = await tx.query(
    `UPDATE passkeys SET counter = $2, last_used_at = clock_timestamp()
     WHERE id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0)) RETURNING id`,
    [id, counter],
  );
  if (updated.length === 0) throw badLogin('the counter does not increase');
}

function badRegistration(cause: unknown): DomainError {
  const message = 'The response does not match a current challenge. Start the registration again.';
  return new DomainError('validation_failed', undefined, [{ field: 'response', code: 'invalid', message }], {
    cause,
  });
}

function badLogin(cause: unknown): DomainError {
  const message = 'The passkey is invalid, or the challenge has expired. Start again.';
  return new DomainError('invalid_login', message, [], { cause });
}
