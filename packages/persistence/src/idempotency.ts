/**
 * Idempotency-Key: a request takes effect once, and repeats get its stored response.
 *
 * 1. `claim`, the effect and `store` are one READ COMMITTED transaction, so the effect and its record are committed
 *    together or not at all. After a crash before the commit, the client's next attempt counts as the first.
 * 2. Of parallel requests with one key, one locks the key and continues; the others get `in_progress` without waiting.
 *    The lock is held until after the commit, so that the next holder of the lock sees the record.
 * 3. A record belongs to one user, route and key: two users can use the same key independently.
 * 4. A request with a used key and another fingerprint is `reused`: it is neither executed nor gets the response.
 * 5. The table contains a hash of the key and the sealed response. The sealing key is derived from the server key *and*
 *    the Idempotency-Key: neither the database nor the server key alone reveals a response.
 * 6. A record is valid for 24 hours by the database's clock.
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
  /** The fingerprint that the previous release stored for the same request, if it differs. */
  readonly formerFingerprint?: Uint8Array;
}

export interface StoredResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The value to render for each repeat, in a format chosen by the caller. */
  readonly body: Uint8Array;
}

export type IdempotencyClaim =
  /** The key is unused: execute the request, then call `store` in the same transaction. */
  | { readonly kind: 'fresh' }
  | { readonly kind: 'replay'; readonly response: StoredResponse }
  /** The key was used for another request. */
  | { readonly kind: 'reused' }
  /** A request with the same key is in progress. */
  | { readonly kind: 'in_progress' };

export interface IdempotencyStore {
  /** @throws {StoredResponseUnreadable} if the record was sealed under a key that is no longer configured */
  claim(tx: Tx, request: IdempotentRequest): Promise<IdempotencyClaim>;
  /** Stores the response of a `fresh` claim, in the transaction of that claim. The status must be `isReplayable`. */
  store(tx: Tx, request: IdempotentRequest, response: StoredResponse): Promise<void>;
}

/** A record exists but cannot be decrypted. The request was executed and must not be executed again. */
export class StoredResponseUnreadable extends Error {
  override readonly name = 'StoredResponseUnreadable';
  constructor() {
    super('The stored response cannot be decrypted with any of the configured keys.');
  }
}

/**
 * Returns whether a response with this status is stored. Errors of credentials, size, rate limit and the server are not
 * stored, because a retry may succeed.
 */
export function isReplayable(status: number): boolean {
  return status < 500 && ![401, 403, 413, 429].includes(status);
}

const SERVER_KEY_LENGTH = 32;
const TTL_HOURS = 24;

/** Returns a hash that identifies equal requests. `body` is the raw body; signature headers are not included. */
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

/** @param serverKeys 32 bytes each. The first key encrypts. All keys decrypt, so that operators can rotate them */
export function createIdempotencyStore(serverKeys: readonly [Uint8Array, ...Uint8Array[]]): IdempotencyStore {
  if (serverKeys.some((key) => key.length !== SERVER_KEY_LENGTH))
    throw new TypeError(`A server key must have ${SERVER_KEY_LENGTH} bytes.`);
  return {
    async claim(tx, request) {
      const keyHash = keyHashOf(request);
      const lockId = keyHash.readBigInt64BE().toString();
      const [{ locked }] = await tx.query('SELECT pg_try_advisory_xact_lock($1) AS locked', [lockId]);
      if (!locked) return { kind: 'in_progress' };
      // A separate statement: its snapshot is taken under the lock and includes the commit of the previous holder.
      const [record] = await tx.query(
        `SELECT fingerprint, status, answer_sealed FROM idempotency_keys
         WHERE user_id = $1 AND route = $2 AND key_hash = $3 AND expires_at > clock_timestamp()`,
        [request.userId, request.route, keyHash],
      );
      if (record === undefined) return { kind: 'fresh' };
      const { fingerprint, formerFingerprint } = request;
      const isSameRequest = [fingerprint, formerFingerprint].some(
        (expected) => expected !== undefined && record.fingerprint.equals(expected),
      );
      if (!isSameRequest) return { kind: 'reused' };
      const sealedFor = { ...request, fingerprint: record.fingerprint };
      const body = open(serverKeys, sealedFor, record.status, record.answer_sealed);
      return { kind: 'replay', response: { status: record.status, body } };
    },

    async store(tx, request, { status, body }) {
      if (!isReplayable(status)) throw new RangeError(`A response with status ${status} is not stored.`);
      const sealed = seal(serverKeys[0], request, status, body);
      const values = [
        request.userId,
        request.route,
        keyHashOf(request),
        Buffer.from(request.fingerprint),
        status,
        sealed,
      ];
      // Replaces only an expired record. A valid one causes a unique violation, which rolls back the effect.
      await tx.query(
        `DELETE FROM idempotency_keys
         WHERE user_id = $1 AND route = $2 AND key_hash = $3 AND expires_at <= clock_timestamp()`,
        values.slice(0, 3),
      );
      await tx.query(
        `INSERT INTO idempotency_keys (user_id, route, key_hash, fingerprint, status, answer_sealed, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + interval '${TTL_HOURS} hours')`,
        values,
      );
    },
  };
}

/** Deletes up to `limit` expired records. Returns the number of deleted rows. */
export async function removeExpiredIdempotencyKeys(dataSource: DataSource, limit: number): Promise<number> {
  const [, count] = await dataSource.query(
    `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM idempotency_keys WHERE expires_at <= now() LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    [limit],
  );
  return count;
}

/** Returns the user, the route and the key as one string. JSON separates the three values unambiguously. */
function contextOf({ userId, route, key }: IdempotentRequest): string {
  return JSON.stringify([userId, route, key]);
}

function keyHashOf(request: IdempotentRequest): Buffer {
  return createHash('sha256').update('idempotency-key\n').update(contextOf(request)).digest();
}

const CIPHER = 'aes-256-gcm';
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

function responseKey(serverKey: Uint8Array, request: IdempotentRequest): Buffer {
  return Buffer.from(hkdfSync('sha256', serverKey, contextOf(request), 'idempotent answer v1', 32));
}

/** Binds the sealed response to its status and fingerprint: with other values it cannot be decrypted. */
function associatedData(request: IdempotentRequest, status: number): Buffer {
  return Buffer.concat([Buffer.from(`${status}\n`), request.fingerprint]);
}

function seal(serverKey: Uint8Array, request: IdempotentRequest, status: number, body: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv(CIPHER, responseKey(serverKey, request), nonce);
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
    const decipher = createDecipheriv(CIPHER, responseKey(serverKey, request), nonce, {
      authTagLength: TAG_LENGTH,
    });
    decipher.setAAD(associatedData(request, status));
    decipher.setAuthTag(tag);
    const body = decipher.update(stored.subarray(NONCE_LENGTH + TAG_LENGTH));
    try {
      return Buffer.concat([body, decipher.final()]);
    } catch {
      // Another key sealed this response. Discard `body`, which is not authenticated.
    }
  }
  throw new StoredResponseUnreadable();
}
