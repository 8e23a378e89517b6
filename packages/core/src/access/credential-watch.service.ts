/**
 * Watches the credentials of requests that last: a stream must end with what it was opened by.
 *
 * 1. Looked at when a change is notified, and every two seconds whatever is notified, in the database and never in
 *    memory: one statement for all that are watched.
 * 2. The end comes with revocation, expiry and rotation (which leaves the key's id as it is), and where permission
 *    or address no longer suffice.
 * 3. What can't be looked at for four seconds ends too: a credential that nobody can vouch for is none.
 */
import { DomainError, type Permission, permits } from '@trading-automation/contracts';
import type { Actor } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { isAddressAllowed } from './address-allowlist.js';
import { hashApiKey } from './api-key.js';
import { extractApiKey, type IncomingRequest } from './authentication.service.js';
import { CREDENTIALS_CHANGED } from './credential-lookup.service.js';

const CHECK_MS = 2_000;
const UNVERIFIED_MAX_MS = 4_000;
const REFUSALS = {
  api_key: 'invalid_api_key',
  public_key: 'unknown_public_key',
  session: 'invalid_access_token',
} as const;

/** The request that lasts, and what its credential must permit. */
export interface LongLivedRequest {
  readonly actor: Actor;
  readonly incoming: IncomingRequest;
  readonly access: Permission;
}

interface Watched extends LongLivedRequest {
  /** Of the key's value; null for a public key, which is its own value, and for a session, whose tokens change. */
  readonly hash: Buffer | null;
  readonly onEnd: () => void;
  verifiedAtMs: number;
}

interface CredentialState {
  readonly hash: Buffer | null;
  readonly permissions: readonly Permission[];
  readonly ipAllowlist: readonly string[];
}

export class CredentialWatch {
  private readonly watched = new Set<Watched>();
  private readonly unsubscribe: () => void;
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> = Promise.resolve();
  private pending: Promise<void> | undefined;

  constructor(
    private readonly platform: Platform,
    private readonly checkMs = CHECK_MS,
  ) {
    this.unsubscribe = platform.listener.subscribe(CREDENTIALS_CHANGED, () => this.checkSoon());
  }

  /**
   * Calls `onEnd` once when the credential is no longer good for the request; the answer ends the watch.
   *
   * @throws {DomainError} as authentication does, where it is not good any more
   */
  async watch(request: LongLivedRequest, onEnd: () => void): Promise<() => void> {
    const watched: Watched = { ...request, hash: hashOf(request), onEnd, verifiedAtMs: performance.now() };
    this.watched.add(watched);
    this.timer ??= setInterval(() => this.checkSoon(), this.checkMs).unref();
    const release = () => this.release(watched);
    try {
      await this.check();
    } catch (error) {
      release();
      throw error;
    }
    if (!this.watched.has(watched)) throw new DomainError(REFUSALS[request.actor.credential.kind]);
    return release;
  }

  /** Nothing is looked at any more. */
  stop(): void {
    this.unsubscribe();
    for (const watched of [...this.watched]) this.release(watched);
  }

  private release(watched: Watched): void {
    this.watched.delete(watched);
    if (this.watched.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private checkSoon(): void {
    if (this.watched.size === 0) return;
    this.endUnverified();
    this.check().catch(() => this.endUnverified());
  }

  /** Resolves after a look that began after the call; calls that wait share one. */
  private check(): Promise<void> {
    this.pending ??= this.checking
      .catch(() => undefined)
      .then(() => {
        this.pending = undefined;
        this.checking = this.checkAll();
        return this.checking;
      });
    return this.pending;
  }

  private async checkAll(): Promise<void> {
    const startedAtMs = performance.now();
    const looked = [...this.watched];
    const standings = await this.readCredentialStates(looked);
    for (const watched of looked) {
      const standing = standings.get(watched.actor.credential.id);
      if (standing !== undefined && isGood(watched, standing)) watched.verifiedAtMs = startedAtMs;
      else this.end(watched);
    }
  }

  private async readCredentialStates(watched: readonly Watched[]): Promise<Map<string, CredentialState>> {
    const idsOf = (wanted: Actor['credential']['kind']) => [
      ...new Set(
        watched.map(({ actor }) => actor.credential).flatMap((c) => (c.kind === wanted ? c.id : [])),
      ),
    ];
    const rows = await this.platform.database.query(
      `SELECT id, hash, permissions, ip_allowlist FROM api_keys
       WHERE id = ANY ($1) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())
       UNION ALL
       SELECT id, NULL, '{ADMIN}', '{}' FROM public_keys WHERE id = ANY ($2) AND revoked_at IS NULL
       UNION ALL
       SELECT id, NULL, '{ADMIN}', '{}' FROM sessions
       WHERE id = ANY ($3) AND revoked_at IS NULL AND expires_at > clock_timestamp()`,
      [idsOf('api_key'), idsOf('public_key'), idsOf('session')],
    );
    return new Map(
      rows.map(
        (row: { id: string; hash: Buffer | null; permissions: Permission[]; ip_allowlist: string[] }) => [
          row.id,
          { hash: row.hash, permissions: row.permissions, ipAllowlist: row.ip_allowlist },
        ],
      ),
    );
  }

  private endUnverified(): void {
    const limitMs = performance.now() - UNVERIFIED_MAX_MS;
    for (const watched of [...this.watched]) if (watched.verifiedAtMs < limitMs) this.end(watched);
  }

  private end(watched: Watched): void {
    if (!this.watched.has(watched)) return;
    this.release(watched);
    watched.onEnd();
  }
}

function hashOf({ actor, incoming }: LongLivedRequest): Buffer | null {
  if (actor.credential.kind !== 'api_key') return null;
  const key = extractApiKey(incoming.rawHeaders);
  return key === null ? null : hashApiKey(key);
}

function isGood({ hash, access, incoming }: Watched, standing: CredentialState): boolean {
  const isSameValue = hash === null ? standing.hash === null : standing.hash?.equals(hash) === true;
  return (
    isSameValue &&
    permits(standing.permissions, access) &&
    isAddressAllowed(standing.ipAllowlist, incoming.address)
  );
}
