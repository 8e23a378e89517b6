/**
 * Finds the credential of an API key or of a public key, which may be that of a browser session, in a memory cache if
 * possible.
 *
 * 1. The process that changes a credential evicts it before it responds. Every other process evicts it when the
 *    notification arrives. While the listener of a process is disconnected, the process does not use the cache.
 * 2. A row that was read before a credential changed is not cached after the change.
 * 3. The cache holds no unknown keys: a key works from the moment it is created.
 * 4. The cache holds no browser session that may end in the next minutes. Whether it has ended, the database decides.
 */
import type { BrowserSessionEnd, Permission } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';
import { END_OF_SESSION, IDLE } from './browser-session-end.js';

/** The channel that notifies about a change of any credential, with an empty payload. */
export const CREDENTIALS_CHANGED = 'credentials_changed';
const CACHE_SIZE_MAX = 10_000;
/** Limits how long a revoked key still works if a notification is lost and every other defence fails. */
const CACHE_TTL_MS = 30_000;
/** A browser session is cached only if it lasts at least this much longer. */
const SESSION_MARGIN_MS = 2 * CACHE_TTL_MS;

export interface ResolvedCredential {
  readonly kind: 'api_key' | 'public_key' | 'browser_session';
  readonly id: string;
  readonly userId: string;
  readonly permissions: readonly Permission[];
  readonly ipAllowlist: readonly string[];
  readonly expiresAt: Date | null;
  /** Why the credential, a browser session, has ended. */
  readonly ended?: BrowserSessionEnd | undefined;
  /** False if the credential may end before a cached copy of it would be read again. */
  readonly isCacheable?: boolean;
}

interface CacheEntry {
  readonly credential: ResolvedCredential;
  readonly untilMs: number;
}

export class CredentialLookup {
  private readonly cache = new Map<string, CacheEntry>();
  private generation = 0;

  constructor(
    private readonly platform: Platform,
    private readonly cacheSizeMax = CACHE_SIZE_MAX,
  ) {
    platform.listener.subscribe(CREDENTIALS_CHANGED, () => {
      this.generation++;
      this.cache.clear();
    });
  }

  async byApiKeyHash(hash: Buffer): Promise<ResolvedCredential | null> {
    return this.find(`api_key:${hash.toString('base64')}`, async () => {
      const [row] = await this.platform.database.query(
        `SELECT id, user_id, permissions, ip_allowlist, expires_at FROM api_keys
         WHERE hash = $1 AND revoked_at IS NULL`,
        [hash],
      );
      if (row === undefined) return null;
      return {
        kind: 'api_key',
        id: row.id,
        userId: row.user_id,
        permissions: row.permissions,
        ipAllowlist: row.ip_allowlist,
        expiresAt: row.expires_at,
      };
    });
  }

  async byPublicKey(publicKey: string): Promise<ResolvedCredential | null> {
    return this.find(`public_key:${publicKey}`, async () => {
      const [row] = await this.platform.database.query(
        'SELECT id, user_id FROM public_keys WHERE pubkey = $1 AND revoked_at IS NULL',
        [publicKey],
      );
      if (row === undefined) return readBrowserSession(this.platform, publicKey);
      return {
        kind: 'public_key',
        id: row.id,
        userId: row.user_id,
        permissions: ['ADMIN'],
        ipAllowlist: [],
        expiresAt: null,
      };
    });
  }

  private async find(
    cacheKey: string,
    read: () => Promise<ResolvedCredential | null>,
  ): Promise<ResolvedCredential | null> {
    const cached = this.cache.get(cacheKey);
    if (cached !== undefined && cached.untilMs > Date.now() && this.platform.listener.connected) {
      return cached.credential;
    }
    const generation = this.generation;
    const credential = await read();
    const isCacheable = credential !== null && credential.isCacheable !== false;
    if (!isCacheable || generation !== this.generation || !this.platform.listener.connected) {
      this.cache.delete(cacheKey);
      return credential;
    }
    if (this.cache.size >= this.cacheSizeMax) this.cache.clear();
    this.cache.set(cacheKey, { credential, untilMs: Date.now() + CACHE_TTL_MS });
    return credential;
  }
}

/** Reads the browser session of a public key, also if it has ended; null if it has none. */
async function readBrowserSession(
  { database }: Platform,
  publicKey: string,
): Promise<ResolvedCredential | null> {
  const [row] = await database.query(
    `SELECT id, user_id, permissions, ip_allowlist, expires_at, ${END_OF_SESSION} AS ended,
       least(expires_at, last_used_at + ${IDLE}) > clock_timestamp() + $2 * interval '1 millisecond' AS is_cacheable
     FROM browser_sessions WHERE pubkey = $1 ORDER BY revoked_at NULLS FIRST, created_at DESC LIMIT 1`,
    [publicKey, SESSION_MARGIN_MS],
  );
  if (row === undefined) return null;
  return {
    kind: 'browser_session',
    id: row.id,
    userId: row.user_id,
    permissions: row.permissions,
    ipAllowlist: row.ip_allowlist,
    expiresAt: row.expires_at,
    ended: row.ended ?? undefined,
    isCacheable: row.ended === null && row.is_cacheable,
  };
}

/** Makes every process evict its cached credentials once the transaction commits. */
export async function notifyCredentialChange(tx: Tx): Promise<void> {
  await tx.query(`NOTIFY ${CREDENTIALS_CHANGED}`);
}

/** Evicts the cached credentials of this process. Call after a change commits and before the response. */
export function invalidateCredentialCache({ listener }: Platform): void {
  listener.notifyLocally(CREDENTIALS_CHANGED);
}
