/**
 * The address book of withdrawals.
 *
 * 1. A new address is PENDING. The link in the mail to the verified e-mail address shows a page, whose button confirms
 *    the address. It is then HELD for the policy's hold time, and ACTIVE after that.
 * 2. A code is 32 random bytes, stored as a hash and valid for 24 hours. Confirming twice changes nothing the second
 *    time.
 * 3. In the test world, the address of a user without a verified e-mail address needs no confirmation.
 * 4. Deleting an address does not change withdrawals to it. The payout checks the book again, so that the owner of an
 *    account can still stop withdrawals to a deleted address.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  DomainError,
  encodeId,
  type WithdrawalAddress,
  type WithdrawalAddressCreate,
  withdrawalAddressOperations,
} from '@trading-automation/contracts';
import {
  allColumns,
  hydrate,
  inTransaction,
  isUniqueViolation,
  newUuid,
  queryPrepared,
  type Tx,
} from '@trading-automation/persistence';
import { lockUser } from '../../access/index.js';
import { queueMail, takeMailAllowance } from '../../mail/index.js';
import {
  type Actor,
  authorise,
  type CommandRunner,
  decodeIdOrThrow,
  invalidState,
  type ListQuery,
  type ListReader,
  limitReached,
  loadByIds,
  type PageWithCursors,
} from '../../operations/index.js';
import type { Platform } from '../../platform/index.js';
import { assertChecksummed } from '../wallet-address.js';
import { addressRefusal, type WithdrawalPolicy } from '../withdrawal.rules.js';
import { addressMailText, CONFIRMATION_PATH, LINK_HOURS } from './address-mail.js';
import { WithdrawalAddressEntity } from './withdrawal-address.entity.js';
import { withdrawalAddressView } from './withdrawal-address.view.js';

const SELECT_OWN = allColumns(
  WithdrawalAddressEntity,
  'a',
  (columns) => `SELECT ${columns} FROM withdrawal_addresses a WHERE a.id = ANY ($1) AND a.user_id = $2`,
);

const ADDRESSES_MAX = 20;
const MAILS_PER_DAY = 40;
const MAIL_TOPIC = 'withdrawal_address';
const RETRY_SECONDS = 3_600;
const CODE_BYTES = 32;
const CODE = /^[A-Za-z0-9_-]{43}$/;

const COLUMNS = allColumns(WithdrawalAddressEntity, 'a');

export interface WithdrawalAddressesDependencies {
  readonly platform: Platform;
  readonly lists: ListReader;
  readonly commands: CommandRunner;
  readonly policy: WithdrawalPolicy;
  /** The origin of links in mails, without a trailing slash. */
  readonly publicUrl: () => string;
}

export class WithdrawalAddressesService {
  constructor(private readonly dependencies: WithdrawalAddressesDependencies) {}

  async list(actor: Actor, query: ListQuery): Promise<PageWithCursors<WithdrawalAddress>> {
    authorise(actor, withdrawalAddressOperations.list.access);
    const { platform, lists } = this.dependencies;
    const source = {
      select: COLUMNS(platform.database),
      from: 'withdrawal_addresses a',
      where: ['a.user_id = $1'],
      params: [actor.userId],
      sorts: { created_at: { column: 'a.created_at', type: 'timestamptz' } },
      idColumn: 'a.id',
    } as const;
    const page = await lists.page(withdrawalAddressOperations.list, actor.userId, source, query);
    const entries = hydrate(platform.database, WithdrawalAddressEntity, page.items);
    return { ...page, items: entries.map((entry) => withdrawalAddressView(entry)) };
  }

  async get(actor: Actor, publicId: string): Promise<WithdrawalAddress> {
    authorise(actor, withdrawalAddressOperations.get.access);
    const id = decodeIdOrThrow('wad', publicId);
    const { manager } = this.dependencies.platform.database;
    const entry = await manager.findOneBy(WithdrawalAddressEntity, { id, userId: actor.userId });
    if (entry === null) throw new DomainError('not_found');
    return withdrawalAddressView(entry);
  }

  /** Loads addresses in input order; null for unknown ids. */
  async getMany(actor: Actor, publicIds: readonly string[]): Promise<readonly (WithdrawalAddress | null)[]> {
    authorise(actor, withdrawalAddressOperations.get.access);
    const { database } = this.dependencies.platform;
    return loadByIds('wad', publicIds, async (ids) => {
      const rows = await queryPrepared(database.manager, SELECT_OWN(database), [ids, actor.userId]);
      return hydrate(database, WithdrawalAddressEntity, rows).map((entry) => withdrawalAddressView(entry));
    });
  }

  async create(actor: Actor, input: WithdrawalAddressCreate): Promise<WithdrawalAddress> {
    authorise(actor, withdrawalAddressOperations.create.access);
    const { commands, policy } = this.dependencies;
    return commands.run(actor.idempotency, async (tx) => {
      assertChecksummed(input.address, 'address');
      const refusal = addressRefusal(policy, input.address, 'address');
      if (refusal !== null) throw refusal;
      await lockUser(tx, actor.userId);
      await assertNew(tx, actor.userId, input.address);
      const count = await tx.countBy(WithdrawalAddressEntity, { userId: actor.userId });
      if (count >= ADDRESSES_MAX) throw limitReached('withdrawal addresses', ADDRESSES_MAX);
      const email = await verifiedEmailOf(tx, actor.userId);
      if (email === null && policy.world === 'live') throw emailNotVerified();
      const entry = await this.insert(tx, actor.userId, input, email);
      return withdrawalAddressView(entry);
    });
  }

