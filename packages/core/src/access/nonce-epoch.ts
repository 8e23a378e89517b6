/**
 * Decides whether Redis still remembers every nonce that was accepted.
 *
 * 1. A random epoch is stored beside the nonces in Redis and in Postgres. The script that records a nonce compares the
 *    epoch, the server's replication id and the number of recorded nonces with what this process knows, in the same round
 *    trip. A request of a Redis that differs is refused.
 * 2. A missing or different epoch, fewer nonces than were recorded, or another server means that nonces may be lost: a new,
 *    emptied, restored or promoted Redis. Signed requests are then refused for 120 s, because every request that was
 *    accepted before has expired by then. After that, the new epoch is stored in Postgres.
 * 3. A server that restarted with its own log keeps its epoch: it is accepted once every process had the time to report
 *    how many nonces it knows of, and none is missing.
 * 4. Every process reads the row in Postgres each second. A process that cannot do so for 10 s refuses signed requests,
 *    so that a process which is connected to a former server stops before the new one is accepted.
 * 5. The first API of a database without public keys starts an epoch at once: no signed request was ever accepted.
 */
import { randomBytes } from 'node:crypto';
import { DomainError } from '@trading-automation/contracts';
import { type Database, inTransaction, type Tx } from '@trading-automation/persistence';
import type { Redis } from 'ioredis';
import { type NonceMemory, type NonceRow, nextNonceState } from './nonce-epoch.rules.js';

const REFRESH_MS = 1_000;
/** After this time without a successful refresh, another process may have accepted another server. */
const LEASE_MS = 10_000;
const EPOCH_BYTES = 16;
/** The wait that a refused caller is advised while the state is unknown. */
const UNKNOWN_RETRY_SECONDS = 2;

/** What the script compares with Redis before it records a nonce. */
export interface NonceExpectation extends NonceMemory {
  readonly epochKey: string;
  readonly claimsKey: string;
}

type State =
  | {
      readonly kind: 'confirmed';
      readonly epoch: string;
      readonly server: string;
      readonly refreshedAtMs: number;
    }
  | { readonly kind: 'refused'; readonly untilMs: number };

const ROW = `SELECT id, epoch, server, claims::float8 AS claims, next_epoch, next_server,
  extract(epoch FROM clock_timestamp() - next_seen_at)::float8 AS next_age_seconds, restarted_server,
  extract(epoch FROM clock_timestamp() - restarted_seen_at)::float8 AS restarted_age_seconds
  FROM nonce_memory`;

export class NonceEpoch {
  private state: State = { kind: 'refused', untilMs: 0 };
  private id = '';
  /**
   * The highest number of nonces that Redis reported in an epoch. It outlives the confirmation, because it may prove to
   * the other processes that nonces are lost.
   */
  private known = { epoch: '', claims: 0 };
  private refreshing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly database: Database,
    private readonly redis: Redis,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Reads the epoch, and refreshes it each second until `close`. Never rejects: without an epoch, requests are refused. */
  static async open(
    database: Database,
    redis: Redis,
    onError: (error: unknown) => void = () => undefined,
  ): Promise<NonceEpoch> {
    const epoch = new NonceEpoch(database, redis, onError);
    await epoch.refresh();
    epoch.timer = setInterval(() => void epoch.refresh(), REFRESH_MS);
    return epoch;
  }

  /** Stops refreshing, and reports the recorded nonces to Postgres. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.refreshing;
    await this.reportClaims().catch(() => undefined);
  }

  /**
   * Returns what Redis must match.
   *
   * @throws {DomainError} `service_unavailable` with `Retry-After`, while nonces may be lost
   */
  expectation(): NonceExpectation {
    const { state, known } = this;
    const nowMs = performance.now();
    if (state.kind === 'refused') throw refusal((state.untilMs - nowMs) / 1_000);
    if (nowMs - state.refreshedAtMs > LEASE_MS) throw refusal(UNKNOWN_RETRY_SECONDS);
    return { ...keysOf(this.id), epoch: state.epoch, server: state.server, claims: known.claims };
  }

  /** Whether `expectation` returns, so that this process accepts signed requests. */
  get isConfirmed(): boolean {
    const { state } = this;
    return state.kind === 'confirmed' && performance.now() - state.refreshedAtMs <= LEASE_MS;
  }

  /** Remembers how many nonces Redis has recorded in an epoch. */
  observe(epoch: string, claims: number): void {
    if (this.known.epoch === epoch) this.known.claims = Math.max(this.known.claims, claims);
  }

  /** Refuses signed requests, because Redis differs from what was expected. Returns the error for the request. */
  refuse(): DomainError {
    if (this.state.kind === 'confirmed')
      this.state = { kind: 'refused', untilMs: performance.now() + UNKNOWN_RETRY_SECONDS * 1_000 };
    void this.refresh();
    return refusal(UNKNOWN_RETRY_SECONDS);
  }

  /** Compares Redis with Postgres. Concurrent calls share one comparison. */
  refresh(): Promise<void> {
    this.refreshing ??= this.compare()
      .catch(this.onError)
      .finally(() => {
        this.refreshing = undefined;
      });
    return this.refreshing;
  }

