/**
 * Manages browser sessions. A session is a key pair of a browser's server that acts for a user until it is idle for 30
 * minutes, is 12 hours old, is signed out, or the credential that approved it ends.
 */
import {
  type BrowserSession,
  type BrowserSessionCreate,
  browserSessionOperations,
  DomainError,
  encodeId,
} from '@trading-automation/contracts';
import { allColumns, hydrate, isUniqueViolation, type Tx } from '@trading-automation/persistence';
import type { VerifyEngine } from '@trading-automation/signed-request';
import {
  assertIdentityProof,
  consumeChallenge,
  IS_OPEN_SESSION,
  invalidateCredentialCache,
  lockUser,
  notifyCredentialChange,
} from '../access/index.js';
import {
  type Actor,
  authorise,
  authoriseOperation,
  type CommandRunner,
  decodeIdOrThrow,
  type ListQuery,
  type ListReader,
  type PageWithCursors,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { readApprover } from './approver.queries.js';
import { BrowserSessionEntity } from './browser-session.entity.js';
import { browserSessionView } from './browser-session.view.js';
import { openSession } from './open-session.js';

const COLUMNS = allColumns(BrowserSessionEntity, 'b');

export interface BrowserSessionsDependencies {
  readonly platform: Platform;
  readonly lists: ListReader;
  readonly commands: CommandRunner;
  readonly engine: VerifyEngine;
}

export class BrowserSessionsService {
  constructor(private readonly dependencies: BrowserSessionsDependencies) {}

  /**
   * Opens a session with the permissions of the caller's credential.
   *
   * @param address IP address of the caller
   * @throws {DomainError} `invalid_signature`, `validation_failed`, `already_exists`, `limit_reached`, or
   *   `permission_denied` if the caller is itself a session that was approved more than 15 minutes ago
   */
  async create(actor: Actor, input: BrowserSessionCreate, address: string): Promise<BrowserSession> {
    const { commands, engine } = this.dependencies;
    authorise(actor, browserSessionOperations.create.access);
    assertIdentityProof(input, engine);
    return keyInUseAsConflict(() =>
      commands.run(actor.idempotency, async (tx) => {
        await lockUser(tx, actor.userId);
        const approver = await readApprover(tx, actor);
        await consumeChallenge(tx, input);
        const { userId } = actor;
        const { pubkey, client_name: clientName } = input;
        const request = { userId, pubkey, clientName, address, permissions: approver.permissions };
        const session = await openSession(tx, request, approver);
        await notifyCredentialChange(tx);
        return browserSessionView(session);
      }),
    );
  }

  async list(actor: Actor, query: ListQuery): Promise<PageWithCursors<BrowserSession>> {
    authorise(actor, browserSessionOperations.list.access);
    const { platform, lists } = this.dependencies;
    const source = {
      select: COLUMNS(platform.database),
      from: 'browser_sessions b',
      where: ['b.user_id = $1', IS_OPEN_SESSION],
      params: [actor.userId],
      sorts: { created_at: { column: 'b.created_at', type: 'timestamptz' as const } },
      idColumn: 'b.id',
    };
    const page = await lists.page(browserSessionOperations.list, actor.userId, source, query);
    return {
      ...page,
      items: hydrate(platform.database, BrowserSessionEntity, page.items).map(browserSessionView),
    };
  }

  /**
   * Ends one open session.
   *
   * @throws {DomainError} `not_found`; `permission_denied` unless the caller is a session or has ADMIN
   */
  async revoke(actor: Actor, id: string): Promise<{ id: string; deleted: true }> {
    authoriseOperation(actor, browserSessionOperations.revoke);
    const uuid = decodeIdOrThrow('pbk', id);
    const revoked = await this.dependencies.commands.run(actor.idempotency, async (tx) => {
      if ((await endSessions(tx, actor.userId, uuid)) === 0) throw new DomainError('not_found');
      return { id: encodeId('pbk', uuid), deleted: true as const };
    });
    invalidateCredentialCache(this.dependencies.platform);
    return revoked;
  }

  /**
   * Ends all open sessions of the user.
   *
   * @throws {DomainError} `permission_denied` unless the caller is a session or has ADMIN
   */
  async revokeAll(actor: Actor): Promise<{ revoked: number }> {
    authoriseOperation(actor, browserSessionOperations.revokeAll);
    const result = await this.dependencies.commands.run(actor.idempotency, async (tx) => ({
      revoked: await endSessions(tx, actor.userId, null),
    }));
    invalidateCredentialCache(this.dependencies.platform);
    return result;
  }
}

/** Runs `open`. Of two concurrent requests with one key pair, the unique index refuses the second. */
export async function keyInUseAsConflict<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!isUniqueViolation(error, 'browser_sessions_pubkey_key')) throw error;
    throw new DomainError('already_exists');
  }
}

async function endSessions(tx: Tx, userId: string, id: string | null): Promise<number> {
  await lockUser(tx, userId);
  const [rows] = await tx.query(
    `UPDATE browser_sessions SET revoked_at = clock_timestamp(), updated_at = clock_timestamp()
     WHERE user_id = $1 AND ($2::uuid IS NULL OR id = $2) AND ${IS_OPEN_SESSION} RETURNING id`,
    [userId, id],
  );
  await notifyCredentialChange(tx);
  return rows.length;
}
