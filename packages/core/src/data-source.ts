/** The only file that lists all entities and all migrations. */
import { createDataSource, type Database } from '@trading-automation/persistence';
import { ApiKeyEntity } from './access/api-key.entity.js';
import { PublicKeyEntity } from './access/public-key.entity.js';
import { UserEntity } from './access/user.entity.js';
import { ExchangeAccountEntity } from './exchange-accounts/exchange-account.entity.js';
import { SupportedExchangeEntity } from './exchange-accounts/supported-exchange.entity.js';
import { Access1763700000001 } from './migrations/0001-access.js';
import { Trading1763700000002 } from './migrations/0002-trading.js';
import { Webhooks1763700000003 } from './migrations/0003-webhooks.js';
import { TradePairEntity } from './trade-pairs/trade-pair.entity.js';
import { FillEntity } from './trades/fill.entity.js';
import { TradeEntity } from './trades/trade.entity.js';
import { WebhookEntity } from './webhooks/webhook.entity.js';

const ENTITIES = [
  ApiKeyEntity,
  ExchangeAccountEntity,
  FillEntity,
  PublicKeyEntity,
  SupportedExchangeEntity,
  TradeEntity,
  TradePairEntity,
  UserEntity,
  WebhookEntity,
];

/** One linear history; a released migration is never edited. */
const MIGRATIONS = [Access1763700000001, Trading1763700000002, Webhooks1763700000003];

interface DatabaseOptions {
  readonly url: string;
  readonly applicationName: string;
  readonly poolSize?: number;
}

/** @throws where the database can't be reached, or its schema is not that of this release */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const database = createDataSource({ ...options, entities: ENTITIES, migrations: MIGRATIONS });
  await database.initialize();
  if (await database.showMigrations()) {
    await database.destroy();
    throw new Error('the database lacks migrations of this release; run the migrator first');
  }
  return database;
}

/** Brings the database at `url` to the schema of this release, each step in a transaction of its own. */
export async function migrate(url: string): Promise<readonly string[]> {
  const options = { url, applicationName: 'migrator', poolSize: 1 };
  const database = createDataSource({ ...options, entities: ENTITIES, migrations: MIGRATIONS });
  await database.initialize();
  try {
    const done = await database.runMigrations({ transaction: 'each' });
    return done.map(({ name }) => name);
  } finally {
    await database.destroy();
  }
}
