/**
 * Manages the second factor: codes of an authenticator app, and recovery codes if the app is lost.
 *
 * 1. A secret is pending until a code proves that the app has it. Only then is a second factor required.
 * 2. A ticket is valid for five minutes, five attempts and one session. An attempt is counted before its code is
 *    checked. A user's attempts are also limited over all tickets. Otherwise an attacker who knows the password
 *    could request ticket after ticket and guess codes.
 * 3. Tickets are stored as hashes.
 */
import { DomainError, encodeId } from '@trading-automation/contracts';
import { inTransaction, type Tx } from '@trading-automation/persistence';
import { lockUser } from '../access/index.js';
import { type Actor, authorise, invalidState } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import type { CredentialChanges } from './credential-changes.js';
import { generateOpaqueToken, hashToken } from './opaque-token.js';
import type { SecondFactorCodes } from './second-factor-codes.js';
import type { IssuedTokens, SessionsService, SignInMethod } from './sessions.service.js';
import { describeTotp, generateTotpSecret } from './totp.js';

const TICKET_MINUTES = 5;
const TICKET_ATTEMPTS = 5;
/** The issuer that an authenticator app shows above the account. */
const APP_NAME = 'Trading automation';

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
  constructor(
    private readonly platform: Platform,
    private readonly changes: CredentialChanges,
    private readonly sessions: SessionsService,
    private readonly codes: SecondFactorCodes,
  ) {}

  /**
   * Generates a secret, replacing a pending one. @throws {DomainError} `invalid_state` if a second factor is enabled
   */
  async generate(actor: Actor): Promise<TotpEnrolment> {
    return this.changes.run(actor, async (tx) => {
      if ((await lockFactor(tx, actor.userId))?.is_enabled) throw alreadyEnabled();
      const secret = generateTotpSecret();
      const [user] = await tx.query(
        `WITH factor AS (
           INSERT INTO totp_factors (user_id, secret_sealed) VALUES ($1, $2)
           ON CONFLICT (user_id) DO UPDATE SET secret_sealed = excluded.secret_sealed)
         SELECT coalesce(pending_email, email) AS email FROM users WHERE id = $1`,
        [actor.userId, this.codes.sealSecret(actor.userId, secret)],
      );
      return describeTotp(secret, {
        issuer: APP_NAME,
        label: user.email ?? encodeId('usr', actor.userId),
      });
    });
  }

  /** Enables the second factor. @returns the recovery codes, which are never shown again */
  async enable(actor: Actor, code: string): Promise<readonly string[]> {
    return this.changes.run(actor, async (tx) => {
      const { userId } = actor;
      const factor = await lockFactor(tx, userId);
      if (factor === null) throw invalidState('There is no secret yet. Generate one first.', 'NONE');
      if (factor.is_enabled) throw alreadyEnabled();
      if (!(await this.codes.consumeAppCode(tx, userId, factor, code))) throw wrongCode();
      await tx.query('UPDATE totp_factors SET enabled_at = clock_timestamp() WHERE user_id = $1', [userId]);
      return this.codes.issueRecoveryCodes(tx, userId);
    });
  }

  /** Disables the second factor. @param code a code of the app, or a recovery code */
  async disable(actor: Actor, code: string): Promise<void> {
    authorise(actor, 'ADMIN');
    await this.codes.countAttempt(actor.userId);
    await this.changes.run(actor, async (tx) => {
      const { userId } = actor;
      const factor = await lockFactor(tx, userId);
      if (!factor?.is_enabled) throw invalidState('There is no second factor to disable.', 'NONE');
      if (!(await this.codes.consume(tx, userId, factor, code))) throw wrongCode();
      await tx.query('DELETE FROM totp_factors WHERE user_id = $1', [userId]);
      await tx.query('DELETE FROM sign_in_tickets WHERE user_id = $1', [userId]);
      await this.codes.clearAttempts(tx, userId);
    });
  }

  /** Returns whether signing in requires a second factor. */
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
    await this.codes.countAttempt(userId);
    return inTransaction(this.platform.database, async (tx) => {
      await lockUser(tx, userId);
      const factor = await lockFactor(tx, userId);
      if (!factor?.is_enabled || !(await this.codes.consume(tx, userId, factor, code))) {
        throw verificationFailed();
      }
      const [[consumedTicket]] = await tx.query('DELETE FROM sign_in_tickets WHERE hash = $1 RETURNING how', [
        hash,
      ]);
      if (consumedTicket === undefined) throw verificationFailed();
      await this.codes.clearAttempts(tx, userId);
      return this.sessions.open(tx, userId, consumedTicket.how);
    });
  }

  /** Counts an attempt and returns the ticket's user. The count is committed, so that a failed attempt counts too. */
  private async countAttempt(hash: Buffer): Promise<string> {
    const [[counted]] = await this.platform.database.query(
      `UPDATE sign_in_tickets SET tries = tries + 1
       WHERE hash = $1 AND tries < ${TICKET_ATTEMPTS} AND expires_at > clock_timestamp() RETURNING user_id`,
      [hash],
    );
    if (counted === undefined) throw verificationFailed();
    return counted.user_id;
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
