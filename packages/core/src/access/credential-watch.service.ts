/**
 * Watches the credentials of long-lived requests: a stream ends when the credential that opened it becomes invalid.
 *
 * 1. All watched credentials are checked in one statement, on every change notification and every two seconds. The
 *    check reads the database, never the cache.
 * 2. A watch ends if the credential is revoked, expires or is rotated (which keeps the key's id). It also ends if the
 *    permissions no longer suffice or the address is no longer allowed.
 * 3. A watch also ends if no check succeeded for 4 s and one failed, or did not finish, in that time, for example because
 *    the database is unavailable. A pause of the process itself ends no watch: the next check decides.
 */
import { DomainError, type Permission, permits } from '@trading-automation/contracts';
import type { Actor } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { isAddressAllowed } from './address-allowlist.rules.js';
import { hashApiKey } from './api-key.js';
import { extractApiKey, type IncomingRequest } from './authentication.service.js';
import { IS_OPEN } from './browser-session-end.js';
import { CREDENTIALS_CHANGED } from './credential-lookup.service.js';

const CHECK_MS = 2_000;
const UNVERIFIED_MAX_MS = 4_000;
/** After this many periodic checks in a row that did not finish, the database counts as unavailable. */
const UNFINISHED_CHECKS_MAX = 2;
const ERROR_CODES = {
  api_key: 'invalid_api_key',
  public_key: 'unknown_public_key',
  session: 'invalid_access_token',
  browser_session: 'unknown_public_key',
} as const;

/** A long-lived request and the permission that it needs. */
export interface LongLivedRequest {
  readonly actor: Actor;
  readonly incoming: IncomingRequest;
  readonly access: Permission;
}

interface Watched extends LongLivedRequest {
  /**
   * Hash of the API key, by which a rotation is detected. Null for a public key, which cannot be rotated, and for a
   * session, whose tokens may change while the watch continues.
   */
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
  /** Number of periodic checks that were started since a check last finished. */
  private unfinishedChecks = 0;

  constructor(
    private readonly platform: Platform,
    private readonly checkMs = CHECK_MS,
  ) {
    this.unsubscribe = platform.listener.subscribe(CREDENTIALS_CHANGED, () => this.checkSoon());
  }

  /**
   * Calls `onEnd` once when the credential no longer permits the request. Returns a function that releases the watch
   * without calling `onEnd`.
   *
   * @throws {DomainError} as authentication does, if the credential is already invalid
   */
  async watch(request: LongLivedRequest, onEnd: () => void): Promise<() => void> {
    const watched: Watched = { ...request, hash: hashOf(request), onEnd, verifiedAtMs: performance.now() };
    this.watched.add(watched);
    this.timer ??= setInterval(() => this.checkPeriodically(), this.checkMs).unref();
    const release = () => this.release(watched);
    try {
      await this.check();
    } catch (error) {
      release();
      throw error;
    }
    if (!this.watched.has(watched)) throw new DomainError(ERROR_CODES[request.actor.credential.kind]);
    return release;
  }

  /** Releases all watches without calling `onEnd`. */
  stop(): void {
    this.unsubscribe();
    for (const watched of [...this.watched]) this.release(watched);
  }

  private release(watched: Watched): void {
    this.watched.delete(watched);
    if (this.watched.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.unfinishedChecks = 0;
  }

  private checkPeriodically(): void {
    if (this.unfinishedChecks >= UNFINISHED_CHECKS_MAX) this.endUnverified();
    this.unfinishedChecks++;
    this.checkSoon();
  }

  private checkSoon(): void {
    if (this.watched.size === 0) return;
    this.check().catch(() => this.endUnverified());
  }

  /**
   * Runs a check. It never joins a check that is already running, because that one may have read older rows. All calls
   * during a running check share the next one.
   */
  private check(): Promise<void> {
    this.pending ??= this.checking
      .catch(() => undefined)
      .then(() => {
        this.pending = undefined;
        this.checking = this.checkAll().finally(() => {
          this.unfinishedChecks = 0;
        });
        return this.checking;
      });
    return this.pending;
  }

  private async checkAll(): Promise<void> {
    const startedAtMs = performance.now();
    const checked = [...this.watched];
    const states = await this.readCredentialStates(checked);
    for (const watched of checked) {
      const state = states.get(watched.actor.credential.id);
      if (state !== undefined && isValidFor(watched, state)) watched.verifiedAtMs = startedAtMs;
      else this.end(watched);
    }
  }

  private async readCredentialStates(watched: readonly Watched[]): Promise<Map<string, CredentialState>> {
    const idsOf = (kind: Actor['credential']['kind']) => [
      ...new Set(watched.map(({ actor }) => actor.credential).flatMap((c) => (c.kind === kind ? c.id : []))),
    ];
    const rows = await this.platform.database.query(
      `SELECT id, hash, permissions, ip_allowlist FROM api_keys
       WHERE id = ANY ($1) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())
       UNION ALL
       SELECT id, NULL, '{ADMIN}', '{}' FROM public_keys WHERE id = ANY ($2) AND revoked_at IS NULL
       UNION ALL
       SELECT id, NULL, '{ADMIN}', '{}' FROM sessions
       WHERE id = ANY ($3) AND revoked_at IS NULL AND expires_at > clock_timestamp()
       UNION ALL
       SELECT id, NULL, permissions, ip_allowlist FROM browser_sessions WHERE id = ANY ($4) AND ${IS_OPEN}`,
      [idsOf('api_key'), idsOf('public_key'), idsOf('session'), idsOf('browser_session')],
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

function isValidFor({ hash, access, incoming }: Watched, state: CredentialState): boolean {
  const isSameValue = hash === null ? state.hash === null : state.hash?.equals(hash) === true;
  return (
    isSameValue && permits(state.permissions, access) && isAddressAllowed(state.ipAllowlist, incoming.address)
  );
}
