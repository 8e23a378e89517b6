import {
  type CredentialsTestResult,
  DomainError,
  decodeId,
  type ExchangeAccount,
  type ExchangeAccountCreate,
  type ExchangeAccountTest,
  type ExchangeAccountUpdate,
  type ExchangeCredentials,
  encodeId,
  exchangeAccountOperations,
  type SupportedExchange,
} from '@trading-automation/contracts';
import type { CredentialsReport } from '@trading-automation/exchanges';
import {
  allColumns,
  type CallOwner,
  type Database,
  hydrate,
  newUuid,
  queryPrepared,
  type Tx,
} from '@trading-automation/persistence';
import { IsNull } from 'typeorm';
import { lockUser } from '../access/index.js';
import {
  type Actor,
  authorise,
  type CommandRunner,
  type ListQuery,
  type ListReader,
  limitReached,
  loadByIds,
  type PageWithCursors,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import type { Sealer } from '../sealing/index.js';
import { RIGHTS_AGE_MAX_MS } from './account-rights.js';
import { CURRENT_BALANCE, type CurrentBalances } from './current-balances.queries.js';
import { ExchangeAccountEntity } from './exchange-account.entity.js';
import {
  accountInactiveError,
  accountInUse,
  assertNoWithdrawPermission,
  assertSupported,
  notOffered,
  otherAccount,
} from './exchange-account.errors.js';
import { exchangeAccountView, viewSupportedExchange } from './exchange-account.view.js';
import { findAccountUse } from './exchange-accounts.queries.js';
import { joinSharedWallet } from './shared-wallets.queries.js';
import { SupportedExchangeEntity } from './supported-exchange.entity.js';
import { viewExchangeAccount, viewExchangeAccounts } from './view-exchange-accounts.js';
import { callWorker, credentialsContext, serializeCredentials } from './worker-calls.js';

const ACCOUNTS_MAX = 100;

/** Seals exchange credentials to the trading worker. */
export class CredentialsSealer {
  constructor(readonly sealer: Sealer) {}
}

export interface ExchangeAccountsDependencies {
  readonly platform: Platform;
  readonly lists: ListReader;
  readonly commands: CommandRunner;
  readonly credentialsSealer: CredentialsSealer;
}

const SUPPORTED_COLUMNS = allColumns(SupportedExchangeEntity, 'e');
const COLUMNS = allColumns(ExchangeAccountEntity, 'a');
const SELECT_OWN = allColumns(
  ExchangeAccountEntity,
  'a',
  (columns) =>
    `SELECT ${columns}, ${CURRENT_BALANCE} FROM exchange_accounts a WHERE a.id = ANY ($1) AND a.user_id = $2 AND a.deleted_at IS NULL`,
);

export class ExchangeAccountsService {
  constructor(private readonly dependencies: ExchangeAccountsDependencies) {}

  /** Lists the exchanges that this deployment offers, active or not. */
  async supported(query: ListQuery): Promise<PageWithCursors<SupportedExchange>> {
    const { platform, lists } = this.dependencies;
    const source = {
      select: SUPPORTED_COLUMNS(platform.database),
      from: 'supported_exchanges e',
      where: [],
      params: [],
      sorts: {
        created_at: { column: 'e.created_at', type: 'timestamptz' },
        name: { column: 'e.name', type: 'text' },
      },
      idColumn: 'e.id',
    } as const;
    const page = await lists.page(exchangeAccountOperations.supported, null, source, query);
    const exchanges = hydrate(platform.database, SupportedExchangeEntity, page.items);
    return { ...page, items: exchanges.map(viewSupportedExchange) };
  }

  async list(actor: Actor, query: ListQuery): Promise<PageWithCursors<ExchangeAccount>> {
    authorise(actor, exchangeAccountOperations.list.access);
    const { platform, lists } = this.dependencies;
    const source = {
      select: COLUMNS(platform.database),
      from: 'exchange_accounts a',
      where: ['a.user_id = $1', 'a.deleted_at IS NULL'],
      params: [actor.userId],
      sorts: {
        created_at: { column: 'a.created_at', type: 'timestamptz' },
        account_name: { column: 'a.account_name', type: 'text' },
        exchange_name: { column: 'a.exchange', type: 'text' },
      },
      idColumn: 'a.id',
    } as const;
    const page = await lists.page(exchangeAccountOperations.list, actor.userId, source, query);
    const accounts = hydrate(platform.database, ExchangeAccountEntity, page.items);
    return { ...page, items: await viewExchangeAccounts(platform.database.manager, accounts) };
  }

  async get(actor: Actor, id: string): Promise<ExchangeAccount> {
    authorise(actor, exchangeAccountOperations.get.access);
    const { manager } = this.dependencies.platform.database;
    return viewExchangeAccount(manager, await findOwn(manager, actor, id));
  }

  /** Loads exchange accounts in input order; null for ids that `get` does not find. */
  async getMany(actor: Actor, publicIds: readonly string[]): Promise<readonly (ExchangeAccount | null)[]> {
    authorise(actor, exchangeAccountOperations.get.access);
    const { database } = this.dependencies.platform;
    return loadByIds('exa', publicIds, async (ids) => {
      return viewRows(
        database,
        await queryPrepared(database.manager, SELECT_OWN(database), [ids, actor.userId]),
      );
    });
  }

  /** Tests credentials at their exchange and stores nothing. */
  async test(actor: Actor, input: ExchangeAccountTest): Promise<CredentialsTestResult> {
    authorise(actor, exchangeAccountOperations.test.access);
    const test = () => this.testNewCredentials(actor, input, `credentials_test/${newUuid()}`);
    return this.dependencies.commands.runPrepared(actor.idempotency, test, async (_tx, { report }) => ({
      ok: true,
      trading_types: [...report.tradingTypes],
      can_trade: report.canTrade,
      can_withdraw: report.canWithdraw,
    }));
  }

  /** Tests the credentials at their exchange, then stores the account and requests its first sync. */
  async create(actor: Actor, input: ExchangeAccountCreate): Promise<ExchangeAccount> {
    authorise(actor, exchangeAccountOperations.create.access);
    const id = newUuid();
    const test = () => this.testNewCredentials(actor, input, credentialsContext(id));
    return this.dependencies.commands.runPrepared(actor.idempotency, test, async (tx, { report, sealed }) => {
      assertNoWithdrawPermission(report, input);
      await assertBelowLimit(tx, actor.userId);
      const entity = tx.create(ExchangeAccountEntity, {
        id,
        userId: actor.userId,
        exchange: input.exchange,
        accountName: input.account_name,
        tradingType: input.trading_type,
        isActive: true,
        canTrade: report.canTrade,
        canWithdraw: report.canWithdraw,
        rightsDueAt: new Date(Date.now() + RIGHTS_AGE_MAX_MS),
        venueAccountId: report.venueAccountId ?? null,
        isUnified: report.isUnified ?? false,
        credentialsSealed: sealed,
        balances: {},
        syncRequestedAt: new Date(),
      });
      await tx.save(entity);
      await joinSharedWallet(tx, id);
      await requestSyncIn(tx, id);
      return viewExchangeAccount(tx, await tx.findOneByOrFail(ExchangeAccountEntity, { id }));
    });
  }

  /**
   * Updates the name or the credentials. New credentials must belong to the same account at the exchange, so that the
   * account's history remains valid. They reactivate the account and request a sync.
   */
  async update(actor: Actor, publicId: string, changes: ExchangeAccountUpdate): Promise<ExchangeAccount> {
    authorise(actor, exchangeAccountOperations.update.access);
    const { commands, platform } = this.dependencies;
    const prepare = async () => {
      const account = await findOwn(platform.database.manager, actor, publicId);
      return (
        changes.credentials &&
        this.testCredentials(account, changes.credentials, credentialsContext(account.id), {
          userId: actor.userId,
          accountId: account.id,
        })
      );
    };
    return commands.runPrepared(actor.idempotency, prepare, async (tx, tested) => {
      const account = await findOwn(tx, actor, publicId, { isLocked: true });
      if (tested !== undefined) {
        assertNoWithdrawPermission(tested.report, changes);
        await replaceCredentials(tx, account, tested);
      }
      if (changes.account_name !== undefined) await rename(tx, account.id, changes.account_name);
      return viewExchangeAccount(tx, await tx.findOneByOrFail(ExchangeAccountEntity, { id: account.id }));
    });
  }

  /** Requests a sync of the balances; `exchange.synced` or `exchange.sync_failed` reports the result. */
  async sync(actor: Actor, publicId: string): Promise<ExchangeAccount> {
    authorise(actor, exchangeAccountOperations.sync.access);
    return this.dependencies.commands.run(actor.idempotency, async (tx) => {
      const account = await findOwn(tx, actor, publicId);
      if (!account.isActive) throw accountInactiveError(account.inactiveReason ?? 'CREDENTIALS');
      await requestSyncIn(tx, account.id);
      return viewExchangeAccount(tx, account);
    });
  }

  /** Removes an account that is not in use, and deletes its credentials. */
  async delete(actor: Actor, publicId: string): Promise<{ id: string; deleted: true }> {
    authorise(actor, exchangeAccountOperations.delete.access);
    return this.dependencies.commands.run(actor.idempotency, async (tx) => {
      const { id } = await findOwn(tx, actor, publicId, { isLocked: true });
      const use = await findAccountUse(tx, id);
      if (use !== null) throw accountInUse(use);
      // The credentials are deleted immediately; the row remains for the trades that reference it.
      await tx.query(
        `UPDATE exchange_accounts SET deleted_at = now(), updated_at = now(), credentials_sealed = NULL,
         is_active = false WHERE id = $1`,
        [id],
      );
      return { id: encodeId('exa', id), deleted: true };
    });
  }

  /** Tests the credentials of a new account, after checking that its exchange and trading type are offered. */
  private async testNewCredentials(
    actor: Actor,
    input: ExchangeAccountTest,
    context: string,
  ): Promise<TestedCredentials> {
    const { exchange, trading_type: tradingType, credentials } = input;
    const offered = await this.dependencies.platform.database.manager.findOneBy(SupportedExchangeEntity, {
      code: exchange,
      isActive: true,
    });
    if (offered === null) {
      const message = `Exchange ${exchange} is not offered. Use an id from GET /v1/supported-exchanges.`;
      throw notOffered('exchange', message);
    }
    if (!offered.tradingTypes.includes(tradingType)) {
      const offers = offered.tradingTypes.join(', ');
      throw notOffered('trading_type', `${offered.name} offers ${offers}; got ${tradingType}.`);
    }
    return this.testCredentials({ exchange, tradingType }, credentials, context, { userId: actor.userId });
  }

  /** Seals credentials to `context`, and asks the worker to test the sealed credentials at their exchange. */
  private async testCredentials(
    { exchange, tradingType }: Pick<ExchangeAccountEntity, 'exchange' | 'tradingType'>,
    credentials: ExchangeCredentials,
    context: string,
    owner: CallOwner,
  ): Promise<TestedCredentials> {
    const { platform, credentialsSealer } = this.dependencies;
    const sealed = await credentialsSealer.sealer.seal(serializeCredentials(credentials), context);
    const call = { exchange, trading_type: tradingType, sealed, context };
    const report = await callWorker(platform, 'exchange_account.test', call, owner);
    assertSupported(report);
    return { sealed, report };
  }
}

/** Accepted credentials and the exchange's report about them. */
interface TestedCredentials {
  readonly sealed: string;
  readonly report: CredentialsReport;
}

interface FindOptions {
  /** Locks the account until the transaction ends and reads it after the lock is acquired. */
  readonly isLocked?: boolean;
}

/**
 * Returns the actor's account.
 * @throws {DomainError} `not_found` if it does not exist, is removed or is not the actor's
 */
async function findOwn(
  tx: Tx,
  actor: Actor,
  publicId: string,
  { isLocked = false }: FindOptions = {},
): Promise<ExchangeAccountEntity> {
  const id = decodeId('exa', publicId);
  const account =
    id === null
      ? null
      : await tx.findOne(ExchangeAccountEntity, {
          where: { id, userId: actor.userId, deletedAt: IsNull() },
          ...(isLocked ? { lock: { mode: 'for_no_key_update' } } : {}),
        });
  if (account === null) throw new DomainError('not_found');
  return account;
}

async function replaceCredentials(
  tx: Tx,
  { id, venueAccountId }: ExchangeAccountEntity,
  { sealed, report }: TestedCredentials,
): Promise<void> {
  const reportedId = report.venueAccountId ?? null;
  if (venueAccountId !== null && reportedId !== null && reportedId !== venueAccountId) throw otherAccount();
  await tx.query(
    `UPDATE exchange_accounts SET credentials_sealed = $2, can_withdraw = $3, can_trade = $5, is_active = true,
       inactive_reason = NULL, rights_due_at = clock_timestamp() + $6 * interval '1 millisecond',
       venue_account_id = coalesce(venue_account_id, $4), is_unified = $7, sync_requested_at = clock_timestamp(),
       updated_at = clock_timestamp()
     WHERE id = $1`,
    [
      id,
      sealed,
      report.canWithdraw,
      reportedId,
      report.canTrade,
      RIGHTS_AGE_MAX_MS,
      report.isUnified ?? false,
    ],
  );
  await joinSharedWallet(tx, id);
}

async function rename(tx: Tx, id: string, name: string): Promise<void> {
  await tx.query(
    'UPDATE exchange_accounts SET account_name = $2, updated_at = clock_timestamp() WHERE id = $1',
    [id, name],
  );
}

async function requestSyncIn(tx: Tx, id: string): Promise<void> {
  await tx.query('UPDATE exchange_accounts SET sync_requested_at = clock_timestamp() WHERE id = $1', [id]);
}

/** Serialises the creation of accounts of one user, so that the limit holds. */
async function assertBelowLimit(tx: Tx, userId: string): Promise<void> {
  await lockUser(tx, userId);
  const [{ count }] = await tx.query(
    'SELECT count(*)::int AS count FROM exchange_accounts WHERE user_id = $1 AND deleted_at IS NULL',
    [userId],
  );
  if (count < ACCOUNTS_MAX) return;
  throw limitReached('exchange accounts', ACCOUNTS_MAX);
}

/** Returns the public records of rows that were selected with `CURRENT_BALANCE`. */
function viewRows(database: Database, rows: readonly Readonly<Record<string, unknown>>[]): ExchangeAccount[] {
  const accounts = hydrate(database, ExchangeAccountEntity, rows);
  return accounts.map((account, i) =>
    exchangeAccountView(account, rows[i]?.current_balance as CurrentBalances),
  );
}
