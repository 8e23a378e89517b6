/**
 * Limits the open streams of a credential, and of a user with all credentials, over all processes; each stream holds a
 * lease in Postgres.
 *
 * 1. Leases of one user are granted one at a time, so the limits are never exceeded.
 * 2. If a lease is not renewed within 30 s, its stream ends, because another stream may have taken its place.
 * 3. If a process dies, its leases expire.
 */
import { DomainError } from '@trading-automation/contracts';
import { inTransaction, newUuid, type Tx } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';
import type { Platform } from '../platform/index.js';

const LEASE_SECONDS = 30;
const RENEW_MS = 10_000;

/** The kind of connection that needs a lease, and how many of them may be open. */
export interface LeaseKind {
  readonly kind: 'events' | 'sockets';
  /** The maximum of one credential. */
  readonly max: number;
  /** The maximum of a user with all credentials. */
  readonly maxPerUser: number;
}

/** Whose streams are counted. */
type LeaseHolder = Pick<Actor, 'userId'> & { readonly credential: { readonly id: string } };

const NOUNS = { events: 'event streams', sockets: 'sockets' } as const;

export class StreamLeases {
  /** The callback of each held lease, by the lease's id. */
  private readonly held = new Map<string, () => void>();
  /** Releases that have not finished. */
  private readonly ending = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly platform: Platform,
    private readonly limit: LeaseKind,
    private readonly renewMs = RENEW_MS,
  ) {}

  /**
   * Takes a lease and renews it until the returned function is called. Calls `onLost` if the lease expired before it
   * could be renewed.
   *
   * @throws {DomainError} `rate_limited` if the credential or its user has reached the limit
   */
  async claim(holder: LeaseHolder, onLost: () => void): Promise<() => Promise<void>> {
    const id = newUuid();
    await inTransaction(this.platform.database, (tx) => insertLease(tx, this.limit, id, holder));
    this.held.set(id, onLost);
    this.timer ??= setInterval(() => void this.renew().catch(() => undefined), this.renewMs).unref();
    return () => this.release(id);
  }

  /** Resolves once all releases have finished. Call it before the database is closed. */
  async settled(): Promise<void> {
    await Promise.all(this.ending);
  }

  private release(id: string): Promise<void> {
    this.held.delete(id);
    if (this.held.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    const finish = () => void this.ending.delete(ending);
    // If the statement fails, the lease expires.
    const ending: Promise<void> = this.platform.database
      .query('DELETE FROM event_streams WHERE id = $1', [id])
      .then(finish, finish);
    this.ending.add(ending);
    return ending;
  }

  private async renew(): Promise<void> {
    const ids = [...this.held.keys()];
    const [rows] = await this.platform.database.query(
      `UPDATE event_streams SET lease_until = clock_timestamp() + interval '${LEASE_SECONDS} seconds'
       WHERE id = ANY ($1) AND lease_until > clock_timestamp() RETURNING id`,
      [ids],
    );
    const renewed = new Set(rows.map(({ id }: { id: string }) => id));
    for (const id of ids) if (!renewed.has(id)) this.held.get(id)?.();
  }
}

async function insertLease(
  tx: Tx,
  { kind, max, maxPerUser }: LeaseKind,
  id: string,
  { userId, credential }: LeaseHolder,
): Promise<void> {
  await tx.query(
    `DELETE FROM event_streams WHERE id IN (
       SELECT id FROM event_streams WHERE lease_until < clock_timestamp() LIMIT 100 FOR UPDATE SKIP LOCKED)`,
  );
  // Processes of the previous release lock only the credential.
  for (const owner of [userId, credential.id])
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${NOUNS[kind]} of ${owner}`]);
  const [{ of_credential, of_user }] = await tx.query(
    `SELECT count(*) FILTER (WHERE credential_id = $1)::int AS of_credential,
       count(*) FILTER (WHERE user_id = $2)::int AS of_user
     FROM event_streams
     WHERE (credential_id = $1 OR user_id = $2) AND kind = $3 AND lease_until > clock_timestamp()`,
    [credential.id, userId, kind],
  );
  if (of_credential >= max) throw tooMany(`A credential may have ${max} ${NOUNS[kind]} open.`);
  if (of_user >= maxPerUser)
    throw tooMany(`A user may have ${maxPerUser} ${NOUNS[kind]} open with all credentials together.`);
  await tx.query(
    `INSERT INTO event_streams (id, credential_id, user_id, kind, lease_until)
     VALUES ($1, $2, $3, $4, clock_timestamp() + interval '${LEASE_SECONDS} seconds')`,
    [id, credential.id, userId, kind],
  );
}

function tooMany(reason: string): DomainError {
  return new DomainError('rate_limited', `${reason} Close one of them first.`, [], {
    retryAfterSeconds: LEASE_SECONDS,
  });
}
