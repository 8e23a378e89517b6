import { createHash } from 'node:crypto';
import { inTransaction } from '@trading-automation/persistence';
import { EmailVerificationService } from '../../access/index.js';
import type { Actor } from '../../operations/index.js';
import type { Platform } from '../../platform/index.js';
import { CoreUnderTest } from '../../testing/index.js';
import { PasswordHasher } from '../password-hasher.js';
import { PasswordSignInService } from '../password-sign-in.service.js';
import { SecondFactorService } from '../second-factor.service.js';
import { ServerKeySealer } from '../server-key-sealer.js';
import { type IssuedTokens, SessionsService } from '../sessions.service.js';
import { SignInService } from '../sign-in.service.js';
import { SignInAttempts } from '../sign-in-attempts.service.js';
import { TokenKeys } from '../token-keys.service.js';

export const ISSUER = 'https://graphql.example.com';

export interface SignInMade {
  /** Names a server key, with those that were in use before it. */
  readonly serverKeys?: readonly [string, ...string[]];
  readonly openRegistration?: boolean;
  readonly platform?: Platform;
  readonly issuer?: string;
}

/** Hashes as they are, and counts how many passwords it worked on. */
class CountedHashes extends PasswordHasher {
  compared = 0;

  protected override compare(kept: string, password: string): Promise<boolean> {
    this.compared++;
    return super.compare(kept, password);
  }
}

/** Signing in, for one test file. */
export class SignInUnderTest {
  /** The clock of second factors. */
  nowMs = Date.UTC(2026, 0, 31, 12, 0, 7);
  readonly hashes = new CountedHashes();

  private constructor(readonly core: CoreUnderTest) {}

  static async open(): Promise<SignInUnderTest> {
    return new SignInUnderTest(await CoreUnderTest.open());
  }

  close(): Promise<void> {
    return this.core.close();
  }

  /** The services of one process. */
  createServices(made: SignInMade = {}) {
    const { serverKeys = ['server key'], openRegistration = true, issuer = ISSUER } = made;
    const { core, hashes } = this;
    const { commands } = core;
    const platform = made.platform ?? core.platform;
    const [first, ...others] = serverKeys;
    const seal = new ServerKeySealer([deriveKey(first), ...others.map(deriveKey)]);
    const keys = new TokenKeys(platform, seal);
    const sessions = new SessionsService({ platform, keys, issuer: () => issuer, openRegistration });
    const attempts = new SignInAttempts(platform);
    const nowMs = () => this.nowMs;
    const secondFactor = new SecondFactorService({ platform, commands, sessions, attempts, seal, nowMs });
    const signIn = new SignInService(sessions, secondFactor);
    const publicUrl = () => 'https://api.example.com';
    const emails = new EmailVerificationService({ platform, commands, publicUrl });
    const passwords = new PasswordSignInService({
      platform,
      commands,
      emails,
      sessions,
      signIn,
      attempts,
      hasher: hashes,
    });
    return { platform, seal, keys, sessions, attempts, secondFactor, signIn, emails, passwords };
  }

  /** Tokens of a new session of the user, or of a new one. */
  async session(userId?: string, { sessions, platform } = this.createServices()): Promise<IssuedTokens> {
    const owner = userId ?? (await this.core.actor()).userId;
    return inTransaction(platform.database, (tx) => sessions.open(tx, owner, 'password'));
  }

  /** A new user with a session. */
  async actor(): Promise<Actor> {
    const { accessToken } = await this.session();
    return this.createServices().sessions.verify(accessToken);
  }

  /** Resolves once so many statements wait for a lock. */
  async untilBlocked(count: number): Promise<void> {
    for (;;) {
      const waiting = await this.core.rows(
        `SELECT DISTINCT pid FROM pg_locks WHERE NOT granted
         AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`,
      );
      if (waiting.length >= count) return;
    }
  }

  /** What `begin` begins is stopped by what `lock` holds, until so many of its statements wait. */
  async whileLocked<T>(
    lock: string,
    params: readonly unknown[],
    begin: () => Promise<T>,
    waiting = 1,
  ): Promise<T> {
    const holder = this.core.platform.database.createQueryRunner();
    await holder.startTransaction();
    await holder.query(lock, [...params]);
    const begun = begin();
    await Promise.race([this.untilBlocked(waiting), begun.catch(() => undefined)]);
    await holder.commitTransaction();
    await holder.release();
    return begun;
  }

  /** Every row of every table, as text. */
  async dump(): Promise<string> {
    const tables = await this.core.rows(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    const texts: unknown[] = [];
    for (const { name } of tables) {
      texts.push(...(await this.core.rows(`SELECT row_to_json(t)::text AS row FROM ${name} t`)));
    }
    return JSON.stringify(texts);
  }
}

export function deriveKey(label: string): Buffer {
  return createHash('sha256').update(label).digest();
}
