import {
  type CredentialsTestResult,
  DomainError,
  decodeId,
  type ExchangeAccount,
  type ExchangeAccountCreate,
  type ExchangeAccountTest,
  encodeId,
  exchangeAccountOperations,
  type SupportedExchange,
} from '@trading-automation/contracts';
import { hydrate, newUuid, type Tx } from '@trading-automation/persistence';
import { IsNull } from 'typeorm';
import { type Actor, authorise, lockUser } from '../access/index.js';
import type { Commands } from '../commands.js';
import type { ListQuery, Lists, Page } from '../lists.js';
import type { Platform } from '../platform.js';
import type { Sealer } from '../sealing/index.js';
import { ExchangeAccountEntity } from './exchange-account.entity.js';
import { viewExchangeAccount, viewSupportedExchange } from './exchange-account.view.js';
import { hasOpenTrades } from './exchange-accounts.queries.js';
import { SupportedExchangeEntity } from './supported-exchange.entity.js';
import { callWorker, credentialsContext, credentialsText } from './worker-calls.js';

const ACCOUNTS_MAX = 100;

/** Seals exchange credentials to the trading worker. */
export class ExchangeSecrets {
  constructor(readonly sealer: Sealer) {}
}

export interface ExchangeAccountsParts {
  readonly platform: Platform;
  readonly lists: Lists;
  readonly commands: Commands;
  readonly secrets: ExchangeSecrets;
}

export class ExchangeAccountsService {
  constructor(private readonly parts: ExchangeAccountsParts) {}

