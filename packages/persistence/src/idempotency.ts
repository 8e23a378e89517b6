/**
 * Idempotency-Key: the first answer of a request comes again, and its effect happens once.
 *
 * 1. `claim`, the effect and `store` are one READ COMMITTED transaction: an effect without its record, or a
 *    record without its effect, can't stand. A crash undoes both, and the client's next try is the first.
 * 2. Of parallel requests with one key, one goes on; the others learn `in_progress` without waiting. The lock is
 *    held until after the commit, so whoever gets it next sees the record.
 * 3. A record belongs to user, route and key together: another user's equal key is another key.
 * 4. The same key with another fingerprint is `reused`, never executed and never answered with the first answer.
 * 5. Stored are a hash of the key and the answer sealed under a key derived from the server's key *and* the
 *    Idempotency-Key: neither the database nor the server's key alone shows an answer.
 * 6. A record counts for 24 hours by the database's clock, and not a moment longer.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { Tx } from './transaction.js';

export interface IdempotentRequest {
  readonly userId: string;
  /** The operation, by its stable name or its method and path pattern. */
  readonly route: string;
  /** The Idempotency-Key as the client sent it. */
  readonly key: string;
  /** From {@link requestFingerprint}. */
  readonly fingerprint: Uint8Array;
}

export interface StoredResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The answer as it is to come again, byte for byte, in whatever form the caller chose. */
  readonly body: Uint8Array;
}

export type IdempotencyClaim =
  /** Nobody came with this key: go on, then `store` in the same transaction. */
  | { readonly kind: 'fresh' }
  | { readonly kind: 'replay'; readonly response: StoredResponse }
  /** The key was used for another request. */
  | { readonly kind: 'reused' }
  /** The same key is being worked on at this moment. */
  | { readonly kind: 'in_progress' };

export interface IdempotencyStore {
  /** @throws {StoredResponseUnreadable} where the record was sealed under a key that is no longer given */
  claim(tx: Tx, request: IdempotentRequest): Promise<IdempotencyClaim>;
  /** Keeps the answer of a `fresh` claim; only in the transaction of that claim, and only where `isReplayable`. */
  store(tx: Tx, request: IdempotentRequest, answer: StoredResponse): Promise<void>;
}

/** A record stands but can't be opened. The request was executed: it must not be executed again. */
export class StoredResponseUnreadable extends Error {
  override readonly name = 'StoredResponseUnreadable';
  constructor() {
    super('the kept answer can not be opened with any of the configured keys');
  }
}

/** Answers about the credentials, the size, the rate or a fault say nothing lasting of the request: they are not kept. */
export function isReplayable(status: number): boolean {
  return status < 500 && ![401, 403, 413, 429].includes(status);
}

const SERVER_KEY_LENGTH = 32;
const KEPT_HOURS = 24;

/** What makes two requests the same. `body` is the raw text as received; signature headers are no part of it. */
export function requestFingerprint(request: {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: Uint8Array;
}): Uint8Array {
  const { method, path, query, body } = request;
  return createHash('sha256')
    .update(JSON.stringify([method, path, query]))
    .update('\n')
    .update(body)
    .digest();
}

/** @param serverKeys 32 bytes each: the first seals, all of them open, so that a key can be replaced in use */
export function createIdempotencyStore(serverKeys: readonly [Uint8Array, ...Uint8Array[]]): IdempotencyStore {
  if (serverKeys.some((key) => key.length !== SERVER_KEY_LENGTH))
    throw new TypeError('a server key has 32 bytes');
  return {
    async claim(tx, request) {
      const keyHash = hashOf(request);
      const lockId = keyHash.readBigInt64BE().toString();
      const [{ locked }] = await tx.query('SELECT pg_try_advisory_xact_lock($1) AS locked', [lockId]);
      if (!locked) return { kind: 'in_progress' };
      // A statement of its own: its snapshot is taken under the lock and shows what the last holder committed.
      const [record] = await tx.query(
        `SELECT fingerprint, status, answer_sealed FROM idempotency_keys
         WHERE user_id = $1 AND route = $2 AND key_hash = $3 AND expires_at > clock_timestamp()`,
        [request.userId, request.route, keyHash],
      );
      if (record === undefined) return { kind: 'fresh' };
      if (!record.fingerprint.equals(request.fingerprint)) return { kind: 'reused' };
      const body = open(serverKeys, request, record.status, record.answer_sealed);
      return { kind: 'replay', response: { status: record.status, body } };
    },

    async store(tx, request, { status, body }) {
      if (!isReplayable(status)) throw new RangeError(`an answer with status ${status} is not kept`);
      const sealed = seal(serverKeys[0], request, status, body);
      const values = [
        request.userId,
        request.route,
        hashOf(request),
        Buffer.from(request.fingerprint),
        status,
        sealed,
      ];
      // Only a record past its time gives way; one that counts is a unique violation, which undoes the effect.
      await tx.query(
        `DELETE FROM idempotency_keys
         WHERE user_id = $1 AND route = $2 AND key_hash = $3 AND expires_at <= clock_timestamp()`,
        values.slice(0, 3),
      );
      await tx.query(
        `INSERT INTO idempotency_keys (user_id, route, key_hash, fingerprint, status, answer_sealed, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + interval '${KEPT_HOURS} hours')`,
        values,
      );
    },
  };
}

/** Removes up to `limit` kept answers past their time, and returns how many. No key is needed for it. */
export async function removeExpiredIdempotencyKeys(dataSource: DataSource, limit: number): Promise<number> {
  const [, count] = await dataSource.query(
    `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM idempotency_keys WHERE expires_at <= now() LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    [limit],
  );
  return count;
}

/** The parts, told apart from each other whatever they hold. */
function contextOf({ userId, route, key }: IdempotentRequest): string {
  return JSON.stringify([userId, route, key]);
}

function hashOf(request: IdempotentRequest): Buffer {
  return createHash('sha256').update('idempotency-key\n').update(contextOf(request)).digest();
}

const CIPHER = 'aes-256-gcm';
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

function answerKey(serverKey: Uint8Array, request: IdempotentRequest): Buffer {
  return Buffer.from(hkdfSync('sha256', serverKey, contextOf(request), 'idempotent answer v1', 32));
}

/** What the sealed answer is bound to beside its key: it opens for no other request and no other status. */
function associatedData(request: IdempotentRequest, status: number): Buffer {
  return Buffer.concat([Buffer.from(`${status}\n`), request.fingerprint]);
}

function seal(serverKey: Uint8Array, request: IdempotentRequest, status: number, body: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv(CIPHER, answerKey(serverKey, request), nonce);
  cipher.setAAD(associatedData(request, status));
  const sealed = Buffer.concat([cipher.update(body), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

function open(
  serverKeys: readonly Uint8Array[],
  request: IdempotentRequest,
  status: number,
  stored: Buffer,
): Uint8Array {
  const nonce = stored.subarray(0, NONCE_LENGTH);
  const tag = stored.subarray(NONCE_LENGTH, NONCE_LENGTH + TAG_LENGTH);
  for (const serverKey of serverKeys) {
    const decipher = createDecipheriv(CIPHER, answerKey(serverKey, request), nonce, {
      authTagLength: TAG_LENGTH,
    });
    decipher.setAAD(associatedData(request, status));
    decipher.setAuthTag(tag);
    const body = decipher.update(stored.subarray(NONCE_LENGTH + TAG_LENGTH));
    try {
      return Buffer.concat([body, decipher.final()]);
    } catch {
      // Not this key; nothing of `body` leaves unauthenticated.
    }
  }
  throw new StoredResponseUnreadable();
}
