/**
 * Manages sessions, which the deprecated sign-in methods open. Retained until v2.0; new integrations sign their
 * requests.
 *
 * 1. An access token is a JWT, valid for fifteen minutes. Each request checks in the database whether the token's
 *    session has ended. If so, the token is rejected.
 * 2. A refresh token can be used once and is replaced by a new one. Only its SHA-256 is stored.
 * 3. If a refresh token is used twice, one of the two callers may have stolen it, so the session ends.
 * 4. A session ends 30 days after its last refresh, and at most 90 days after it started.
 */
import { DomainError, decodeId, encodeId } from '@trading-automation/contracts';
import { inTransaction, newUuid, type Tx } from '@trading-automation/persistence';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { openAccount } from '../access/index.js';
import { type Actor, invalidState } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { generateOpaqueToken, hashToken } from './opaque-token.js';
import { endAllSessions, endSession } from './sessions.queries.js';
import { type JsonWebKeySet, TOKEN_ALGORITHM, type TokenKeys } from './token-keys.service.js';

const ACCESS_TOKEN_SECONDS = 900;
const CLOCK_TOLERANCE_SECONDS = 5;
const IDLE_DAYS = 30;
const ABSOLUTE_TIMEOUT_DAYS = 90;

/** The deprecated sign-in methods. */
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
  /** The origin that issues and accepts the tokens, without a trailing slash. */
  readonly issuer: () => string;
  /** Whether an unknown user may open an account. */
  readonly isRegistrationOpen: boolean;
}

interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly expires_at: Date;
}

export class SessionsService {
  constructor(private readonly dependencies: SessionsDependencies) {}

  /** Opens a session for a user who has completed authentication, including a required second factor. */
  async open(tx: Tx, userId: string, method: SignInMethod): Promise<IssuedTokens> {
    const [session] = await tx.query(
      `INSERT INTO sessions (id, user_id, how, created_at, expires_at, ends_at)
       SELECT $1, $2, $3, at, at + interval '${IDLE_DAYS} days', at + interval '${ABSOLUTE_TIMEOUT_DAYS} days'
       FROM clock_timestamp() AS at RETURNING id, user_id, expires_at`,
      [newUuid(), userId, method],
    );
    return this.issue(tx, session);
  }

  /**
   * Opens an account.
   *
   * @param email a verified address of the owner, or null
   * @throws {DomainError} `permission_denied` if the deployment does not open accounts
   */
  async openAccount(tx: Tx, { email = null }: { readonly email?: string | null } = {}): Promise<string> {
    const deniedMessage = 'This deployment does not open accounts.';
    return openAccount(tx, this.dependencies.isRegistrationOpen, { email, deniedMessage });
  }

  /** Refreshes the tokens of a session. @throws {DomainError} `invalid_access_token` */
  async refresh(refreshToken: string): Promise<IssuedTokens> {
    const hash = hashToken(refreshToken);
    const tokens = await inTransaction(this.dependencies.platform.database, async (tx) => {
      const session = await lockSessionOf(tx, hash);
      if (session === null) return null;
      const [used] = await tx.query(
        'UPDATE refresh_tokens SET used_at = clock_timestamp() WHERE hash = $1 AND used_at IS NULL RETURNING hash',
        [hash],
      );
      if (used.length > 0) return this.issue(tx, await extend(tx, session));
      await endSession(tx, session.id);
      return null;
    });
    if (tokens === null) throw refreshRejected();
    return tokens;
  }

  /** Verifies an access token and returns its actor. @throws {DomainError} `invalid_access_token` */
  async verify(accessToken: string): Promise<Actor> {
    const claims = await this.verifyClaims(accessToken);
    const sessionId = decodeId('ses', String(claims?.sid));
    const userId = decodeId('usr', String(claims?.sub));
    if (sessionId === null || userId === null) throw new DomainError('invalid_access_token');
    const active = await this.dependencies.platform.database.query(
      `SELECT FROM sessions
       WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL AND expires_at > clock_timestamp()`,
      [sessionId, userId],
    );
    if (active.length === 0) throw new DomainError('invalid_access_token');
    return { userId, credential: { kind: 'session', id: sessionId, permissions: ['ADMIN'] } };
  }

  /** Ends the caller's session. @throws {DomainError} `invalid_state` if the caller used another kind of credential */
  async revoke({ credential }: Actor): Promise<void> {
    if (credential.kind !== 'session') {
      throw invalidState(
        'The request was not authenticated by a session, so there is no session to end.',
        'NO_SESSION',
      );
    }
    await inTransaction(this.dependencies.platform.database, (tx) => endSession(tx, credential.id));
  }

  /** Ends every session of the user, and deletes their tickets. The caller holds the user's lock. */
  async revokeAll(tx: Tx, userId: string): Promise<void> {
    await endAllSessions(tx, userId);
  }

  /** Returns the public keys that verify access tokens. */
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

  /** Returns the claims of a valid token; null if the token is invalid. @throws if the keys cannot be read */
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

/**
 * Locks the session of a refresh token, used or not, until the transaction ends. Returns null if the session has
 * ended.
 */
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

async function extend(tx: Tx, { id }: SessionRow): Promise<SessionRow> {
  const [[session]] = await tx.query(
    `UPDATE sessions SET expires_at = least(clock_timestamp() + interval '${IDLE_DAYS} days', ends_at)
     WHERE id = $1 RETURNING id, user_id, expires_at`,
    [id],
  );
  return session;
}

function refreshRejected(): DomainError {
  return new DomainError(
    'invalid_access_token',
    'The refresh token is unknown, used, expired or revoked. Sign in again.',
  );
}
