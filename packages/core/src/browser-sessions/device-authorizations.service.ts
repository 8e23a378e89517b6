/**
 * Signs a client in by code, in the shape of RFC 8628: the client shows a user code, a signed-in user checks and approves
 * it, and the client polls for the result.
 *
 * 1. The client has a key pair and proves it first. An approval opens a browser session for this key pair, so no secret
 *    is handed over, and a device code that is overheard opens nothing.
 * 2. A user code can be decided once, within ten minutes. Both codes are stored as hashes.
 * 3. A user may enter ten unknown codes in an hour, so codes of others cannot be guessed.
 */
import { randomBytes } from 'node:crypto';
import {
  type BrowserSession,
  browserSessionOperations,
  DEVICE_AUTHORIZATION_MINUTES,
  DEVICE_POLL_SECONDS,
  type DeviceApproval,
  type DeviceAuthorization,
  type DeviceAuthorizationCreate,
  type DeviceDenial,
  type DeviceTokenCreate,
  DomainError,
  type GrantedSession,
  type Permission,
  type StartedDeviceAuthorization,
} from '@trading-automation/contracts';
import { inTransaction, newUuid, type Tx } from '@trading-automation/persistence';
import { assertIdentityProof, consumeChallenge, lockUser, notifyCredentialChange } from '../access/index.js';
import { type Actor, authorise, type IdempotencyContext, invalidState } from '../operations/index.js';
import { readApprover } from './approver.queries.js';
import { BrowserSessionEntity } from './browser-session.entity.js';
import { browserSessionView, grantedSessionView } from './browser-session.view.js';
import { type BrowserSessionsDependencies, keyInUseAsConflict } from './browser-sessions.service.js';
import {
  type AuthorizationRow,
  countUnknownCodes,
  decide,
  findByUserCode,
  insertAuthorization,
  noteUnknownCode,
  pollByDeviceCode,
} from './device-authorizations.queries.js';
import { assertKeyUnused, openSession } from './open-session.js';
import { newUserCode, parseUserCode } from './user-code.js';

const UNKNOWN_CODES_MAX = 10;
const HOUR_SECONDS = 3_600;

export class DeviceAuthorizationsService {
  constructor(private readonly dependencies: BrowserSessionsDependencies) {}

  /**
   * Starts a sign-in by code.
   *
   * @param address IP address of the client, which the approver sees
   */
  async start(
    input: DeviceAuthorizationCreate,
    address: string,
    idempotency: IdempotencyContext | undefined,
  ): Promise<StartedDeviceAuthorization> {
    const { commands, engine } = this.dependencies;
    assertIdentityProof(input, engine);
    return commands.run(idempotency, async (tx) => {
      await consumeChallenge(tx, input);
      await assertKeyUnused(tx, input.pubkey);
      const codes = { deviceCode: randomBytes(32).toString('base64url'), userCode: newUserCode() };
      const expiresAt = await insertAuthorization(tx, {
        id: newUuid(),
        ...codes,
        clientName: input.client_name,
        address,
        permissions: [...new Set(input.permissions)],
        pubkey: input.pubkey,
        validMinutes: DEVICE_AUTHORIZATION_MINUTES,
      });
      return {
        device_code: codes.deviceCode,
        user_code: codes.userCode,
        expires_at: expiresAt.toISOString(),
        interval: DEVICE_POLL_SECONDS,
      };
    });
  }

  /** @throws {DomainError} `not_found`; `rate_limited` after ten unknown codes in an hour */
  async get(actor: Actor, code: string): Promise<DeviceAuthorization> {
    authorise(actor, browserSessionOperations.get.access);
    return this.countingUnknownCodes(actor, () =>
      inTransaction(this.dependencies.platform.database, async (tx) => {
        const { userCode, authorization } = await this.find(tx, actor, code);
        return authorizationView(authorization, userCode);
      }),
    );
  }

  /**
   * Approves a sign-in by code, which opens its session.
   *
   * @throws {DomainError} `not_found`, `invalid_state`, `limit_reached`; `validation_failed` if a permission was not
   *   requested; `permission_denied` if the caller is a session that was approved more than 15 minutes ago
   */
  async approve(actor: Actor, { user_code: code, permissions }: DeviceApproval): Promise<BrowserSession> {
    authorise(actor, browserSessionOperations.approve.access);
    return this.countingUnknownCodes(actor, () =>
      keyInUseAsConflict(() =>
        this.dependencies.commands.run(actor.idempotency, async (tx) => {
          const { authorization } = await this.find(tx, actor, code);
          assertPending(authorization);
          const { pubkey, address, client_name: clientName } = authorization;
          const granted = grantedPermissions(authorization.permissions, permissions);
          const approver = await readApprover(tx, actor);
          const request = { userId: actor.userId, pubkey, clientName, address, permissions: granted };
          const session = await openSession(tx, request, approver);
          await decide(tx, authorization.id, actor.userId, session.id);
          await notifyCredentialChange(tx);
          return browserSessionView(session);
        }),
      ),
    );
  }

