/**
 * Checks the codes of a second factor: the codes of an authenticator app, and recovery codes.
 *
 * 1. An app's code is accepted once. After that, no code of its time step or an earlier one is accepted. A recovery code
 *    is also accepted once.
 * 2. A user has ten attempts in fifteen minutes. Each attempt is counted before its code is checked.
 * 3. The app's secret is stored sealed; recovery codes are stored as hashes.
 */
import { insertMany, type Tx } from '@trading-automation/persistence';
import { RecoveryCodeEntity } from './recovery-code.entity.js';
import { generateRecoveryCodes, hashOfRecoveryCode } from './recovery-codes.js';
import type { ServerKeySealer } from './server-key-sealer.js';
import type { SignInAttempts } from './sign-in-attempts.service.js';
import { isTotpCode, stepOfCode } from './totp.js';

interface SealedSecret {
  readonly secret_sealed: Buffer;
}

export class SecondFactorCodes {
  constructor(
    private readonly attempts: SignInAttempts,
    private readonly sealer: ServerKeySealer,
    /** The clock for time-based codes, in ms since 1970. */
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** Seals the secret from which the user's app computes its codes. */
  sealSecret(userId: string, secret: Uint8Array): Buffer {
    return this.sealer.seal(subjectOf(userId), secret);
  }

  /** Counts an attempt of the user. @throws {DomainError} `rate_limited` */
  async countAttempt(userId: string): Promise<void> {
    await this.attempts.consume(subjectOf(userId));
  }

  /** Resets the count of the user's attempts. Call after a success. */
  async clearAttempts(tx: Tx, userId: string): Promise<void> {
    await this.attempts.clear(tx, subjectOf(userId));
  }

  /** Consumes a code of the app or a recovery code; returns false if the code is wrong or was used. */
  async consume(tx: Tx, userId: string, factor: SealedSecret, code: string): Promise<boolean> {
    const text = withoutSpaces(code);
    if (isTotpCode(text)) return this.consumeAppCode(tx, userId, factor, text);
    const [consumed] = await tx.query(
      'DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2 RETURNING hash',
      [userId, hashOfRecoveryCode(userId, text)],
    );
    return consumed.length > 0;
  }

  /** Consumes a code of the app; returns false if the code is wrong or was used. */
  async consumeAppCode(tx: Tx, userId: string, factor: SealedSecret, code: string): Promise<boolean> {
    const secret = this.sealer.open(subjectOf(userId), factor.secret_sealed);
    if (secret === null) throw new Error('a second factor cannot be opened with any of the server keys');
    const step = stepOfCode(secret, withoutSpaces(code), this.nowMs());
    if (step === null) return false;
    const [consumed] = await tx.query(
      'UPDATE totp_factors SET last_step = $2 WHERE user_id = $1 AND last_step < $2 RETURNING user_id',
      [userId, step],
    );
    return consumed.length > 0;
  }

  /** Stores new recovery codes and returns them; they are never shown again. */
  async issueRecoveryCodes(tx: Tx, userId: string): Promise<readonly string[]> {
    const codes = generateRecoveryCodes();
    await insertMany(
      tx,
      RecoveryCodeEntity,
      codes.map((code) => ({ userId, hash: hashOfRecoveryCode(userId, code) })),
    );
    return codes;
  }
}

/** Returns the name of the user's second factor: the context of its sealed secret and the subject of its attempts. */
function subjectOf(userId: string): string {
  return `second factor of ${userId}`;
}

/** Removes the spaces with which authenticator apps group digits. */
function withoutSpaces(code: string): string {
  return code.replace(/\s/g, '');
}
