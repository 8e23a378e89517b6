import { createHash } from 'node:crypto';
import { encodeId, type Permission, type TradingType } from '@trading-automation/contracts';
import type { OrderRequest } from '@trading-automation/exchanges';
import { createCursorCodec } from '@trading-automation/pagination';
import { createIdempotencyStore, newUuid } from '@trading-automation/persistence';
import type { TestDatabase } from '@trading-automation/persistence/testing';

import { openPlatform } from '../database/index.js';
import { type Actor, CommandRunner, type IdempotencyContext, ListReader } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { TradeExecution } from '../trades/index.js';
import { createCoreDatabase } from './core-database.js';

type Row = Record<string, unknown>;

/** A record's public id and its uuid. */
export interface RecordIds {
  /** The public id. */
  readonly id: string;
  readonly uuid: string;
}

const keyOf = (label: string) => createHash('sha256').update(label).digest();

/**
 * The test environment of core: its platform on a separate database, for one test file. It inserts rows with plain SQL,
 * so that the fixtures of a feature do not depend on other features.
 */
export class CoreUnderTest {
  private readonly otherPlatforms: Platform[] = [];

  private constructor(
    private readonly database: TestDatabase,
    readonly platform: Platform,
    readonly lists: ListReader,
    readonly commands: CommandRunner,
  ) {}

  static async open(): Promise<CoreUnderTest> {
    const database = await createCoreDatabase();
    const platform = await connect(database.url);
    const cursors = createCursorCodec((bytes) =>
      createHash('sha256').update(keyOf('cursors')).update(bytes).digest().subarray(0, 16),
    );
    const commands = new CommandRunner(platform, createIdempotencyStore([keyOf('server key')]));
    return new CoreUnderTest(database, platform, new ListReader(platform, cursors), commands);
  }

  /** Opens a second platform on the same database, as another process would. */
  async openSecondPlatform(): Promise<Platform> {
    const platform = await connect(this.database.url);
    this.otherPlatforms.push(platform);
    return platform;
  }

  async close(): Promise<void> {
    const open = [this.platform, ...this.otherPlatforms].filter(({ database }) => database.isInitialized);
    await Promise.all(open.map((platform) => platform.close()));
    await this.database.drop();
  }

  /** Resolves once the listener receives notifications for all subscriptions that were made before this call. */
  async untilListening(): Promise<void> {
    const { listener } = this.platform;
    let unsubscribe = () => {};
    await new Promise<void>((resolve) => {
      unsubscribe = listener.subscribe('unused_channel', () => resolve());
    });
    unsubscribe();
  }

  rows(sql: string, ...params: unknown[]): Promise<Row[]> {
    return this.platform.database.query(sql, params);
  }

  async row(sql: string, ...params: unknown[]): Promise<Row> {
    const [row] = await this.rows(sql, ...params);
    if (row === undefined) throw new Error(`the query returned no row: ${sql}`);
    return row;
  }

  /** Returns the payloads of the user's events, oldest first. */
  async events(userId: string): Promise<{ event_id: string; type: string; data: Row; truncated?: true }[]> {
    const rows = await this.rows(
      'SELECT payload FROM outbox_events WHERE user_id = $1 ORDER BY created_at, id',
      userId,
    );
    return rows.map(({ payload }) => JSON.parse((payload as Buffer).toString()));
  }

  /** Creates a user and returns its actor. Default permission: ADMIN. */
  async actor(...permissions: Permission[]): Promise<Actor> {
    const userId = newUuid();
    await this.rows('INSERT INTO users (id) VALUES ($1)', userId);
    const credential = {
      kind: 'api_key',
      id: newUuid(),
      permissions: permissions.length > 0 ? permissions : (['ADMIN'] as const),
    } as const;
    return { userId, credential };
  }

  /** Links a public key, which has every permission, and returns its actor. @param userId default: a new user */
  async keyPairActor(userId?: string): Promise<Actor> {
    const owner = userId ?? (await this.actor()).userId;
    const id = newUuid();
    const pubkey = `02${id.replaceAll('-', '').repeat(2)}`;
    await this.rows('INSERT INTO public_keys (id, user_id, pubkey) VALUES ($1, $2, $3)', id, owner, pubkey);
    return { userId: owner, credential: { kind: 'public_key', id, permissions: ['ADMIN'] } };
  }