  private async compare(): Promise<void> {
    // Report first: another process may wait for this number while this process cannot reach Redis.
    await this.reportClaims();
    const startedAtMs = performance.now();
    const [row] = await this.database.query(ROW);
    if (row !== undefined) {
      const memory = await readMemory(this.redis, row.id);
      const { kind } = nextNonceState(row, memory);
      if (kind === 'unchanged') return this.confirm(row.id, memory, startedAtMs);
    }
    await inTransaction(this.database, (tx) => this.settle(tx, startedAtMs));
  }

  /** Decides with the row locked, so that all processes agree. */
  private async settle(tx: Tx, startedAtMs: number): Promise<void> {
    await tx.query('INSERT INTO nonce_memory (id) VALUES ($1) ON CONFLICT DO NOTHING', [
      randomBytes(EPOCH_BYTES).toString('hex'),
    ]);
    const [row]: NonceRow[] = await tx.query(`${ROW} FOR UPDATE`);
    const memory = await readMemory(this.redis, row!.id);
    const isFirstBoot = row!.epoch === null && !(await hasPublicKeys(tx));
    const next = nextNonceState({ ...row!, isFirstBoot }, memory);
    if (next.kind === 'unchanged') return this.confirm(row!.id, memory, startedAtMs);
    if (next.kind === 'wait') return this.wait(next.seconds);
    if (next.kind === 'restarted') {
      await storeRestart(tx, memory.server);
      return this.wait(next.seconds);
    }
    if (next.kind === 'accept') {
      await storeAccepted(tx, memory);
      return this.confirm(row!.id, memory, startedAtMs);
    }
    const epoch = randomBytes(EPOCH_BYTES).toString('hex');
    await this.redis.set(keysOf(row!.id).epochKey, epoch);
    if (next.kind === 'begin') {
      await storeAccepted(tx, { ...memory, epoch });
      return this.confirm(row!.id, { ...memory, epoch }, startedAtMs);
    }
    await storeChange(tx, epoch, memory.server);
    return this.wait(next.seconds);
  }

  private confirm(id: string, { epoch, server, claims }: NonceMemory, refreshedAtMs: number): void {
    const isSameEpoch = this.known.epoch === epoch;
    this.id = id;
    this.known = { epoch, claims: isSameEpoch ? Math.max(this.known.claims, claims) : claims };
    this.state = { kind: 'confirmed', epoch, server, refreshedAtMs };
  }

  private wait(seconds: number): void {
    this.state = { kind: 'refused', untilMs: performance.now() + seconds * 1_000 };
  }

  private async reportClaims(): Promise<void> {
    const { epoch, claims } = this.known;
    if (epoch === '') return;
    await this.database.query(
      'UPDATE nonce_memory SET claims = $1 WHERE epoch = $2 AND claims < $1::bigint',
      [String(claims), epoch],
    );
  }
}

/** Keys contain the id of the database, because several databases may share one Redis. */
function keysOf(id: string): { readonly epochKey: string; readonly claimsKey: string } {
  return { epochKey: `nonces:epoch:${id}`, claimsKey: `nonces:claims:${id}` };
}

/** @throws if Redis is unavailable, or is a replica */
async function readMemory(redis: Redis, id: string): Promise<NonceMemory & { readonly isPromoted: boolean }> {
  const { epochKey, claimsKey } = keysOf(id);
  const [epoch, claims, info] = await Promise.all([
    redis.get(epochKey),
    redis.get(claimsKey),
    redis.info('replication'),
  ]);
  const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? '';
  if (field('role') !== 'master') throw new Error('Redis is a replica; connect to the primary.');
  return {
    epoch: epoch ?? '',
    server: field('master_replid'),
    claims: Number(claims ?? 0),
    isPromoted: !/^0*$/.test(field('master_replid2')),
  };
}

async function hasPublicKeys(tx: Tx): Promise<boolean> {
  const [{ exists }] = await tx.query('SELECT EXISTS (SELECT FROM public_keys) AS exists');
  return exists;
}

async function storeRestart(tx: Tx, server: string): Promise<void> {
  await tx.query('UPDATE nonce_memory SET restarted_server = $1, restarted_seen_at = clock_timestamp()', [
    server,
  ]);
}

async function storeAccepted(tx: Tx, { epoch, server, claims }: NonceMemory): Promise<void> {
  await tx.query(
    `UPDATE nonce_memory SET epoch = $1, server = $2, claims = $3, next_epoch = NULL, next_server = NULL,
       next_seen_at = NULL, restarted_server = NULL, restarted_seen_at = NULL`,
    [epoch, server, claims],
  );
}

async function storeChange(tx: Tx, epoch: string, server: string): Promise<void> {
  await tx.query(
    `UPDATE nonce_memory SET next_epoch = $1, next_server = $2, next_seen_at = clock_timestamp(),
       restarted_server = NULL, restarted_seen_at = NULL`,
    [epoch, server],
  );
}

function refusal(seconds: number): DomainError {
  const message = 'Signed requests are refused until used nonces can be recognised. Retry after Retry-After.';
  return new DomainError('service_unavailable', message, [], {
    retryAfterSeconds: Math.max(1, Math.ceil(seconds)),
  });
}
