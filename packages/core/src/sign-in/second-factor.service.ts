/**
 * The second factor: codes of an authenticator app, and recovery codes if the app is lost.
 *
 * 1. A secret is pending until a code proves that the app has it. Only then is a second factor required.
 * 2. A code is accepted once: afterwards no code of its time step or an earlier one is accepted. A recovery code is
 *    also single use.
 * 3. A ticket is valid for five minutes, five attempts and one session. Attempts are counted before they are checked.
 *    In addition, a user has ten attempts in fifteen minutes over all tickets, so a password alone allows no
 *    guessing.
 * 4. The secret is stored sealed; recovery codes and tickets are stored as hashes.
 */
import { DomainError, encodeId } from '@trading-automation/contracts';
import { insertMany, inTransaction, type Tx } from '@trading-automation/persistence';
import { assertNotRevoked, lockUser } from '../access/index.js';
import { type Actor, authorise, type CommandRunner, invalidState } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { generateOpaqueToken, hashToken } from './opaque-token.js';
import { RecoveryCodeEntity } from './recovery-code.entity.js';
import { generateRecoveryCodes, hashOfRecoveryCode } from './recovery-codes.js';
import type { ServerKeySealer } from './server-key-sealer.js';
import type { IssuedTokens, SessionsService, SignInMethod } from './sessions.service.js';
import type { SignInAttempts } from './sign-in-attempts.service.js';
import { describeTotp, generateTotpSecret, isTotpCode, stepOfCode } from './totp.js';

const TICKET_MINUTES = 5;
const TICKET_ATTEMPTS = 5;
/** The issuer that an authenticator app shows above the account. */
const APP_NAME = 'Trading automation';

export interface SecondFactorDependencies {
  readonly platform: Platform;
  readonly commands: CommandRunner;
  readonly sessions: SessionsService;
  readonly attempts: SignInAttempts;
  readonly seal: ServerKeySealer;
  /** The clock for time-based codes. */
  readonly nowMs?: () => number;
}

export interface TotpEnrolment {
  /** The `otpauth://…` URI, which an authenticator app scans as a QR code. */
  readonly uri: string;
  /** The same secret in base32, for manual entry. */
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

  /**
   * Generates a secret, replacing a pending one. @throws {DomainError} `invalid_state` if a second factor is enabled
   */
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

  /** Enables the second factor. @returns the recovery codes, which are never shown again */
  async enable(actor: Actor, code: string): Promise<readonly string[]> {
    return this.change(actor, async (tx) => {
      const { userId } = actor;
      const factor = await lockFactor(tx, userId);
      if (factor === null) throw invalidState('There is no secret yet. Generate one first.', 'NONE');
      if (factor.is_enabled) throw alreadyEnabled();
      if (!(await this.takeTotpCode(tx, userId, { factor, code: withoutSpaces(code) }))) throw wrongCode();
      const codes = generateRecoveryCodes();
      await tx.query('UPDATE totp_factors SET enabled_at = clock_timestamp() WHERE user_id = $1', [userId]);
      await insertMany(
        tx,
        RecoveryCodeEntity,
        codes.map((each) => ({ userId, hash: hashOfRecoveryCode(userId, each) })),
      );
      return codes;
    });
  }

  /** Disables the second factor. @param code a code of the app, or a recovery code */
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

  /** Whether signing in requires a second factor. */
  async isRequired(tx: Tx, userId: string): Promise<boolean> {
    const enabled = await tx.query('SELECT FROM totp_factors WHERE user_id = $1 AND enabled_at IS NOT NULL', [
      userId,
    ]);
    return enabled.length > 0;
  }

  async issueTicket(tx: Tx, userId: string, method: SignInMethod): Promise<Ticket> {
    const ticket = generateOpaqueToken('ticket');
    const [row] = await tx.query(
      `INSERT INTO sign_in_tickets (hash, user_id, how, expires_at)
       VALUES ($1, $2, $3, clock_timestamp() + interval '${TICKET_MINUTES} minutes') RETURNING expires_at`,
      [hashToken(ticket), userId, method],
    );
    return { ticket, expiresAt: row.expires_at.toISOString() };
  }

  /**
   * Opens the session that the ticket was issued for.
   *
   * @param code a code of the app, or a recovery code
   * @throws {DomainError} `invalid_login` if the ticket or the code is invalid or was used, or `rate_limited`
   */
  async verify(ticket: string, code: string): Promise<IssuedTokens> {
    const hash = hashToken(ticket);
    const userId = await this.countAttempt(hash);
    await this.dependencies.attempts.consume(subjectOf(userId));
    return inTransaction(this.dependencies.platform.database, async (tx) => {
      await lockUser(tx, userId);
      const factor = await lockFactor(tx, userId);
      if (!factor?.is_enabled || !(await this.takeCode(tx, userId, { factor, code }))) {
        throw verificationFailed();
      }
      const [[used]] = await tx.query('DELETE FROM sign_in_tickets WHERE hash = $1 RETURNING how', [hash]);
      if (used === undefined) throw verificationFailed();
      await this.dependencies.attempts.clear(tx, subjectOf(userId));
      return this.dependencies.sessions.open(tx, userId, used.how);
    });
  }

  /** Counts an attempt and returns the ticket's user. The count is committed, so that a failed attempt counts too. */
  private async countAttempt(hash: Buffer): Promise<string> {
    const [[counted]] = await this.dependencies.platform.database.query(
      `UPDATE sign_in_tickets SET tries = tries + 1
       WHERE hash = $1 AND tries < ${TICKET_ATTEMPTS} AND expires_at > clock_timestamp() RETURNING user_id`,
      [hash],
    );
    if (counted === undefined) throw verificationFailed();
    return counted.user_id;
  }

  private async takeCode(
    tx: Tx,
    userId: string,
    { factor, code }: { readonly factor: Factor; readonly code: string },
  ): Promise<boolean> {
    const text = withoutSpaces(code);
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
    if (secret === null) throw new Error('a second factor cannot be opened with any of the server keys');
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

/** Authenticator apps show a code in groups. */
function withoutSpaces(code: string): string {
  return code.replace(/\s/g, '');
}

function alreadyEnabled(): DomainError {
  return invalidState('A second factor is already enabled. Disable it first.', 'ENABLED');
}

function wrongCode(): DomainError {
  const message = 'The code is wrong or was already used. Enter a new code.';
  return new DomainError('validation_failed', message, [{ field: 'code', code: 'invalid', message }]);
}

function verificationFailed(): DomainError {
  return new DomainError(
    'invalid_login',
    'The code is wrong or was already used, or the ticket has expired. Sign in again.',
  );
}
