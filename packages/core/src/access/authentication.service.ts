/**
 * Who sent this request?
 *
 * 1. A request with any `x-svc-*` header of the scheme is judged by its signature alone.
 * 2. Otherwise an API key, from `X-API-Key` or `Authorization: Bearer`, which mean the same; two different ones
 *    are refused.
 * 3. A text that is no key of this world is refused before any look-up. Unknown, revoked and expired keys get
 *    the same answer.
 * 4. What can't be decided (database or nonces away) throws, and is never let in.
 * 5. Limits are taken by a credential only once it is known to be its holder's; those of a signed request together with
 *    its nonce.
 */
import { DomainError } from '@trading-automation/contracts';
import {
  type ReplayWindow,
  type SignatureRefusal,
  type VerifyEngine,
  verifyRequest,
} from '@trading-automation/signed-request';
import type { Actor } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { isAddressAllowed } from './address-allowlist.js';
import { hashApiKey, worldOfApiKey } from './api-key.js';
import type { CredentialLookup, ResolvedCredential } from './credential-lookup.service.js';
import type { LastUsedRecorder } from './last-used-recorder.service.js';
import type { RequestLimits } from './rate-limiter.js';

/** A request as it came in. */
export interface IncomingRequest {
  readonly method: string;
  /** The raw request target. */
  readonly target: string;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array;
  /** The caller's IP address. */
  readonly address: string;
}

export type CredentialLimits = Pick<RequestLimits, 'takeByCredential' | 'takeWithNonce'>;

export interface AuthenticationDependencies {
  readonly platform: Platform;
  readonly lookup: CredentialLookup;
  readonly use: LastUsedRecorder;
  readonly engine: VerifyEngine;
}

export class Authentication {
  constructor(private readonly dependencies: AuthenticationDependencies) {}

  /**
   * The caller, or null where the request carries no credentials.
   *
   * @param limits those that the credential must satisfy; they keep the nonces too
   * @throws {DomainError}
   */
  async authenticate(incoming: IncomingRequest, limits: CredentialLimits): Promise<Actor | null> {
    const signed = await this.bySignature(incoming, limits);
    const credential = signed ?? (await this.byApiKey(incoming));
    if (credential === null) return null;
    assertAllowedFrom(credential, incoming);
    if (signed === null) await limits.takeByCredential(credential.id);
    return this.actorOf(credential);
  }

  private actorOf(credential: ResolvedCredential): Actor {
    this.dependencies.use.note(credential);
    const { kind, id, userId, permissions } = credential;
    return { userId, credential: { kind, id, permissions } };
  }

  /** The caller by the signature alone: what carries none has no caller, whatever else it carries. */
  async authenticateSigned(incoming: IncomingRequest, limits: CredentialLimits): Promise<Actor | null> {
    const credential = await this.bySignature(incoming, limits);
    if (credential === null) return null;
    assertAllowedFrom(credential, incoming);
    return this.actorOf(credential);
  }

  private async bySignature(
    incoming: IncomingRequest,
    limits: CredentialLimits,
  ): Promise<ResolvedCredential | null> {
    const { method, target, rawHeaders, body } = incoming;
    const { engine, lookup } = this.dependencies;
    let found: ResolvedCredential | null = null;
    const findPublicKey = async (publicKey: string) => {
      found = await lookup.byPublicKey(publicKey);
      return found;
    };
    const replayWindow = limitedWindow(limits, () => found!.id);
    const verification = await verifyRequest(
      { method, path: target, headers: rawHeaders, body },
      { engine, replayWindow, findPublicKey },
    );
    if (verification.kind === 'absent') return null;
    if (verification.kind === 'accepted') return verification.identity;
    throw signatureRefused(verification);
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

function assertAllowedFrom({ ipAllowlist }: ResolvedCredential, { address }: IncomingRequest): void {
  if (!isAddressAllowed(ipAllowlist, address)) throw new DomainError('ip_not_allowed');
}

/** Records a nonce where the credential's limits allow the request. */
function limitedWindow(limits: CredentialLimits, credentialId: () => string): ReplayWindow {
  return {
    claim: (publicKey, nonce, ttlMs) => limits.takeWithNonce(credentialId(), { publicKey, nonce, ttlMs }),
  };
}

/** The API key that a request carries, or null. @throws {DomainError} where it carries two */
export function extractApiKey(rawHeaders: readonly string[]): string | null {
  const keys = new Set<string>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    const value = rawHeaders[i + 1]!.trim();
    if (name === 'x-api-key') keys.add(value);
    if (name === 'authorization') {
      const [scheme, token] = splitOnce(value);
      // Other schemes are not ours to judge: such a request carries no credentials of this API.
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

function signatureRefused(refusal: SignatureRefusal): DomainError {
  if (refusal.code === 'invalid_signature_headers') {
    return new DomainError(refusal.code, undefined, [
      { field: refusal.header, code: 'invalid', message: refusal.reason },
    ]);
  }
  if (refusal.code === 'timestamp_out_of_window') {
    return new DomainError(refusal.code, undefined, [
      {
        field: 'x-svc-timestamp',
        code: 'out_of_window',
        message: `The server's time is ${refusal.serverTimeMs}.`,
        server_time: refusal.serverTimeMs,
      },
    ]);
  }
  return new DomainError(refusal.code);
}
