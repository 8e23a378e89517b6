/**
 * The second factor: codes of an authenticator app, and recovery codes for when it is lost.
 *
 * 1. A secret is pending until a code of it proves that the app has it. Only then is it asked for.
 * 2. A code is taken once: none of its step of time, nor of one before, is taken after it. A recovery code is taken
 *    once, too.
 * 3. A ticket is good for five minutes, five tries and one session. Tries count before they are judged, and whatever
 *    the ticket ten in fifteen minutes for a user: with a password alone there is no guessing on.
 * 4. The secret is stored sealed, recovery codes and tickets as hashes.
 */
import { DomainError, encodeId } from '@trading-automation/contracts';
import { inTransaction, type Tx } from '@trading-automation/persistence';
import { assertNotRevoked, lockUser } from '../access/index.js';
import { type Actor, authorise, type CommandRunner, invalidState } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { generateOpaqueToken, hashToken } from './opaque-token.js';
import { generateRecoveryCodes, hashOfRecoveryCode } from './recovery-codes.js';
import type { ServerKeySealer } from './server-key-sealer.js';
import type { IssuedTokens, SessionsService, SignInMethod } from './sessions.service.js';
import type { SignInAttempts } from './sign-in-attempts.service.js';
import { describeTotp, generateTotpSecret, isTotpCode, stepOfCode } from './totp.js';

const TICKET_MINUTES = 5;
const TICKET_TRIES = 5;
/** What an authenticator app shows above the account. */
const APP_NAME = 'Trading automation';

export interface SecondFactorDependencies {
  readonly platform: Platform;
  readonly commands: CommandRunner;
  readonly sessions: SessionsService;
  readonly attempts: SignInAttempts;
  readonly seal: ServerKeySealer;
  /** The clock that codes are of. */
  readonly nowMs?: () => number;
}

export interface TotpEnrolment {
  /** `otpauth://…`, which an authenticator app reads as a picture. */
  readonly uri: string;
  /** The same secret in base32, to be typed. */
  readonly secret: string;
}

export interface Ticket {
  readonly ticket: string;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
}

interface Factor {
  readonly secret_sealed: Buffer;
  readonly is_enabled: boolean;
}

export class SecondFactorService {
  private readonly nowMs: () => number;

  constructor(private readonly dependencies: SecondFactorDependencies) {
    this.nowMs = dependencies.nowMs ?? Date.now;
  }

  /** A new secret, in place of one that is pending. @throws {DomainError} `invalid_state` where one is in use */
  async generate(actor: Actor): Promise<TotpEnrolment> {
    return this.change(actor, async (tx) => {
      if ((await lockFactor(tx, actor.userId))?.is_enabled) throw alreadyEnabled();
      const secret = generateTotpSecret();
      const [user] = await tx.query(
        `WITH factor AS (
           INSERT INTO totp_factors (user_id, secret_sealed) VALUES ($1, $2)
           ON CONFLICT (user_id) DO UPDATE SET secret_sealed = excluded.secret_sealed)
         SELECT coalesce(pending_email, email) AS email FROM users WHERE id = $1`,
        [actor.userId, this.dependencies.seal.seal(sealContextOf(actor.userId), secret)],
      );
      return describeTotp(secret, {
        issuer: APP_NAME,
        label: user.email ?? encodeId('usr', actor.userId),
      });
    });
  }

  /** @returns recovery codes, shown here alone */
  async enable(actor: Actor, code: string): Promise<readonly string[]> {
    return this.change(actor, async (tx) => {
      const { userId } = actor;
      const factor = await lockFactor(tx, userId);
      if (factor === null) throw invalidState('There is no secret yet: generate one first.', 'NONE');
      if (factor.is_enabled) throw alreadyEnabled();
      if (!(await this.takeTotpCode(tx, userId, { factor, code: trimmed(code) }))) throw wrongCode();
      const codes = generateRecoveryCodes();
      await tx.query('UPDATE totp_factors SET enabled_at = clock_timestamp() WHERE user_id = $1', [userId]);
      await tx.query('INSERT INTO recovery_codes (user_id, hash) SELECT $1, unnest($2::bytea[])', [
        userId,
        codes.map((each) => hashOfRecoveryCode(userId, each)),
      ]);
      return codes;
    });
  }

  /** @param code of the app, or a recovery code */
  async disable(actor: Actor, code: string): Promise<void> {
    authorise(actor, 'ADMIN');
    await this.dependencies.attempts.consume(subjectOf(actor.userId));
    await this.change(actor, async (tx) => {
      const { userId } = actor;
      const factor = await lockFactor(tx, userId);
      if (!factor?.is_enabled) throw invalidState('There is no second factor to disable.', 'NONE');
      if (!(await this.takeCode(tx, userId, { factor, code }))) throw wrongCode();
      await tx.query('DELETE FROM totp_factors WHERE user_id = $1', [userId]);
      await tx.query('DELETE FROM sign_in_tickets WHERE user_id = $1', [userId]);
      await this.dependencies.attempts.clear(tx, subjectOf(userId));
    });
  }

