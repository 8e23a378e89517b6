/**
 * Authenticates a request.
 *
 * 1. A request with any `x-svc-*` header of the signature scheme is authenticated by its signature only.
 * 2. Any other request is authenticated by its API key, from `X-API-Key` or `Authorization: Bearer`. The two are
 *    equivalent; two different keys are rejected.
 * 3. A string that is not a key of this world is rejected before any database query. Unknown, revoked and expired
 *    keys get the same error.
 * 4. If the database or the nonce store is unavailable, authentication fails: the request is rejected with an error.
 * 5. A browser session that has ended is reported only to the holder of its private key.
 * 6. The limits of a credential and its user are charged only after it is authenticated. A signed request is charged together with its
 *    nonce.
 */
import {
  BACKGROUND_HEADER,
  BROWSER_SESSION_HOURS,
  BROWSER_SESSION_IDLE_MINUTES,
  type BrowserSessionEnd,
  DomainError,
} from '@trading-automation/contracts';
import {
  type ReplayWindow,
  type SignatureRefusal,
  type VerifyEngine,
  verifyRequest,
} from '@trading-automation/signed-request';
import type { Actor } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { isAddressAllowed } from './address-allowlist.rules.js';
import { hashApiKey, worldOfApiKey } from './api-key.js';
import type { CredentialLookup, ResolvedCredential } from './credential-lookup.service.js';
import type { LastUsedRecorder } from './last-used-recorder.service.js';
import type { RequestLimits } from './rate-limiter.js';

/** A request as received. */
export interface IncomingRequest {
  readonly method: string;
  /** The request target by which the request is routed. */
  readonly target: string;
  /** The request target as received, which a signature covers. Default: `target`. */
  readonly signedTarget?: string;
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array;
  /** The caller's IP address. */
  readonly address: string;
}

export type CredentialLimits = Pick<RequestLimits, 'noteCaller' | 'takeTokensByCaller' | 'takeWithNonce'>;

export interface AuthenticationDependencies {
  readonly platform: Platform;
  readonly lookup: CredentialLookup;
  readonly lastUsed: LastUsedRecorder;
  readonly engine: VerifyEngine;
}

export class Authentication {
  constructor(private readonly dependencies: AuthenticationDependencies) {}

  /**
   * Returns the caller, or null if the request carries no credentials.
   *
   * @param limits the limits to charge; they also record nonces
   * @throws {DomainError} if the credentials are invalid, or their limits are exhausted
   */
  async authenticate(incoming: IncomingRequest, limits: CredentialLimits): Promise<Actor | null> {
    const signed = await this.bySignature(incoming, limits);
    const credential = signed ?? (await this.byApiKey(incoming));
    if (credential === null) return null;
    limits.noteCaller({ userId: credential.userId, credential });
    assertUsable(credential, incoming);
    if (signed === null) await limits.takeTokensByCaller({ userId: credential.userId, credential });
    return this.actorOf(credential, incoming);
  }

  private actorOf(credential: ResolvedCredential, incoming: IncomingRequest): Actor {
    if (credential.kind !== 'browser_session' || isCausedByUser(incoming))
      this.dependencies.lastUsed.note(credential);
    const { kind, id, userId, permissions } = credential;
    return { userId, credential: { kind, id, permissions } };
  }

  /**
   * Returns the caller of a signed request. Returns null for an unsigned request, even if it carries
   * another credential.
   */
  async authenticateSigned(incoming: IncomingRequest, limits: CredentialLimits): Promise<Actor | null> {
    const credential = await this.bySignature(incoming, limits);
    if (credential === null) return null;
    assertUsable(credential, incoming);
    return this.actorOf(credential, incoming);
  }

  private async bySignature(
    incoming: IncomingRequest,
    limits: CredentialLimits,
  ): Promise<ResolvedCredential | null> {
    const { method, target, signedTarget = target, rawHeaders, body } = incoming;
    const { engine, lookup } = this.dependencies;
    let credential: ResolvedCredential | null = null;
    const findPublicKey = async (publicKey: string) => {
      credential = await lookup.byPublicKey(publicKey);
      return credential;
    };
    const replayWindow = limitedReplayWindow(limits, () => credential!);
    const verification = await verifyRequest(
      { method, path: signedTarget, headers: rawHeaders, body },
      { engine, replayWindow, findPublicKey },
    );
    if (verification.kind === 'absent') return null;
    if (verification.kind === 'accepted') return verification.identity;
    throw signatureError(verification);
  }