  async supported(query: ListQuery): Promise<Page<SupportedExchange>> {
    const { platform, lists } = this.parts;
    const source = {
      select: 'e.*',
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
    return { items: exchanges.map(viewSupportedExchange), pagination: page.pagination };
  }

  async list(actor: Actor, query: ListQuery): Promise<Page<ExchangeAccount>> {
    authorise(actor, exchangeAccountOperations.list.access);
    const { platform, lists } = this.parts;
    const source = {
      select: 'a.*',
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
    return { items: accounts.map(viewExchangeAccount), pagination: page.pagination };
  }

  async get(actor: Actor, id: string): Promise<ExchangeAccount> {
    authorise(actor, exchangeAccountOperations.get.access);
    return viewExchangeAccount(await findOwn(this.parts.platform.database.manager, actor, id));
  }

  /** Tries credentials at their exchange, and keeps nothing. */
  async test(actor: Actor, input: ExchangeAccountTest): Promise<CredentialsTestResult> {
    authorise(actor, exchangeAccountOperations.test.access);
    const test = () => this.testCredentials(input, `credentials_test/${newUuid()}`);
    return this.parts.commands.runPrepared(actor.once, test, async (_tx, { report }) => ({
      ok: true,
      trading_types: [...report.tradingTypes],
      can_trade: report.canTrade,
      can_withdraw: report.canWithdraw,
    }));
  }

  async create(actor: Actor, input: ExchangeAccountCreate): Promise<ExchangeAccount> {
    authorise(actor, exchangeAccountOperations.create.access);
    const id = newUuid();
    const test = () => this.testCredentials(input, credentialsContext(id));
    return this.parts.commands.runPrepared(actor.once, test, async (tx, { report, sealed }) => {
      if (report.canWithdraw && !input.allow_withdraw_keys) throw mayWithdraw();
      await assertBelowLimit(tx, actor.userId);
      const entity = tx.create(ExchangeAccountEntity, {
        id,
        userId: actor.userId,
        exchange: input.exchange,
        accountName: input.account_name,
        tradingType: input.trading_type,
        isActive: true,
        canWithdraw: report.canWithdraw,
        venueAccountId: report.venueAccountId ?? null,
        credentialsSealed: sealed,
        balances: {},
        syncRequestedAt: new Date(),
      });
      await tx.save(entity);
      await requestSyncIn(tx, id);
      return viewExchangeAccount(await tx.findOneByOrFail(ExchangeAccountEntity, { id }));
    });
  }

  /** Asks for a fresh look at the balances; `exchange.synced` or `exchange.sync_failed` tells of it. */
  async sync(actor: Actor, publicId: string): Promise<ExchangeAccount> {
    authorise(actor, exchangeAccountOperations.sync.access);
    return this.parts.commands.run(actor.once, async (tx) => {
      const account = await findOwn(tx, actor, publicId);
      if (!account.isActive) throw inactive();
      await requestSyncIn(tx, account.id);
      return viewExchangeAccount(account);
    });
  }

  async delete(actor: Actor, publicId: string): Promise<{ id: string; deleted: true }> {
    authorise(actor, exchangeAccountOperations.delete.access);
    return this.parts.commands.run(actor.once, async (tx) => {
      const { id } = await findOwn(tx, actor, publicId, { isLocked: true });
      if (await hasOpenTrades(tx, id)) {
        const message = 'The account has open trades: cancel them first.';
        throw new DomainError('invalid_state', message, [
          { code: 'invalid_state', message, state: 'OPEN_TRADES' },
        ]);
      }
      // The credentials go at once; the row stays for the trades that name it.
      await tx.query(
        `UPDATE exchange_accounts SET deleted_at = now(), updated_at = now(), credentials_sealed = NULL,
         is_active = false WHERE id = $1`,
        [id],
      );
      return { id: encodeId('exa', id), deleted: true };
    });
  }

  private async testCredentials(input: ExchangeAccountTest, context: string) {
    const { platform, secrets } = this.parts;
    const { exchange, trading_type } = input;
    const offered = await platform.database.manager.findOneBy(SupportedExchangeEntity, {
      code: exchange,
      isActive: true,
    });
    if (offered === null) throw notOffered('exchange', 'Not an exchange of GET /v1/supported-exchanges.');
    if (!offered.tradingTypes.includes(trading_type)) {
      throw notOffered('trading_type', `${offered.name} offers ${offered.tradingTypes.join(', ')}.`);
    }
    const sealed = await secrets.sealer.seal(credentialsText(input.credentials), context);
    const call = { exchange, trading_type, sealed, context };
    return { sealed, report: await callWorker(platform, 'exchange_account.test', call) };
  }
}

interface FindOptions {
  /** The field that names the account, for the refusal. */
  readonly field?: string;
  /** Keeps it from changing until the transaction ends; it is read as it is once the lock is had. */
  readonly isLocked?: boolean;
}

/** An account of the actor's that is not removed. @throws {DomainError} `not_found` */
export async function findOwn(
  tx: Tx,
  actor: Actor,
  publicId: string,
  { field, isLocked = false }: FindOptions = {},
): Promise<ExchangeAccountEntity> {
  const id = decodeId('exa', publicId);
  const account =
    id === null
      ? null
      : await tx.findOne(ExchangeAccountEntity, {
          where: { id, userId: actor.userId, deletedAt: IsNull() },
          ...(isLocked ? { lock: { mode: 'for_no_key_update' } } : {}),
        });
  if (account !== null) return account;
  if (field === undefined) throw new DomainError('not_found');
  throw new DomainError('not_found', undefined, [
    { field, code: 'not_found', message: 'No such exchange account.' },
  ]);
}

async function requestSyncIn(tx: Tx, id: string): Promise<void> {
  await tx.query('UPDATE exchange_accounts SET sync_requested_at = clock_timestamp() WHERE id = $1', [id]);
}

/** Accounts of one user are added one after the other, so that the count stays true. */
async function assertBelowLimit(tx: Tx, userId: string): Promise<void> {
  await lockUser(tx, userId);
  const [{ count }] = await tx.query(
    'SELECT count(*)::int AS count FROM exchange_accounts WHERE user_id = $1 AND deleted_at IS NULL',
    [userId],
  );
  if (count >= ACCOUNTS_MAX) throw new DomainError('limit_reached');
}

function notOffered(field: string, message: string): DomainError {
  return new DomainError('validation_failed', undefined, [{ field, code: 'not_offered', message }]);
}

function mayWithdraw(): DomainError {
  const message =
    'These credentials may withdraw. Make some that may only trade, or send allow_withdraw_keys: true.';
  return new DomainError('validation_failed', message, [
    { field: 'credentials', code: 'may_withdraw', message },
  ]);
}

export function inactive(): DomainError {
  const message = 'The exchange refused the credentials of this account: give it new ones.';
  return new DomainError('invalid_state', message, [{ code: 'invalid_state', message, state: 'INACTIVE' }]);
}
