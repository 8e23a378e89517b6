/**
 * Sessions: what a deprecated way of signing in gives. Kept until v2.0; new integrations sign their requests.
 *
 * 1. An access token is a JWT, good for fifteen minutes. It is refused as soon as its session has ended, which is
 *    looked up for each request.
 * 2. A refresh token is good once, and gives the next one. Stored is its SHA-256 alone.
 * 3. A refresh token that comes again was stolen from somebody, or is sent by who stole it: its whole session ends.
 * 4. A session ends 30 days after its last refresh, and 90 days after it began, whatever is refreshed.
 */
import { DomainError, decodeId, encodeId } from '@trading-automation/contracts';
import { inTransaction, newUuid, type Tx } from '@trading-automation/persistence';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { notifyCredentialChange, openAccount } from '../access/index.js';
import { type Actor, invalidState } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { generateOpaqueToken, hashToken } from './opaque-token.js';
import { type JsonWebKeySet, TOKEN_ALGORITHM, type TokenKeys } from './token-keys.service.js';

const ACCESS_TOKEN_SECONDS = 900;
const CLOCK_TOLERANCE_SECONDS = 5;
const IDLE_DAYS = 30;
const ABSOLUTE_TIMEOUT_DAYS = 90;

/** The deprecated ways of signing in. */
export type SignInMethod = 'password' | 'google' | 'x' | 'apple' | 'telegram' | 'passkey';

export interface IssuedTokens {
  readonly accessToken: string;
  /** ISO 8601, UTC. */
  readonly accessTokenExpiresAt: string;
  readonly refreshToken: string;
  /** ISO 8601, UTC. */
  readonly refreshTokenExpiresAt: string;
}

export interface SessionsDependencies {
  readonly platform: Platform;
  readonly keys: TokenKeys;
  /** The origin at which the tokens are issued and taken, without a trailing slash. */
  readonly issuer: () => string;
  /** Whether somebody whom no account knows gets one. */
  readonly openRegistration: boolean;
}

interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly expires_at: Date;
}

export class SessionsService {
  constructor(private readonly dependencies: SessionsDependencies) {}

  /** Begins a session of the user, who has proved by then who they are: with a second factor where one is asked for. */
  async open(tx: Tx, userId: string, how: SignInMethod): Promise<IssuedTokens> {
    const [session] = await tx.query(
      `INSERT INTO sessions (id, user_id, how, created_at, expires_at, ends_at)
       SELECT $1, $2, $3, at, at + interval '${IDLE_DAYS} days', at + interval '${ABSOLUTE_TIMEOUT_DAYS} days'
       FROM clock_timestamp() AS at RETURNING id, user_id, expires_at`,
      [newUuid(), userId, how],
    );
    return this.issue(tx, session);
  }

  /**
   * A new account. `email` is an address that was proved to be its owner's; without one the account has none.
   *
   * @throws {DomainError} `permission_denied` where the deployment opens none
   */
  async openAccount(tx: Tx, { email = null }: { readonly email?: string | null } = {}): Promise<string> {
    const refusal = 'Accounts are not opened here.';
    return openAccount(tx, this.dependencies.openRegistration, { email, deniedMessage: refusal });
  }

  /** Gives the next tokens of the session. @throws {DomainError} `invalid_access_token` */
  async refresh(refreshToken: string): Promise<IssuedTokens> {
    const hash = hashToken(refreshToken);
    const tokens = await inTransaction(this.dependencies.platform.database, async (tx) => {
      const session = await lockSessionOf(tx, hash);
      if (session === null) return null;
      const [used] = await tx.query(
        'UPDATE refresh_tokens SET used_at = clock_timestamp() WHERE hash = $1 AND used_at IS NULL RETURNING hash',
        [hash],
      );
      if (used.length > 0) return this.issue(tx, await prolong(tx, session));
      await endSessions(tx, 'id = $1', session.id);
      return null;
    });
    if (tokens === null) throw refreshRefused();
    return tokens;
  }

  /** Who sent this access token. @throws {DomainError} `invalid_access_token` */
  async verify(accessToken: string): Promise<Actor> {
    const claims = await this.verifyClaims(accessToken);
    const sessionId = decodeId('ses', String(claims?.sid));
    const userId = decodeId('usr', String(claims?.sub));
    if (sessionId === null || userId === null) throw new DomainError('invalid_access_token');
    const standing = await this.dependencies.platform.database.query(
      `SELECT FROM sessions
       WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL AND expires_at > clock_timestamp()`,
      [sessionId, userId],
    );
    if (standing.length === 0) throw new DomainError('invalid_access_token');
    return { userId, credential: { kind: 'session', id: sessionId, permissions: ['ADMIN'] } };
  }

