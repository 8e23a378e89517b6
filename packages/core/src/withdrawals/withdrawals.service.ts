/**
 * Creates and cancels withdrawals of reward tokens. The request's transaction holds the amount, and the cancellation's
 * transaction releases it. Payouts are not implemented yet; the `status_reason` of every PENDING record explains this.
 */
import {
  type Decimal,
  DomainError,
  type EventType,
  type QueryOf,
  type Withdrawal,
  type WithdrawalCreate,
  withdrawalOperations,
  withdrawal as withdrawalSchema,
} from '@trading-automation/contracts';
import { allColumns, hydrate, newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import type { EntityManager } from 'typeorm';

import { lockUser } from '../access/index.js';
import type { Ledger } from '../ledger/index.js';
import {
  type Actor,
  authorise,
  type CommandRunner,
  decodeIdOrThrow,
  emitEvent,
  invalidState,
  type ListQuery,
  type ListReader,
  loadByIds,
  type PageWithCursors,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { BigDecimal } from '../values/index.js';
import { assertChecksummed } from './wallet-address.js';
import { WithdrawalEntity } from './withdrawal.entity.js';
import { requestRefusal, type WithdrawalPolicy } from './withdrawal.rules.js';
import { withdrawalView } from './withdrawal.view.js';
import { readRequestFacts } from './withdrawal-facts.queries.js';

type WithdrawalsQuery = ListQuery & QueryOf<typeof withdrawalOperations.list>;

export interface WithdrawalsDependencies {
  readonly platform: Platform;
  readonly lists: ListReader;
  readonly commands: CommandRunner;
  readonly ledger: Ledger;
  /** The fee in reward tokens, deducted from the amount. */
  readonly fee: Decimal;
  readonly policy: WithdrawalPolicy;
}

const COLUMNS = allColumns(WithdrawalEntity, 'w');
const SELECT_OWN = allColumns(
  WithdrawalEntity,
  'w',
  (columns) => `SELECT ${columns} FROM withdrawals w WHERE w.id = ANY ($1) AND w.user_id = $2`,
);

export class WithdrawalsService {
  constructor(private readonly dependencies: WithdrawalsDependencies) {}

  async list(actor: Actor, query: WithdrawalsQuery): Promise<PageWithCursors<Withdrawal>> {
    authorise(actor, withdrawalOperations.list.access);
    const { platform, lists } = this.dependencies;
    const { status } = query;
    const source = {
      select: COLUMNS(platform.database),
      from: 'withdrawals w',
      where: ['w.user_id = $1', ...(status === undefined ? [] : ['w.status = $2'])],
      params: [actor.userId, ...(status === undefined ? [] : [status])],
      sorts: {
        created_at: { column: 'w.created_at', type: 'timestamptz' },
        amount: { column: 'w.amount', type: 'numeric' },
        updated_at: { column: 'w.updated_at', type: 'timestamptz' },
      },
      idColumn: 'w.id',
    } as const;
    const page = await lists.page(withdrawalOperations.list, actor.userId, source, query);
    return { ...page, items: hydrate(platform.database, WithdrawalEntity, page.items).map(withdrawalView) };
  }

  async get(actor: Actor, id: string): Promise<Withdrawal> {
    authorise(actor, withdrawalOperations.get.access);
    return withdrawalView(
      await findWithdrawal(this.dependencies.platform.database.manager, actor, decodeIdOrThrow('wdr', id)),
    );
  }

  /** Loads withdrawals in input order; null for unknown ids. */
  async getMany(actor: Actor, publicIds: readonly string[]): Promise<readonly (Withdrawal | null)[]> {
    authorise(actor, withdrawalOperations.get.access);
    const { database } = this.dependencies.platform;
    return loadByIds('wdr', publicIds, async (ids) => {
      const rows = await queryPrepared(database.manager, SELECT_OWN(database), [ids, actor.userId]);
      return hydrate(database, WithdrawalEntity, rows).map(withdrawalView);
    });
  }

  async create(actor: Actor, input: WithdrawalCreate): Promise<Withdrawal> {
    authorise(actor, withdrawalOperations.create.access);
    return this.dependencies.commands.run(actor.idempotency, async (tx) => {
      const { fee, policy } = this.dependencies;
      assertChecksummed(input.wallet_address, 'wallet_address');
      assertAboveFee(input.amount, fee);
      await lockUser(tx, actor.userId);
      const request = { amount: input.amount, walletAddress: input.wallet_address };
      const refusal = requestRefusal(policy, await readRequestFacts(tx, actor, request));
      if (refusal !== null) throw refusal;
      await this.assertBalance(tx, actor.userId, input.amount);
      const id = newUuid();
      const { currency, network } = this.dependencies.ledger.token;
      await tx.query(
        `INSERT INTO withdrawals (id, user_id, amount, fee, currency, network, wallet_address)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [id, actor.userId, input.amount, fee, currency, network, input.wallet_address],
      );
      const withdrawal = await findWithdrawal(tx, actor, id);
      await this.moveBalance(tx, withdrawal, 'held');
      return emitWithdrawalEvent(tx, withdrawal, 'withdrawal.created');
    });
  }

  async cancel(actor: Actor, publicId: string): Promise<Withdrawal> {
    authorise(actor, withdrawalOperations.cancel.access);
    return this.dependencies.commands.run(actor.idempotency, async (tx) => {
      const id = decodeIdOrThrow('wdr', publicId);
      const [, count] = await tx.query(
        `UPDATE withdrawals SET status = 'CANCELLED', cancelled_at = clock_timestamp(), updated_at = clock_timestamp()
         WHERE id = $1 AND user_id = $2 AND status = 'PENDING'`,
        [id, actor.userId],
      );
      const withdrawal = await findWithdrawal(tx, actor, id);
      if (count === 0) throw notPending(withdrawal);
      await this.moveBalance(tx, withdrawal, 'released');
      return emitWithdrawalEvent(tx, withdrawal, 'withdrawal.cancelled');
    });
  }

  private async moveBalance(
    tx: Tx,
    { id, userId, amount }: WithdrawalEntity,
    transition: 'held' | 'released',
  ): Promise<void> {
    const available = { kind: 'available', userId } as const;
    const held = { kind: 'held', userId } as const;
    const [from, to] = transition === 'held' ? [available, held] : [held, available];
    await this.dependencies.ledger.post(tx, {
      fact: `withdrawal.${transition}`,
      subjectId: id,
      from,
      to,
      amount,
    });
  }

  /** @throws {DomainError} `insufficient_balance` */
  private async assertBalance(tx: Tx, userId: string, amount: Decimal): Promise<void> {
    const { ledger } = this.dependencies;
    const { available } = await ledger.lockBalance(tx, userId);
    if (new BigDecimal(available).gte(amount)) return;
    const { currency } = ledger.token;
    throw new DomainError(
      'insufficient_balance',
      'The available balance is too low. Claim rewards first, or withdraw less.',
      [
        {
          field: 'amount',
          code: 'insufficient_balance',
          message: `The withdrawal needs ${amount} ${currency}; the available balance is ${available} ${currency}.`,
          asset: currency,
          needed: amount,
          free: available,
        },
      ],
    );
  }
}

function assertAboveFee(amount: Decimal, fee: Decimal): void {
  if (new BigDecimal(amount).gt(fee)) return;
  throw new DomainError('validation_failed', undefined, [
    {
      field: 'amount',
      code: 'not_above_fee',
      message: `amount must be above the fee of ${fee}; got ${amount}.`,
      fee,
    },
  ]);
}

function notPending({ status }: WithdrawalEntity): DomainError {
  const message = `Only a PENDING withdrawal can be cancelled; this one is ${status}.`;
  return invalidState(message, status);
}

async function findWithdrawal(manager: EntityManager, actor: Actor, id: string): Promise<WithdrawalEntity> {
  const withdrawal = await manager.findOneBy(WithdrawalEntity, { id, userId: actor.userId });
  if (withdrawal === null) throw new DomainError('not_found');
  return withdrawal;
}

async function emitWithdrawalEvent(
  tx: Tx,
  withdrawal: WithdrawalEntity,
  type: EventType,
): Promise<Withdrawal> {
  const record = withdrawalView(withdrawal);
  await emitEvent(tx, { userId: withdrawal.userId, type, schema: withdrawalSchema, record });
  return record;
}
