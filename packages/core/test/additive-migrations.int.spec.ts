/**
 * Tests that the migrations of the next release may add columns while processes of this release run. Statements that
 * these processes prepared on their connections must continue to work.
 */
import {
  accessOperations,
  copierOperations,
  exchangeAccountOperations,
  notificationOperations,
  type Operation,
  rewardOperations,
  strategyOperations,
  tradeOperations,
  tradePairOperations,
  webhookCreate,
  webhookOperations,
  withdrawalOperations,
} from '@trading-automation/contracts';
import { poolOf, sqlStateOf } from '@trading-automation/persistence';
import { ApiKeysService, PublicKeysService } from '../src/access/index.js';
import { CopyingUnderTest, type Follower } from '../src/copiers/testing/copying-under-test.js';
import {
  AccountSyncService,
  CredentialsSealer,
  ExchangeAccountsService,
  VenueCatalogue,
} from '../src/exchange-accounts/index.js';
import { Ledger } from '../src/ledger/index.js';
import { NotificationsService } from '../src/notifications/index.js';
import { querySchemaOf } from '../src/operations/index.js';
import { RewardAccrual, RewardsService } from '../src/rewards/index.js';
import { generateSealingKeyPair, Sealer } from '../src/sealing/index.js';
import { OPEN_WITHDRAWAL_POLICY } from '../src/testing/withdrawal-policy.js';
import { TradePairsService } from '../src/trade-pairs/index.js';
import { TradesService } from '../src/trades/index.js';
import { WebhookSecrets, WebhooksService } from '../src/webhooks/index.js';
import { WithdrawalsService } from '../src/withdrawals/index.js';

interface Records {
  readonly list: () => Promise<{ readonly items: readonly { readonly id: string }[] }>;
  readonly getMany?: (ids: readonly string[]) => Promise<unknown>;
}

let env: CopyingUnderTest;
let follower: Follower;
let records: Readonly<Record<string, Records>>;
beforeAll(async () => {
  env = await CopyingUnderTest.open();
  await env.reset();
  follower = await env.follower();
  await new VenueCatalogue(env.core.platform).publish([
    {
      id: 'paper',
      name: 'Paper Exchange',
      tradingTypes: ['spot'],
      stages: { spot: 'STABLE' },
      credentialForm: { secret: 'HMAC_SECRET', hasPassphrase: false, permissions: {} },
      isCertified: true,
    },
  ]);
  await new RewardAccrual(env.core.platform, new Ledger(env.core.platform), {
    amounts: {},
  }).publishRewardTypes();
  records = await recordsOf(follower);
});
afterAll(() => env.close());

const emptyQueryOf = <Query>(operation: Operation) => querySchemaOf(operation).parse({}) as Query;

/** Returns functions that list and load the records of a user, by table. */
async function recordsOf({ actor }: Follower): Promise<Readonly<Record<string, Records>>> {
  const { platform, lists, commands } = env.core;
  const dependencies = { platform, lists, commands, ledger: new Ledger(platform) };
  const sealer = await Sealer.for(await generateSealingKeyPair());
  const accounts = new ExchangeAccountsService({
    ...dependencies,
    credentialsSealer: new CredentialsSealer(sealer),
  });
  const apiKeys = new ApiKeysService(platform, lists, commands);
  const notifications = new NotificationsService(platform, lists, commands);
  const pairs = new TradePairsService(platform, lists);
  const publicKeys = new PublicKeysService(platform, lists, commands);
  const rewards = new RewardsService(dependencies);
  const trades = new TradesService(dependencies);
  const webhooks = new WebhooksService(platform, lists, commands, new WebhookSecrets(sealer, false));
  const withdrawals = new WithdrawalsService({ ...dependencies, fee: '0.5', policy: OPEN_WITHDRAWAL_POLICY });
  const { copiers, strategies } = env;
  await webhooks.create(actor, webhookCreate.parse({ url: 'https://example.com/hook', events: ['*'] }));
  return {
    api_keys: { list: () => apiKeys.list(actor, emptyQueryOf(accessOperations.listApiKeys)) },
    copiers: {
      list: () => copiers.list(actor, emptyQueryOf(copierOperations.list)),
      getMany: (ids) => copiers.getMany(actor, ids),
    },
    exchange_accounts: {
      list: () => accounts.list(actor, emptyQueryOf(exchangeAccountOperations.list)),
      getMany: (ids) => accounts.getMany(actor, ids),
    },
    notifications: {
      list: () => notifications.list(actor, emptyQueryOf(notificationOperations.list)),
      getMany: (ids) => notifications.getMany(actor, ids),
    },
    public_keys: { list: () => publicKeys.list(actor, emptyQueryOf(accessOperations.listPublicKeys)) },
    reward_types: {
      list: () => rewards.types(actor, emptyQueryOf(rewardOperations.types)),
      getMany: (ids) => rewards.getManyTypes(actor, ids),
    },
    rewards: {
      list: () => rewards.list(actor, emptyQueryOf(rewardOperations.list)),
      getMany: (ids) => rewards.getMany(actor, ids),
    },
    strategies: {
      list: () => strategies.list(actor, emptyQueryOf(strategyOperations.list)),
      getMany: (ids) => strategies.getMany(actor, ids),
    },
    supported_exchanges: {
      list: () => accounts.supported(emptyQueryOf(exchangeAccountOperations.supported)),
    },
    trade_pairs: {
      list: () => pairs.list(actor, emptyQueryOf(tradePairOperations.list)),
      getMany: (ids) => pairs.getMany(actor, ids),
    },
    trades: {
      list: () => trades.list(actor, emptyQueryOf(tradeOperations.list)),
      getMany: (ids) => trades.getMany(actor, ids),
    },
    webhooks: {
      list: () => webhooks.list(actor, emptyQueryOf(webhookOperations.list)),
      getMany: (ids) => webhooks.getMany(actor, ids),
    },
    withdrawals: {
      list: () => withdrawals.list(actor, emptyQueryOf(withdrawalOperations.list)),
      getMany: (ids) => withdrawals.getMany(actor, ids),
    },
  };
}

