/** Opens and migrates the database. Only this file lists all entities and all migrations. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from '@trading-automation/contracts';
import {
  createDataSource,
  type Database,
  inTransaction,
  withAdvisoryLock,
} from '@trading-automation/persistence';
import { ApiKeyEntity } from '../access/api-key.entity.js';
import { PublicKeyEntity } from '../access/public-key.entity.js';
import { UserEntity } from '../access/user.entity.js';
import { BrowserSessionEntity } from '../browser-sessions/browser-session.entity.js';
import { CopierEntity } from '../copiers/copier.entity.js';
import { AccountOwnerEntity } from '../exchange-accounts/account-owner.entity.js';
import { ExchangeAccountEntity } from '../exchange-accounts/exchange-account.entity.js';
import { SupportedExchangeEntity } from '../exchange-accounts/supported-exchange.entity.js';
import { LedgerPostingEntity } from '../ledger/ledger-posting.entity.js';
import { NotificationEntity } from '../notifications/notification.entity.js';
import { assertMigratable, storeWorld } from '../platform/index.js';
import { RequestLogEntity } from '../request-log/request-log.entity.js';
import { RecoveryCodeEntity } from '../sign-in/recovery-code.entity.js';
import { SignalEntity } from '../strategies/signals/signal.entity.js';
import { StrategyEntity } from '../strategies/strategy.entity.js';
import { TradePairEntity } from '../trade-pairs/trade-pair.entity.js';
import { FillEntity } from '../trades/fill.entity.js';
import { LotEntity } from '../trades/lots/lot.entity.js';
import { LotClosureEntity } from '../trades/lots/lot-closure.entity.js';
import { TradeEntity } from '../trades/trade.entity.js';
import { deactivateInsecureWebhooks } from '../webhooks/index.js';
import { WebhookEntity } from '../webhooks/webhook.entity.js';
import { WithdrawalAddressEntity } from '../withdrawals/addresses/withdrawal-address.entity.js';
import { WithdrawalEntity } from '../withdrawals/withdrawal.entity.js';
import { Access1763700000001 } from './migrations/0001-access.js';
import { Trading1763700000002 } from './migrations/0002-trading.js';
import { Webhooks1763700000003 } from './migrations/0003-webhooks.js';
import { Rewards1763700000004 } from './migrations/0004-rewards.js';
import { Copying1763700000005 } from './migrations/0005-copying.js';
import { Account1763700000006 } from './migrations/0006-account.js';
import { DeadLetters1763700000007 } from './migrations/0007-dead-letters.js';
import { Analytics1763700000008 } from './migrations/0008-analytics.js';
import { Events1763700000009 } from './migrations/0009-events.js';
import { Lists1763700000010 } from './migrations/0010-lists.js';
import { Lookups1763700000011 } from './migrations/0011-lookups.js';
import { Lots1763700000012 } from './migrations/0012-lots.js';
import { Signals1763700000013 } from './migrations/0013-signals.js';
import { Orders1763700000014 } from './migrations/0014-orders.js';
import { Copies1763700000015 } from './migrations/0015-copies.js';
import { Equity1763700000016 } from './migrations/0016-equity.js';
import { Ownership1763700000017 } from './migrations/0017-ownership.js';
import { Markets1763700000018 } from './migrations/0018-markets.js';
import { ProfitShares1763700000019 } from './migrations/0019-profit-shares.js';
import { DeliveryLanes1763700000020 } from './migrations/0020-delivery-lanes.js';
import { AttemptFilters1763700000021 } from './migrations/0021-attempt-filters.js';
import { MailOfEvents1763700000022 } from './migrations/0022-mail-of-events.js';
import { InFlight1763700000023 } from './migrations/0023-in-flight.js';
import { SignIn1763700000024 } from './migrations/0024-sign-in.js';
import { StreamKinds1763700000025 } from './migrations/0025-stream-kinds.js';
import { ReconciledTotals1763700000026 } from './migrations/0026-reconciled-totals.js';
import { LimitsAndAddressBook1763700000027 } from './migrations/0027-limits-and-address-book.js';
import { Worlds1763700000028 } from './migrations/0028-worlds.js';
import { ProcessCallShares1763700000029 } from './migrations/0029-process-call-shares.js';
import { VenueBalances1763700000030 } from './migrations/0030-venue-balances.js';
import { PendingExits1763700000031 } from './migrations/0031-pending-exits.js';
import { LeaderPrivacy1763700000032 } from './migrations/0032-leader-privacy.js';
import { FeeValuesAndLotOrders1763700000034 } from './migrations/0034-fee-values-and-lot-orders.js';
import { ProfitShareTerms1763700000035 } from './migrations/0035-profit-share-terms.js';
import { EgressAddresses1763700000036 } from './migrations/0036-egress-addresses.js';
import { SignInLinks1763700000037 } from './migrations/0037-sign-in-links.js';
import { OutboxShares1763700000038 } from './migrations/0038-outbox-shares.js';
import { PerfectCopies1763700000039 } from './migrations/0039-perfect-copies.js';
import { DeliveryReasons1763700000043 } from './migrations/0043-delivery-reasons.js';
import { UnvaluedFeesAndCappedOrders1763700000044 } from './migrations/0044-unvalued-fees-and-capped-orders.js';
import { MaskedRatios1763700000045 } from './migrations/0045-masked-ratios.js';
import { WorkerSessions1763700000046 } from './migrations/0046-worker-sessions.js';
import { LeaseStarts1763700000047 } from './migrations/0047-lease-starts.js';
import { LastLive1763700000048 } from './migrations/0048-last-live.js';
import { FiguresCurrency1763700000049 } from './migrations/0049-figures-currency.js';
import { ReferencePricesInTicks1763700000050 } from './migrations/0050-reference-prices-in-ticks.js';
import { CopierRoiOnceADay1763700000051 } from './migrations/0051-copier-roi-once-a-day.js';
import { MaskedForgone1763700000052 } from './migrations/0052-masked-forgone.js';
import { BrowserSessions1763700000053 } from './migrations/0053-browser-sessions.js';
import { RequestLog1763700000054 } from './migrations/0054-request-log.js';
import { KeyRights1763700000055 } from './migrations/0055-key-rights.js';
import { ReplacedPairs1763700000056 } from './migrations/0056-replaced-pairs.js';
import { Positions1763700000057 } from './migrations/0057-positions.js';
import { CopyingAcrossVenues1763700000058 } from './migrations/0058-copying-across-venues.js';
import { Funding1763700000059 } from './migrations/0059-funding.js';
import { MarginOrders1763700000060 } from './migrations/0060-margin-orders.js';
import { SharedWallets1763700000061 } from './migrations/0061-shared-wallets.js';
import { MarginLoans1763700000062 } from './migrations/0062-margin-loans.js';
import { PerpetualFees1763700000063 } from './migrations/0063-perpetual-fees.js';
import { ConnectionsOfAnAccount1763700000064 } from './migrations/0064-connections-of-an-account.js';
import { UnlistedOrders1763700000065 } from './migrations/0065-unlisted-orders.js';

const ENTITIES = [
  AccountOwnerEntity,
  ApiKeyEntity,
  CopierEntity,
  ExchangeAccountEntity,
  FillEntity,
  LedgerPostingEntity,
  LotClosureEntity,
  LotEntity,
  NotificationEntity,
  PublicKeyEntity,
  BrowserSessionEntity,
  RecoveryCodeEntity,
  RequestLogEntity,
  SignalEntity,
  StrategyEntity,
  SupportedExchangeEntity,
  TradeEntity,
  TradePairEntity,
  UserEntity,
  WebhookEntity,
  WithdrawalEntity,
  WithdrawalAddressEntity,
];

/** All migrations in order. Never edit a released migration. */
const MIGRATIONS = [
  Access1763700000001,
  Trading1763700000002,
  Webhooks1763700000003,
  Rewards1763700000004,
  Copying1763700000005,
  Account1763700000006,
  DeadLetters1763700000007,
  Analytics1763700000008,
  Events1763700000009,
  Lists1763700000010,
  Lookups1763700000011,
  Lots1763700000012,
  Signals1763700000013,
  Orders1763700000014,
  Copies1763700000015,
  Equity1763700000016,
  Ownership1763700000017,
  Markets1763700000018,
  ProfitShares1763700000019,
  DeliveryLanes1763700000020,
  AttemptFilters1763700000021,
  MailOfEvents1763700000022,
  InFlight1763700000023,
  SignIn1763700000024,
  StreamKinds1763700000025,
  ReconciledTotals1763700000026,
  LimitsAndAddressBook1763700000027,
  Worlds1763700000028,
  ProcessCallShares1763700000029,
  VenueBalances1763700000030,
  PendingExits1763700000031,
  LeaderPrivacy1763700000032,
  FeeValuesAndLotOrders1763700000034,
  ProfitShareTerms1763700000035,
  EgressAddresses1763700000036,
  SignInLinks1763700000037,
  OutboxShares1763700000038,
  PerfectCopies1763700000039,
  DeliveryReasons1763700000043,
  UnvaluedFeesAndCappedOrders1763700000044,
  MaskedRatios1763700000045,
  WorkerSessions1763700000046,
  LeaseStarts1763700000047,
  LastLive1763700000048,
  FiguresCurrency1763700000049,
  ReferencePricesInTicks1763700000050,
  CopierRoiOnceADay1763700000051,
  MaskedForgone1763700000052,
  BrowserSessions1763700000053,
  RequestLog1763700000054,
  KeyRights1763700000055,
  Positions1763700000057,
  CopyingAcrossVenues1763700000058,
  MarginOrders1763700000060,
  SharedWallets1763700000061,
  MarginLoans1763700000062,
  PerpetualFees1763700000063,
  ConnectionsOfAnAccount1763700000064,
  UnlistedOrders1763700000065,
  ReplacedPairs1763700000056,
  Funding1763700000059,
];