  /** Ends the session that asks. @throws {DomainError} `invalid_state` where another kind of credential does */
  async revoke({ credential }: Actor): Promise<void> {
    if (credential.kind !== 'session') {
      throw invalidState('The request was made without a session: there is none to end.', 'NO_SESSION');
    }
    await inTransaction(this.dependencies.platform.database, (tx) =>
      endSessions(tx, 'id = $1', credential.id),
    );
  }

  /** Ends every session of the user, and every ticket to one. The caller holds the user's lock. */
  async revokeAll(tx: Tx, userId: string): Promise<void> {
    await tx.query('DELETE FROM sign_in_tickets WHERE user_id = $1', [userId]);
    await endSessions(tx, 'user_id = $1', userId);
  }

  /** The public keys by which access tokens can be checked. */
  jwks(): Promise<JsonWebKeySet> {
    return this.dependencies.keys.jwks();
  }

  private async issue(tx: Tx, session: SessionRow): Promise<IssuedTokens> {
    const refreshToken = generateOpaqueToken('refresh');
    await tx.query(
      'INSERT INTO refresh_tokens (hash, session_id, created_at) VALUES ($1, $2, clock_timestamp())',
      [hashToken(refreshToken), session.id],
    );
    const issuedAt = Math.floor(Date.now() / 1000);
    const expiresAt = issuedAt + ACCESS_TOKEN_SECONDS;
    const { kid, privateJwk } = await this.dependencies.keys.signingKey(tx);
    const accessToken = await new SignJWT({ sid: encodeId('ses', session.id) })
      .setProtectedHeader({ alg: TOKEN_ALGORITHM, kid, typ: 'JWT' })
      .setIssuer(this.dependencies.issuer())
      .setAudience(this.audience())
      .setSubject(encodeId('usr', session.user_id))
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .setJti(newUuid())
      .sign(privateJwk);
    return {
      accessToken,
      accessTokenExpiresAt: new Date(expiresAt * 1000).toISOString(),
      refreshToken,
      refreshTokenExpiresAt: session.expires_at.toISOString(),
    };
  }

  /** The claims of a token that is ours and in its time, or null. @throws where that can't be found out */
  private async verifyClaims(accessToken: string): Promise<JWTPayload | null> {
    try {
      const { payload } = await jwtVerify(
        accessToken,
        async ({ kid }) => {
          const key = typeof kid === 'string' ? await this.dependencies.keys.verificationKey(kid) : null;
          if (key === null) throw new errors.JWKSNoMatchingKey();
          return key;
        },
        {
          algorithms: [TOKEN_ALGORITHM],
          issuer: this.dependencies.issuer(),
          audience: this.audience(),
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
          requiredClaims: ['sub', 'sid', 'iat', 'exp', 'jti'],
        },
      );
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }

  private audience(): string {
    return `${this.dependencies.issuer()}/graphql`;
  }
}

/** The session of a refresh token, used or not: it does not end before the transaction does. Null where it is over. */
async function lockSessionOf(tx: Tx, hash: Buffer): Promise<SessionRow | null> {
  const [session] = await tx.query(
    `SELECT id, user_id, expires_at FROM sessions
     WHERE id = (SELECT session_id FROM refresh_tokens WHERE hash = $1)
       AND revoked_at IS NULL AND expires_at > clock_timestamp()
     FOR UPDATE`,
    [hash],
  );
  return session ?? null;
}

async function prolong(tx: Tx, { id }: SessionRow): Promise<SessionRow> {
  const [[session]] = await tx.query(
    `UPDATE sessions SET expires_at = least(clock_timestamp() + interval '${IDLE_DAYS} days', ends_at)
     WHERE id = $1 RETURNING id, user_id, expires_at`,
    [id],
  );
  return session;
}

/** Requests that last hear of it. */
async function endSessions(tx: Tx, condition: string, param: string): Promise<void> {
  await tx.query(
    `UPDATE sessions SET revoked_at = clock_timestamp() WHERE ${condition} AND revoked_at IS NULL`,
    [param],
  );
  await notifyCredentialChange(tx);
}

function refreshRefused(): DomainError {
  return new DomainError(
    'invalid_access_token',
    'The refresh token is unknown, used before, expired or revoked. Sign in again.',
  );
}