  async delete(actor: Actor, publicId: string): Promise<{ id: string; deleted: true }> {
    authorise(actor, withdrawalAddressOperations.delete.access);
    return this.dependencies.commands.run(actor.idempotency, async (tx) => {
      const id = decodeIdOrThrow('wad', publicId);
      const { affected } = await tx.delete(WithdrawalAddressEntity, { id, userId: actor.userId });
      if (affected === 0) throw new DomainError('not_found');
      return { id: encodeId('wad', id), deleted: true as const };
    });
  }

  /** Returns the address that a mailed code belongs to. @throws {DomainError} `not_found` if the code is unknown or expired */
  async byCode(code: string): Promise<WithdrawalAddress> {
    return withdrawalAddressView(await findByCode(this.dependencies.platform.database.manager, code));
  }

  /**
   * Confirms the address that a mailed code belongs to. Returns the address; confirming it again changes nothing.
   *
   * @throws {DomainError} `not_found` if the code is unknown or expired
   */
  async confirm(code: string): Promise<WithdrawalAddress> {
    const { platform, policy } = this.dependencies;
    return inTransaction(platform.database, async (tx) => {
      const { id } = await findByCode(tx, code);
      await tx.query(
        `UPDATE withdrawal_addresses SET confirmed_at = at, usable_at = at + $2 * interval '1 hour', updated_at = at
         FROM clock_timestamp() AS at WHERE id = $1 AND confirmed_at IS NULL`,
        [id, policy.holdHours],
      );
      return withdrawalAddressView(await findByCode(tx, code));
    });
  }

  /** Inserts an entry and mails its link. Without an e-mail address, inserts it as confirmed. */
  private async insert(
    tx: Tx,
    userId: string,
    input: WithdrawalAddressCreate,
    email: string | null,
  ): Promise<WithdrawalAddressEntity> {
    const { address } = input;
    const label = input.label ?? null;
    const id = newUuid();
    const code = randomBytes(CODE_BYTES).toString('base64url');
    try {
      await tx.query(
        `INSERT INTO withdrawal_addresses
           (id, user_id, address, label, code_hash, code_expires_at, confirmed_at, usable_at, created_at, updated_at)
         SELECT $1, $2, $3, $4, $5, CASE WHEN $6 THEN at + ${LINK_HOURS} * interval '1 hour' END,
           CASE WHEN NOT $6 THEN at END, CASE WHEN NOT $6 THEN at + $7 * interval '1 hour' END, at, at
         FROM clock_timestamp() AS at`,
        [
          id,
          userId,
          address,
          label,
          email === null ? null : hashOf(code),
          email !== null,
          this.dependencies.policy.holdHours,
        ],
      );
    } catch (error) {
      if (isUniqueViolation(error, 'withdrawal_addresses_address_key')) throw alreadyExists();
      throw error;
    }
    if (email !== null) {
      await takeMail(tx, userId);
      const link = `${this.dependencies.publicUrl()}${CONFIRMATION_PATH}?code=${code}`;
      await queueMail(tx, {
        userId,
        to: email,
        subject: 'Confirm a withdrawal address',
        text: addressMailText({ address, label, link }),
      });
    }
    return tx.findOneByOrFail(WithdrawalAddressEntity, { id });
  }
}

async function findByCode(tx: Tx, code: string): Promise<WithdrawalAddressEntity> {
  const entry = CODE.test(code)
    ? await tx.findOneBy(WithdrawalAddressEntity, { codeHash: hashOf(code) })
    : null;
  const isExpired =
    entry?.confirmedAt === null && entry.codeExpiresAt !== null && entry.codeExpiresAt <= new Date();
  if (entry === null || isExpired)
    throw new DomainError(
      'not_found',
      'The link is invalid or has expired. Delete the address and add it again to get a new link.',
    );
  return entry;
}

/** Spelling in another case is the same address. The caller holds the user's lock. */
async function assertNew(tx: Tx, userId: string, address: string): Promise<void> {
  const existing = await tx.query(
    'SELECT FROM withdrawal_addresses WHERE user_id = $1 AND lower(address) = lower($2)',
    [userId, address],
  );
  if (existing.length > 0) throw alreadyExists();
}

async function verifiedEmailOf(tx: Tx, userId: string): Promise<string | null> {
  const [row] = await tx.query('SELECT email FROM users WHERE id = $1 AND email_verified_at IS NOT NULL', [
    userId,
  ]);
  return row?.email ?? null;
}

/** @throws {DomainError} `rate_limited` if the user has used up the mails of the day */
async function takeMail(tx: Tx, userId: string): Promise<void> {
  const [allowance] = await takeMailAllowance(tx, MAILS_PER_DAY, [{ userId, topic: MAIL_TOPIC, count: 1 }]);
  if (allowance?.granted === 1) return;
  const message = `At most ${MAILS_PER_DAY} withdrawal addresses can be added in a day. Try again tomorrow.`;
  throw new DomainError('rate_limited', message, [], { retryAfterSeconds: RETRY_SECONDS });
}

function alreadyExists(): DomainError {
  return new DomainError('already_exists', undefined, [
    {
      field: 'address',
      code: 'already_exists',
      message: 'The address is already in your address book. To get a new link, delete it and add it again.',
    },
  ]);
}

function emailNotVerified(): DomainError {
  const message = 'Adding a withdrawal address needs a verified e-mail address. Set one with PATCH /v1/me.';
  const { details } = invalidState(message, 'EMAIL_NOT_VERIFIED');
  return new DomainError(
    'invalid_state',
    message,
    details.map((detail) => ({ ...detail, code: 'email_not_verified' as const })),
  );
}

/** Hashes the encoded string, not the decoded bytes: base64url can encode the same bytes in several ways. */
function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}