  /** Whether the user is asked for a second factor. */
  async isRequired(tx: Tx, userId: string): Promise<boolean> {
    const enabled = await tx.query('SELECT FROM totp_factors WHERE user_id = $1 AND enabled_at IS NOT NULL', [
      userId,
    ]);
    return enabled.length > 0;
  }

  async issueTicket(tx: Tx, userId: string, how: SignInMethod): Promise<Ticket> {
    const ticket = generateOpaqueToken('ticket');
    const [row] = await tx.query(
      `INSERT INTO sign_in_tickets (hash, user_id, how, expires_at)
       VALUES ($1, $2, $3, clock_timestamp() + interval '${TICKET_MINUTES} minutes') RETURNING expires_at`,
      [hashToken(ticket), userId, how],
    );
    return { ticket, expiresAt: row.expires_at.toISOString() };
  }

  /**
   * Begins the session that the ticket is for.
   *
   * @param code of the app, or a recovery code
   * @throws {DomainError} `invalid_login`, whatever of the two is not good (any more), or `rate_limited`
   */
  async verify(ticket: string, code: string): Promise<IssuedTokens> {
    const hash = hashToken(ticket);
    const userId = await this.countTry(hash);
    await this.dependencies.attempts.consume(subjectOf(userId));
    return inTransaction(this.dependencies.platform.database, async (tx) => {
      await lockUser(tx, userId);
      const factor = await lockFactor(tx, userId);
      if (!factor?.is_enabled || !(await this.takeCode(tx, userId, { factor, code }))) {
        throw verificationRefused();
      }
      const [[used]] = await tx.query('DELETE FROM sign_in_tickets WHERE hash = $1 RETURNING how', [hash]);
      if (used === undefined) throw verificationRefused();
      await this.dependencies.attempts.clear(tx, subjectOf(userId));
      return this.dependencies.sessions.open(tx, userId, used.how);
    });
  }

  /** Whose ticket it is; committed, so that a try that fails was one. */
  private async countTry(hash: Buffer): Promise<string> {
    const [[counted]] = await this.dependencies.platform.database.query(
      `UPDATE sign_in_tickets SET tries = tries + 1
       WHERE hash = $1 AND tries < ${TICKET_TRIES} AND expires_at > clock_timestamp() RETURNING user_id`,
      [hash],
    );
    if (counted === undefined) throw verificationRefused();
    return counted.user_id;
  }

  private async takeCode(
    tx: Tx,
    userId: string,
    { factor, code }: { readonly factor: Factor; readonly code: string },
  ): Promise<boolean> {
    const text = trimmed(code);
    if (isTotpCode(text)) return this.takeTotpCode(tx, userId, { factor, code: text });
    const [taken] = await tx.query(
      'DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2 RETURNING hash',
      [userId, hashOfRecoveryCode(userId, text)],
    );
    return taken.length > 0;
  }

  private async takeTotpCode(
    tx: Tx,
    userId: string,
    { factor, code }: { readonly factor: Factor; readonly code: string },
  ): Promise<boolean> {
    const secret = this.dependencies.seal.open(sealContextOf(userId), factor.secret_sealed);
    if (secret === null) throw new Error('a second factor can not be opened with any of the server keys');
    const step = stepOfCode(secret, code, this.nowMs());
    if (step === null) return false;
    const [taken] = await tx.query(
      'UPDATE totp_factors SET last_step = $2 WHERE user_id = $1 AND last_step < $2 RETURNING user_id',
      [userId, step],
    );
    return taken.length > 0;
  }

  private async change<T>(actor: Actor, effect: (tx: Tx) => Promise<T>): Promise<T> {
    authorise(actor, 'ADMIN');
    return this.dependencies.commands.run(actor.idempotency, async (tx) => {
      await lockUser(tx, actor.userId);
      await assertNotRevoked(tx, actor);
      return effect(tx);
    });
  }
}

async function lockFactor(tx: Tx, userId: string): Promise<Factor | null> {
  const [factor] = await tx.query(
    `SELECT secret_sealed, enabled_at IS NOT NULL AS is_enabled FROM totp_factors
     WHERE user_id = $1 FOR UPDATE`,
    [userId],
  );
  return factor ?? null;
}

function sealContextOf(userId: string): string {
  return `second factor of ${userId}`;
}

function subjectOf(userId: string): string {
  return `second factor of ${userId}`;
}

/** Apps show a code in groups. */
function trimmed(code: string): string {
  return code.replace(/\s/g, '');
}

function alreadyEnabled(): DomainError {
  return invalidState('A second factor is in use: disable it first.', 'ENABLED');
}

function wrongCode(): DomainError {
  const message = 'The code is wrong, or was used before.';
  return new DomainError('validation_failed', message, [{ field: 'code', code: 'invalid', message }]);
}

function verificationRefused(): DomainError {
  return new DomainError(
    'invalid_login',
    'The code is wrong or was used before, or the ticket is not good any more. Sign in again.',
  );
}
