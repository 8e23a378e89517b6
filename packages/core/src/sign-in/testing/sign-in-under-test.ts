import { createHash } from 'node:crypto';
import { inTransaction } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import { EmailVerificationService } from '../../access/index.js';
import type { Actor } from '../../operations/index.js';
import type { Platform } from '../../platform/index.js';
import { CoreUnderTest } from '../../testing/index.js';
import { CredentialChanges } from '../credential-changes.js';
import { PasswordHasher } from '../password-hasher.js';
import { normaliseEmail } from '../password-input.js';
import { PasswordLogins } from '../password-logins.js';
import { PasswordSignInService } from '../password-sign-in.service.js';
import { SecondFactorService } from '../second-factor.service.js';
import { SecondFactorCodes } from '../second-factor-codes.js';
import { ServerKeySealer } from '../server-key-sealer.js';
import { type IssuedTokens, SessionsService } from '../sessions.service.js';
import { SignInService } from '../sign-in.service.js';
import { SignInAttempts } from '../sign-in-attempts.service.js';
import { SignInLinksService } from '../sign-in-links.service.js';
import { SignInRequests } from '../sign-in-requests.service.js';
import { TokenKeys } from '../token-keys.service.js';

export const ISSUER = 'https://graphql.example.com';

export interface SignInTestOptions {
  /** The label of the current server key, then the labels of previous keys. Each key is derived from its label. */
  readonly serverKeys?: readonly [string, ...string[]];
  readonly isRegistrationOpen?: boolean;
  readonly platform?: Platform;
  readonly issuer?: string;
}

/** A password hasher that counts its hashes and comparisons. */
class CountingHasher extends PasswordHasher {
  hashes = 0;
  comparisons = 0;

  override hash(password: string): Promise<string> {
    this.hashes++;
    return super.hash(password);
  }

  protected override compare(storedHash: string, password: string): Promise<boolean> {
    this.comparisons++;
    return super.compare(storedHash, password);
  }
}

/** The test environment of sign-in: its services on a separate database, for one test file. */
export class SignInUnderTest {
  /** The time of the second factor's clock, in ms since 1970. */
  nowMs = Date.UTC(2026, 0, 31, 12, 0, 7);
  readonly hasher = new CountingHasher();
  private registrations = 0;

  private constructor(readonly core: CoreUnderTest) {}

  static async open(): Promise<SignInUnderTest> {
    return new SignInUnderTest(await CoreUnderTest.open());
  }

  close(): Promise<void> {
    return this.core.close();
  }

  /** Creates the services of one process on the shared database. */
  createServices(options: SignInTestOptions = {}) {
    const { serverKeys = ['server key'], isRegistrationOpen = true, issuer = ISSUER } = options;
    const { core, hasher } = this;
    const { commands } = core;
    const platform = options.platform ?? core.platform;
    const [first, ...others] = serverKeys;
    const sealer = new ServerKeySealer([deriveKey(first), ...others.map(deriveKey)]);
    const keys = new TokenKeys(platform, sealer);
    const sessions = new SessionsService({ platform, keys, issuer: () => issuer, isRegistrationOpen });
    const attempts = new SignInAttempts(platform);
    const nowMs = () => this.nowMs;
    const codes = new SecondFactorCodes(attempts, sealer, nowMs);
    const changes = new CredentialChanges(commands);
    const secondFactor = new SecondFactorService(platform, changes, sessions, codes);
    const signIn = new SignInService(sessions, secondFactor);
    const publicUrl = () => 'https://api.example.com';
    const emails = new EmailVerificationService({ platform, commands, publicUrl });
    const logins = new PasswordLogins(platform, attempts, hasher);
    const passwords = new PasswordSignInService(logins, sessions, signIn, changes);
    const requests = new SignInRequests({ platform, attempts, hasher, isRegistrationOpen, publicUrl });
    const links = new SignInLinksService({ platform, attempts, hasher, isRegistrationOpen });
    return {
      ...{ platform, sealer, keys, sessions, attempts, secondFactor, signIn },
      ...{ emails, passwords, requests, links },
    };
  }

  /** Registers an address, opens its account by the mailed link, and signs in. */
  async register(email: string, password: string, services = this.createServices()): Promise<IssuedTokens> {
    // Each registration comes from another network, so that the limit of a network does not end a test.
    const network = `2001:db8:${(++this.registrations).toString(16)}::1`;
    await services.requests.register({ email, password }, network);
    await services.links.openAccount(await this.newestCode(email), password);
    const signedIn = await services.passwords.login({ email, password }, network);
    if (signedIn.kind !== 'tokens') throw new Error('a second factor is required');
    return signedIn.tokens;
  }

  /** Returns the code of the newest link that was mailed to an address. */
  async newestCode(email: string): Promise<string> {
    const [mail] = await this.core.rows(
      `SELECT body FROM mails WHERE recipient = $1 AND body LIKE '%code=%' ORDER BY created_at DESC LIMIT 1`,
      normaliseEmail(email),
    );
    const [, code] = /code=([\w-]{43})/.exec(String(mail?.body)) ?? [];
    if (code === undefined) throw new Error(`no link was mailed to ${email}`);
    return code;
  }

  /** Opens a session of the user, or of a new user if `userId` is omitted, and returns its tokens. */
  async createSession(
    userId?: string,
    { sessions, platform } = this.createServices(),
  ): Promise<IssuedTokens> {
    const owner = userId ?? (await this.core.actor()).userId;
    return inTransaction(platform.database, (tx) => sessions.open(tx, owner, 'password'));
  }

  /** Creates a user with a session. */
  async createActor(): Promise<Actor> {
    const { accessToken } = await this.createSession();
    return this.createServices().sessions.verify(accessToken);
  }

  /** Resolves once `count` statements wait for a lock. */
  async untilBlocked(count: number): Promise<void> {
    await eventually(async () => {
      const waiting = await this.core.rows(
        `SELECT DISTINCT pid FROM pg_locks WHERE NOT granted
         AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`,
      );
      return waiting.length >= count;
    });
  }

  /**
   * Runs `start` while another transaction holds the lock that the statement `lock` takes. Commits that transaction
   * once `waiting` statements are blocked.
   */
  async whileLocked<T>(
    lock: string,
    params: readonly unknown[],
    start: () => Promise<T>,
    waiting = 1,
  ): Promise<T> {
    const holder = this.core.platform.database.createQueryRunner();
    await holder.startTransaction();
    await holder.query(lock, [...params]);
    const running = start();
    await Promise.race([this.untilBlocked(waiting), running.catch(() => undefined)]);
    await holder.commitTransaction();
    await holder.release();
    return running;
  }

  /** Returns all rows of all tables as one string. */
  async dump(): Promise<string> {
    const tables = await this.core.rows(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    const rows: unknown[] = [];
    for (const { name } of tables) {
      rows.push(...(await this.core.rows(`SELECT row_to_json(t)::text AS row FROM ${name} t`)));
    }
    return JSON.stringify(rows);
  }
}

export function deriveKey(label: string): Buffer {
  return createHash('sha256').update(label).digest();
}