  private async byApiKey({ rawHeaders }: IncomingRequest): Promise<ResolvedCredential | null> {
    const key = extractApiKey(rawHeaders);
    if (key === null) return null;
    if (worldOfApiKey(key) !== this.dependencies.platform.world) throw new DomainError('invalid_api_key');
    const credential = await this.dependencies.lookup.byApiKeyHash(hashApiKey(key));
    if (
      credential === null ||
      (credential.expiresAt !== null && credential.expiresAt.getTime() <= Date.now())
    )
      throw new DomainError('invalid_api_key');
    return credential;
  }
}

function assertUsable({ ended, ipAllowlist }: ResolvedCredential, { address }: IncomingRequest): void {
  if (ended !== undefined) throw sessionEnded(ended);
  if (!isAddressAllowed(ipAllowlist, address)) throw new DomainError('ip_not_allowed');
}

/** Returns whether a user caused the request. A connection that is opened again in the background was not. */
function isCausedByUser({ method, rawHeaders }: IncomingRequest): boolean {
  if (method === 'CONNECT') return false;
  return !rawHeaders.some((text, i) => i % 2 === 0 && text.toLowerCase() === BACKGROUND_HEADER);
}

const ENDED = {
  REVOKED: 'The browser session was signed out.',
  EXPIRED: `The browser session was opened ${BROWSER_SESSION_HOURS} hours ago or its approving credential expired.`,
  IDLE: `The browser session was not used for ${BROWSER_SESSION_IDLE_MINUTES} minutes.`,
} as const satisfies Record<BrowserSessionEnd, string>;

function sessionEnded(state: BrowserSessionEnd): DomainError {
  const message = `${ENDED[state]} Sign in again.`;
  return new DomainError('unknown_public_key', message, [{ code: 'session_ended', message, state }]);
}

/** Returns a replay window that records a nonce only if the credential's limits allow the request. */
function limitedReplayWindow(limits: CredentialLimits, credential: () => ResolvedCredential): ReplayWindow {
  return {
    claim: (publicKey, nonce, ttlMs) => {
      const charged = credential();
      return limits.takeWithNonce(
        { userId: charged.userId, credential: charged },
        { publicKey, nonce, ttlMs },
      );
    },
  };
}

/** Returns the API key of a request, or null. @throws {DomainError} if it carries two different keys */
export function extractApiKey(rawHeaders: readonly string[]): string | null {
  const keys = new Set<string>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    const value = rawHeaders[i + 1]!.trim();
    if (name === 'x-api-key') keys.add(value);
    if (name === 'authorization') {
      const [scheme, token] = splitOnce(value);
      // Other schemes are not credentials of this API.
      if (scheme.toLowerCase() === 'bearer') keys.add(token);
    }
  }
  if (keys.size > 1) throw new DomainError('credentials_ambiguous');
  const [key] = keys;
  return key ?? null;
}

function splitOnce(value: string): [string, string] {
  const at = value.indexOf(' ');
  return at < 0 ? [value, ''] : [value.slice(0, at), value.slice(at + 1).trim()];
}

function signatureError(rejection: SignatureRefusal): DomainError {
  if (rejection.code === 'invalid_signature_headers') {
    return new DomainError(rejection.code, undefined, [
      { field: rejection.header, code: 'invalid', message: rejection.reason },
    ]);
  }
  if (rejection.code === 'timestamp_out_of_window') {
    return new DomainError(rejection.code, undefined, [
      {
        field: 'x-svc-timestamp',
        code: 'out_of_window',
        message: `The server's time is ${rejection.serverTimeMs}.`,
        server_time: rejection.serverTimeMs,
      },
    ]);
  }
  return new DomainError(rejection.code);
}