interface DatabaseOptions {
  readonly url: string;
  readonly applicationName: string;
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
}

/** Connects to the database. @throws if it is unreachable, or lacks migrations of this release */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const database = createDataSource({ ...options, entities: ENTITIES, migrations: MIGRATIONS });
  await database.initialize();
  if (await database.showMigrations()) {
    await database.destroy();
    throw new Error('the database lacks migrations of this release; run the migrator first');
  }
  return database;
}

/**
 * Migrations have no statement timeout, because creating an index on a large table takes minutes. They have a lock
 * timeout, because other statements queue behind a statement that waits for a lock. A server that never responds is
 * given up after an hour.
 */
const MIGRATION_STATEMENT_TIMEOUT_MS = 0;
const MIGRATION_RESPONSE_LIMIT_MS = 3_600_000;
const MIGRATION_LOCK_TIMEOUT_MS = 10_000;
const LOCK_RETRY_MS = 250;

/**
 * Migrates the database at `url` to this release, each migration in its own transaction. Concurrent calls run serially.
 * A database without a world takes `world`. In the live world, deactivates webhooks with an `http` URL. Returns the names
 * of the migrations that it ran.
 *
 * @throws {WrongWorldError} if the database belongs to the other world; it is unchanged
 * @throws if a migration fails or waits more than ten seconds for a lock; earlier migrations stay committed
 */
export async function migrate(url: string, world: World): Promise<readonly string[]> {
  const database = createDataSource({
    url,
    applicationName: 'migrator',
    // One connection runs the migrations, the other holds the lock.
    poolSize: 2,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    statementTimeoutMs: MIGRATION_STATEMENT_TIMEOUT_MS,
    responseLimitMs: MIGRATION_RESPONSE_LIMIT_MS,
    lockTimeoutMs: MIGRATION_LOCK_TIMEOUT_MS,
  });
  await database.initialize();
  try {
    for (;;) {
      const lock = await withAdvisoryLock(database, 'migrations', async () => {
        await assertMigratable(database, world);
        const migrations = await database.runMigrations({ transaction: 'each' });
        await inTransaction(database, (tx) => storeWorld(tx, world));
        if (world === 'live') await deactivateInsecureWebhooks(database);
        return migrations;
      });
      if (lock.acquired) return lock.value.map(({ name }) => name);
      await sleep(LOCK_RETRY_MS);
    }
  } finally {
    await database.destroy();
  }
}
