/**
 * The keys that sign access tokens: Ed25519, made by whichever process needs one first.
 *
 * 1. A key signs for 30 days. Its public half is shown, and taken, for a day more: longer than any token of it is good.
 * 2. A private half is stored sealed under the server's key alone. One that no server key opens any more signs nothing:
 *    a new key is made.
 * 3. Of processes that need a new key at once, one makes it, and the others use it.
 */
import { generateKeyPairSync } from 'node:crypto';
import { newUuid, type Tx } from '@trading-automation/persistence';
import { type CryptoKey, importJWK, type JWK } from 'jose';
import type { Platform } from '../platform/index.js';
import type { ServerKeySealer } from './server-key-sealer.js';

export const TOKEN_ALGORITHM = 'EdDSA';
/** Any other text is the name of no key, and need not be text that the database takes. */
const KID = /^[0-9a-f-]{36}$/;
const SIGNS_DAYS = 30;
const SHOWN_DAYS = SIGNS_DAYS + 1;

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
    private readonly seal: ServerKeySealer,
  ) {}

  /** The key to sign with now. One that is made here stands with the transaction. */
  async signingKey(tx: Tx): Promise<SigningKey> {
    const current = await this.current(tx);
    if (current !== null) return current;
    await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('token keys', 0))");
    // Whoever held the lock may have made it.
    return (await this.current(tx)) ?? this.make(tx);
  }

  /** The public half called `kid`, or null where none is shown by that name. */
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
      const secret = this.seal.open(sealContextOf(kid), private_sealed);
      if (secret !== null) return { kid, privateJwk: JSON.parse(secret.toString()) };
    }
    return null;
  }

  private async make(tx: Tx): Promise<SigningKey> {
    const kid = newUuid();
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const privateJwk = privateKey.export({ format: 'jwk' }) as JWK;
    const shown = { ...publicKey.export({ format: 'jwk' }), kid, alg: TOKEN_ALGORITHM, use: 'sig' };
    const sealed = this.seal.seal(sealContextOf(kid), Buffer.from(JSON.stringify(privateJwk)));
    await tx.query(
      `INSERT INTO token_keys (kid, public_jwk, private_sealed, created_at, signs_until, shown_until)
       SELECT $1, $2, $3, at, at + interval '${SIGNS_DAYS} days', at + interval '${SHOWN_DAYS} days'
       FROM clock_timestamp() AS at`,
      [kid, JSON.stringify(shown), sealed],
    );
    return { kid, privateJwk };
  }
}

function sealContextOf(kid: string): string {
  return `token key ${kid}`;
}