/** Reads all records one after another, so that each read reuses a connection with prepared statements. */
async function readAll(): Promise<unknown[]> {
  const read: unknown[] = [];
  for (const { list, getMany } of Object.values(records)) {
    const { items } = await list();
    read.push(items, await getMany?.(items.map(({ id }) => id)));
  }
  return read;
}

/** Makes the leader buy and sell, and the copier copy both. Then stores `heldAmount` as the copier's balance of BTC. */
async function tradeAndSync(heldAmount: string): Promise<void> {
  await env.leaderBuys('10');
  await env.executeAll();
  await env.leaderSells('4');
  await env.executeAll();
  const accountSync = new AccountSyncService(env.core.platform);
  const balances = { BTC: { free: heldAmount, locked: '0' } };
  await accountSync.storeBalances(follower.account.uuid, balances, await accountSync.databaseTime());
}

/** Adds a column to every table over a separate connection, as a migration of another process does. */
async function addColumns(name: string): Promise<void> {
  const { database } = await env.core.openSecondPlatform();
  const tables: { name: string }[] = await database.query(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  expect(tables.map((table) => table.name)).toEqual(expect.arrayContaining(Object.keys(records)));
  for (const table of tables) {
    await database.query(`ALTER TABLE ${table.name} ADD COLUMN ${name} text NOT NULL DEFAULT ''`);
  }
}

interface Prepared {
  readonly name: string;
  readonly statement: string;
  readonly parameterCount: number;
}

describe('a column that is added to every table', () => {
  it('does not affect the reads and writes of a process with prepared statements', async () => {
    await tradeAndSync('4');
    const before = await readAll();
    await addColumns('added_while_running');
    expect(await readAll()).toEqual(before);
    await tradeAndSync('5');
    const eventTypes = await env.eventTypes(follower);
    expect(eventTypes.filter((kind) => kind === 'exchange.synced')).toHaveLength(2);
    expect(await env.decisions(follower)).toHaveLength(4);
  });

  it('does not change the row type of any prepared statement', async () => {
    await tradeAndSync('6');
    // A statement is prepared by name only after its eighth use.
    for (let uses = 0; uses < 9; uses++) await readAll();
    const pool = poolOf(env.core.platform.database);
    const connections = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
    const statements: string[] = [];
    const changed: string[] = [];
    try {
      // The control: the new column changes the row type of this statement, so the check below must report it.
      await connections[0]!.query('PREPARE every_column AS SELECT * FROM trades');
      await addColumns('added_to_prepared');
      for (const connection of connections) {
        const { rows } = await connection.query<Prepared>(
          'SELECT name, statement, cardinality(parameter_types) AS "parameterCount" FROM pg_prepared_statements',
        );
        for (const { name, statement, parameterCount } of rows) {
          statements.push(statement);
          const values =
            parameterCount === 0
              ? ''
              : `(${Array.from({ length: parameterCount }, () => 'NULL').join(', ')})`;
          // Plans the statement again, without running it.
          await connection.query(`EXPLAIN EXECUTE ${name}${values}`).catch((error: unknown) => {
            changed.push(`${sqlStateOf(error)} ${statement}`);
          });
        }
      }
    } finally {
      for (const connection of connections) connection.release(true);
    }
    expect(changed).toEqual(['0A000 PREPARE every_column AS SELECT * FROM trades']);
    const tables = Object.keys(records);
    expect(tables.filter((table) => !statements.some((sql) => sql.includes(`FROM ${table} `)))).toEqual([]);
  });
});
