/**
 * Manages the Ed25519 keys that sign access tokens. The first process that needs a key creates it.
 *
 * 1. A key signs for 30 days. Its public half is published and accepted for one more day. By then every token
 *    that it signed has expired.
 * 2. The private half is stored sealed with the server key. If no server key can open it, the key no longer signs and a
 *    new key is created.
 * 3. If several processes need a new key concurrently, one creates it and the others use it.
 */
import { generateKeyPairSync } from 'node:crypto';
import { newUuid, type Tx } from '@trading-automation/persistence';
import { type CryptoKey, importJWK, type JWK } from 'jose';
import type { Platform } from '../platform/index.js';
import type { ServerKeySealer } from './server-key-sealer.js';

export const TOKEN_ALGORITHM = 'EdDSA';
/**
 * The format of key ids. Other strings are never sent to Postgres, which rejects some strings, such as one with NUL.
 */
const KID = /^[0-9a-f-]{36}$/;
const SIGNING_DAYS = 30;
const PUBLISHED_DAYS = SIGNING_DAYS + 1;

export interface PublicJwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly kid: string;
  readonly alg: string;
  readonly use: string;
}

export interface JsonWebKeySet {
  readonly keys: readonly PublicJwk[];
}

export interface SigningKey {
  readonly kid: string;
  readonly privateJwk: JWK;
}

export class TokenKeys {
  constructor(
    private readonly platform: Platform,
    private readonly sealer: ServerKeySealer,
  ) {}

  /** Returns the key to sign with, creating one in this transaction if necessary. */
  async signingKey(tx: Tx): Promise<SigningKey> {
    const current = await this.current(tx);
    if (current !== null) return current;
    await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('token keys', 0))");
    // The previous holder of the lock may have created the key.
    return (await this.current(tx)) ?? this.create(tx);
  }

  /** Returns the public half of key `kid`, or null if it is not published. */
  async verificationKey(kid: string): Promise<CryptoKey | null> {
    if (!KID.test(kid)) return null;
    const [row] = await this.platform.database.query(
      'SELECT public_jwk FROM token_keys WHERE kid = $1 AND shown_until > clock_timestamp()',
      [kid],
    );
    if (row === undefined) return null;
    return (await importJWK(row.public_jwk, TOKEN_ALGORITHM)) as CryptoKey;
  }

  async jwks(): Promise<JsonWebKeySet> {
    const rows: { public_jwk: PublicJwk }[] = await this.platform.database.query(
      'SELECT public_jwk FROM token_keys WHERE shown_until > clock_timestamp() ORDER BY created_at DESC, kid',
    );
    return { keys: rows.map(({ public_jwk }) => public_jwk) };
  }

  private async current(tx: Tx): Promise<SigningKey | null> {
    const rows: { kid: string; private_sealed: Buffer }[] = await tx.query(
      `SELECT kid, private_sealed FROM token_keys WHERE signs_until > clock_timestamp()
       ORDER BY created_at DESC, kid`,
    );
    for (const { kid, private_sealed } of rows) {
      const secret = this.sealer.open(sealContextOf(kid), private_sealed);
      if (secret !== null) return { kid, privateJwk: JSON.parse(secret.toString()) };
    }
    return null;
  }

  private async create(tx: Tx): Promise<SigningKey> {
    const kid = newUuid();
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const privateJwk = privateKey.export({ format: 'jwk' }) as JWK;
    const publicJwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: TOKEN_ALGORITHM, use: 'sig' };
    const sealed = this.sealer.seal(sealContextOf(kid), Buffer.from(JSON.stringify(privateJwk)));
    await tx.query(
      `INSERT INTO token_keys (kid, public_jwk, private_sealed, created_at, signs_until, shown_until)
       SELECT $1, $2, $3, at, at + interval '${SIGNING_DAYS} days', at + interval '${PUBLISHED_DAYS} days'
       FROM clock_timestamp() AS at`,
      [kid, JSON.stringify(publicJwk), sealed],
    );
    return { kid, privateJwk };
  }
}

function sealContextOf(kid: string): string {
  return `token key ${kid}`;
}