  /** @throws {DomainError} `not_found`, `invalid_state` */
  async deny(actor: Actor, { user_code: code }: DeviceDenial): Promise<DeviceAuthorization> {
    authorise(actor, browserSessionOperations.deny.access);
    return this.countingUnknownCodes(actor, () =>
      this.dependencies.commands.run(actor.idempotency, async (tx) => {
        const { userCode, authorization } = await this.find(tx, actor, code);
        assertPending(authorization);
        await decide(tx, authorization.id, actor.userId, null);
        return authorizationView({ ...authorization, status: 'DENIED' }, userCode);
      }),
    );
  }

  /**
   * Returns the session of an approved sign-in. The response contains no secret and can be requested again.
   *
   * @throws {DomainError} `not_found`; `invalid_state` unless approved; `rate_limited` if polled again within 5 s
   */
  async token({ device_code: deviceCode }: DeviceTokenCreate): Promise<GrantedSession> {
    const { database } = this.dependencies.platform;
    // The poll is noted, whatever its response is.
    const polled = await inTransaction(database, (tx) =>
      pollByDeviceCode(tx, deviceCode, DEVICE_POLL_SECONDS),
    );
    if (polled === null) throw new DomainError('not_found');
    if (polled.isTooEarly)
      throw new DomainError('rate_limited', `Ask again after ${DEVICE_POLL_SECONDS} seconds.`, [], {
        retryAfterSeconds: DEVICE_POLL_SECONDS,
      });
    if (polled.session_id === null) throw notApproved(polled);
    const session = await database.manager.findOneByOrFail(BrowserSessionEntity, { id: polled.session_id });
    return grantedSessionView(session);
  }

  /** Finds a sign-in under the user's lock. @throws {DomainError} `not_found`, `rate_limited` */
  private async find(
    tx: Tx,
    { userId }: Actor,
    code: string,
  ): Promise<{ readonly userCode: string; readonly authorization: AuthorizationRow }> {
    await lockUser(tx, userId);
    if ((await countUnknownCodes(tx, userId)) >= UNKNOWN_CODES_MAX)
      throw new DomainError(
        'rate_limited',
        `You entered ${UNKNOWN_CODES_MAX} unknown codes within an hour.`,
        [],
        {
          retryAfterSeconds: HOUR_SECONDS,
        },
      );
    const userCode = parseUserCode(code);
    const authorization = userCode === null ? null : await findByUserCode(tx, userCode);
    if (userCode === null || authorization === null) throw new UnknownUserCode();
    return { userCode, authorization };
  }

  /** Runs a look-up by user code, and counts the code if it is unknown. */
  private async countingUnknownCodes<T>(actor: Actor, lookUp: () => Promise<T>): Promise<T> {
    try {
      return await lookUp();
    } catch (error) {
      if (error instanceof UnknownUserCode)
        await inTransaction(this.dependencies.platform.database, (tx) => noteUnknownCode(tx, actor.userId));
      throw error;
    }
  }
}

class UnknownUserCode extends DomainError {
  constructor() {
    const message =
      'No sign-in shows this code. Compare it with the code on the screen, or start again there.';
    super('not_found', message, [{ field: 'user_code', code: 'not_found', message }]);
  }
}

function assertPending(authorization: AuthorizationRow): void {
  if (authorization.status !== 'PENDING') throw notApproved(authorization);
}

const MESSAGES = {
  PENDING: 'The sign-in is not approved yet.',
  APPROVED: 'The sign-in is already approved.',
  DENIED: 'The sign-in was refused.',
  EXPIRED: 'The code has expired. Start the sign-in again.',
} as const satisfies Record<AuthorizationRow['status'], string>;

function notApproved({ status }: AuthorizationRow): DomainError {
  return invalidState(MESSAGES[status], status);
}

function grantedPermissions(
  requested: readonly Permission[],
  permissions: readonly Permission[] = requested,
): readonly Permission[] {
  const beyond = permissions.filter((permission) => !requested.includes(permission));
  if (beyond.length === 0) return permissions;
  const message = `The client requested ${requested.join(', ')}; got ${beyond.join(', ')}.`;
  throw new DomainError('validation_failed', undefined, [
    { field: 'permissions', code: 'invalid_value', message },
  ]);
}

function authorizationView(row: AuthorizationRow, userCode: string): DeviceAuthorization {
  return {
    user_code: userCode,
    client_name: row.client_name,
    address: row.address,
    permissions: row.permissions,
    status: row.status,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}