  /**
   * Creates an exchange account.
   *
   * @param free the free amounts by asset, as if just read; null if the balances were never read
   */
  async account(
    actor: Actor,
    free: Readonly<Record<string, string>> | null = { USDT: '100000', BTC: '10' },
    more: {
      readonly isActive?: boolean;
      readonly exchange?: string;
      readonly sealed?: string;
      readonly tradingType?: TradingType;
    } = {},
  ): Promise<RecordIds> {
    const uuid = newUuid();
    const balances = Object.fromEntries(
      Object.entries(free ?? {}).map(([asset, amount]) => [asset, { free: amount, locked: '0' }]),
    );
    await this.rows(
      `INSERT INTO exchange_accounts (id, user_id, exchange, account_name, trading_type, is_active, can_withdraw,
         credentials_sealed, balances, balances_taken_at, sync_requested_at, sync_served_at, venue_balances_at,
         venue_balances)
       SELECT $1, $2, $3, 'mine', $8, $4, false, $5, $6, at, coalesce(at, clock_timestamp()), at, date_trunc('milliseconds', at),
         coalesce((SELECT jsonb_object_agg(asset, amounts || jsonb_build_object('source', 'SNAPSHOT', 'received', 0,
           'at', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
           FROM jsonb_each($6) AS stored (asset, amounts)), '{}')
       FROM (SELECT CASE WHEN $7 THEN clock_timestamp() END AS at) AS taken`,
      uuid,
      actor.userId,
      more.exchange ?? 'paper',
      more.isActive ?? true,
      more.sealed ?? 'sealed',
      JSON.stringify(balances),
      free !== null,
      more.tradingType ?? 'spot',
    );
    return { uuid, id: encodeId('exa', uuid) };
  }

  /** Creates the perpetual `BTC/USDT:USDT`, last traded at 100, without a fee. @param columns as for `pair` */
  perpetualPair(columns: Readonly<Record<string, unknown>> = {}): Promise<RecordIds> {
    return this.pair({
      trading_type: 'perpetual',
      taker_fee: '0',
      last_price: '100',
      order_types: ['LIMIT', 'MARKET'],
      time_in_forces: ['GTC', 'IOC'],
      ...columns,
    });
  }

  /** Stores the leverage of an account in a perpetual, as if the worker had read it. */
  async setLeverage(account: RecordIds, pair: RecordIds, leverage: string): Promise<void> {
    await this.rows(
      `INSERT INTO positions (id, user_id, exchange_account_id, trade_pair_id, symbol, leverage, margin_mode)
       SELECT $1, a.user_id, a.id, p.id, p.symbol, $4, 'CROSS' FROM exchange_accounts a, trade_pairs p
       WHERE a.id = $2 AND p.id = $3`,
      newUuid(),
      account.uuid,
      pair.uuid,
      leverage,
    );
  }

  /** Creates a pair, by default `BTC/USDT` with steps of 0.01. @param columns column values that override the defaults */
  async pair(columns: Readonly<Record<string, unknown>> = {}): Promise<RecordIds> {
    const uuid = newUuid();
    const base = String(columns.base ?? 'BTC');
    const quote = String(columns.quote ?? 'USDT');
    const isPerpetual = columns.trading_type === 'perpetual';
    const values = {
      id: uuid,
      exchange: 'paper',
      symbol: isPerpetual ? `${base}/${quote}:${quote}` : `${base}/${quote}`,
      ...(isPerpetual && { settle: quote }),
      base,
      quote,
      trading_type: 'spot',
      price_tick: '0.01',
      amount_step: '0.01',
      min_amount: '0.01',
      min_notional: '1',
      is_active: true,
      rules_updated_at: new Date(),
      ...columns,
    };
    const names = Object.keys(values);
    const placeholders = names.map((_, index) => `$${index + 1}`);
    await this.rows(
      `INSERT INTO trade_pairs (${names.join(', ')}) VALUES (${placeholders.join(', ')})`,
      ...Object.values(values),
    );
    return { uuid, id: encodeId('tpr', uuid) };
  }

  /** Claims the submission of a trade as its account's owner. Returns the order; null if it must not be sent. */
  async beginSubmission(tradeId: string, venueClientOrderId: string): Promise<OrderRequest | null> {
    const [owner] = await this.rows(
      `INSERT INTO account_owners AS o (account_id, worker, fence)
       SELECT exchange_account_id, 'worker of the test', 1 FROM trades WHERE id = $1
       ON CONFLICT (account_id) DO UPDATE SET fence = o.fence
       RETURNING account_id, worker, fence`,
      tradeId,
    );
    if (owner === undefined) return null;
    const ownership = {
      accountId: String(owner.account_id),
      worker: String(owner.worker),
      fence: String(owner.fence),
    };
    const execution = new TradeExecution(this.platform);
    const [submission] = await execution.claimSubmissions(ownership, [{ id: tradeId, venueClientOrderId }]);
    return submission?.order ?? null;
  }

  /** Returns an idempotency context that renders the outcome as JSON. */
  idempotencyContext(userId: string, key: string, route = 'POST /test'): IdempotencyContext {
    return {
      request: { userId, route, key, fingerprint: keyOf(`${route} ${key}`) },
      serialize: (outcome) =>
        'value' in outcome
          ? { status: 201, body: Buffer.from(JSON.stringify(outcome.value)) }
          : { status: 409, body: Buffer.from(JSON.stringify({ code: outcome.error.code })) },
    };
  }
}

function connect(databaseUrl: string): Promise<Platform> {
  return openPlatform({
    world: 'test',
    databaseUrl,
    applicationName: 'core-spec',
    poolSize: 20,
    onListenerError: () => undefined,
  });
}
