/**
 * Tests that two users can run random operations concurrently: no deadlock or internal error occurs, and all invariants
 * hold. A seed determines the operations. Their interleaving is up to Postgres, and no expectation depends on it.
 */
import { createHash } from 'node:crypto';
import {
  apiKeyCreate,
  copierCreate,
  copierStop,
  copierUpdate,
  DomainError,
  ERRORS,
  encodeId,
  exchangeAccountUpdate,
  strategyCreate,
  strategyDelete,
  strategyUpdate,
  tradeCreate,
  webhookCreate,
  webhookUpdate,
  withdrawalCreate,
} from '@trading-automation/contracts';
import { newUuid, sqlStateOf } from '@trading-automation/persistence';
import { ApiKeysService } from '../src/access/index.js';
import { CopiersService, StrategyChangesService } from '../src/copiers/index.js';
import { EmergencyStopService } from '../src/emergency-stop/index.js';
import {
  AccountSyncService,
  CredentialsSealer,
  ExchangeAccountsService,
  serveWorkerCalls,
} from '../src/exchange-accounts/index.js';
import { Ledger } from '../src/ledger/index.js';
import { type Actor, ResponseReplayed } from '../src/operations/index.js';
import { RewardAccrual, RewardsService } from '../src/rewards/index.js';
import { generateSealingKeyPair, Sealer } from '../src/sealing/index.js';
import { StrategiesService } from '../src/strategies/index.js';
import { CoreUnderTest, OPEN_WITHDRAWAL_POLICY, type RecordIds } from '../src/testing/index.js';
import { TradeExecution, TradesService } from '../src/trades/index.js';
import { WebhookSecrets, WebhooksService } from '../src/webhooks/index.js';
import { WithdrawalsService } from '../src/withdrawals/index.js';

const SEEDS = [1, 2, 3];
/** The number of concurrent sequences of operations. */
const CONCURRENCY = 10;
/** The number of operations in each sequence. */
const STEP_COUNT = 40;
/** The maximum number of copiers of a strategy. */
const COPIERS_MAX = 3;
/** The free balance of an account in USDT before any trade: enough for five trades. */
const FREE_BALANCE = 500;
const ADDRESS = `0x${createHash('sha256').update('wallet').digest('hex').slice(0, 40)}`;

let core: CoreUnderTest;
let worker: { stop(): Promise<void> };
let execution: TradeExecution;
let services: Awaited<ReturnType<typeof createServices>>;
let pair: RecordIds;
/** Statements that Postgres aborted in a deadlock. */
const deadlocked: string[] = [];

beforeAll(async () => {
  core = await CoreUnderTest.open();
  recordDeadlocks();
  execution = new TradeExecution(core.platform);
  services = await createServices();
  await new RewardAccrual(core.platform, new Ledger(core.platform), { amounts: {} }).publishRewardTypes();
  pair = await core.pair();
  worker = serveWorkerCalls(
    await core.openSecondPlatform(),
    {
      'trade.cancel': async ({ trade_id }) => {
        if ((await execution.requestCancellation(trade_id)) !== 'done')
          await reportOrder(trade_id, 'CANCELLED');
        return null;
      },
    },
    () => undefined,
  );
});
afterAll(async () => {
  await worker.stop();
  await core.close();
});

/** Records deadlocks, because the code under test retries them silently. */
function recordDeadlocks(): void {
  const { database } = core.platform;
  const create = database.createQueryRunner.bind(database);
  database.createQueryRunner = (mode) => {
    const runner = create(mode);
    const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
    const recordingQuery = async (...args: unknown[]) => {
      try {
        return await query(...args);
      } catch (error) {
        if (sqlStateOf(error) === '40P01') deadlocked.push(String(args[0]));
        throw error;
      }
    };
    return Object.assign(runner, { query: recordingQuery });
  };
}

async function createServices() {
  const { platform, lists, commands } = core;
  const ledger = new Ledger(platform);
  const dependencies = { platform, lists, commands, ledger };
  const sealer = await Sealer.for(await generateSealingKeyPair());
  return {
    accounts: new ExchangeAccountsService({
      ...dependencies,
      credentialsSealer: new CredentialsSealer(sealer),
    }),
    copiers: new CopiersService(platform, lists, commands),
    strategyChanges: new StrategyChangesService(commands),
    keys: new ApiKeysService(platform, lists, commands),
    rewards: new RewardsService(dependencies),
    stop: new EmergencyStopService(platform, commands),
    strategies: new StrategiesService(platform, lists, commands),
    trades: new TradesService(dependencies),
    accountSync: new AccountSyncService(platform),
    webhooks: new WebhooksService(platform, lists, commands, new WebhookSecrets(sealer, false)),
    withdrawals: new WithdrawalsService({ ...dependencies, fee: '0.5', policy: OPEN_WITHDRAWAL_POLICY }),
  };
}

/** A user and their records, by public id. */
interface TestUser {
  readonly actor: Actor;
  readonly accounts: RecordIds[];
  readonly strategies: string[];
  readonly copiers: string[];
  readonly trades: string[];
  readonly rewards: string[];
  readonly withdrawals: string[];
  readonly webhooks: string[];
  readonly keys: string[];
}

async function createTestUser(): Promise<TestUser> {
  const actor = await core.actor();
  const accounts = await Promise.all(Array.from({ length: 4 }, () => fundedAccount(actor)));
  const rewards = await Promise.all(Array.from({ length: 5 }, () => grant(actor)));
  const noRecords = { strategies: [], copiers: [], trades: [], withdrawals: [], webhooks: [], keys: [] };
  return { ...structuredClone(noRecords), actor, accounts, rewards };
}

const fundedAccount = (actor: Actor) => core.account(actor, { USDT: String(FREE_BALANCE) });

async function grant({ userId }: Actor): Promise<string> {
  const id = newUuid();
  await core.rows(
    `INSERT INTO rewards (id, user_id, type_id, amount, currency, reason, source_kind, source_id, event_id, claimable_at)
     SELECT $1, $2, id, 10, 'SVC-TEST', 'r', 'trade', $1, $1, now() FROM reward_types WHERE code = 'SIGN_UP'`,
    id,
    userId,
  );
  return encodeId('rwd', id);
}

/** Stores the exchange's report of an order that was sent. */
async function reportOrder(uuid: string, status: 'OPEN' | 'CANCELLED'): Promise<void> {
  const venueClientOrderId = `venue-${uuid}`;
  await core.beginSubmission(uuid, venueClientOrderId);
  const order = { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', createdAt: new Date() } as const;
  const report = { ...order, symbol: 'BTC/USDT', amount: '1', filledAmount: '0', updatedAt: new Date() };
  await execution.storeOrder(
    uuid,
    { ...report, exchangeOrderId: `order-${uuid}`, venueClientOrderId, status },
    [],
  );
}

/** Random numbers below `bound`, reproducible from the seed. */
type Draw = (bound: number) => number;

function drawFrom(seed: string): Draw {
  let count = 0;
  return (bound) => createHash('sha256').update(`${seed} ${count++}`).digest().readUInt32BE() % bound;
}

type Step = (user: TestUser, other: TestUser, draw: Draw) => Promise<unknown>;

const pick = <T>(items: readonly T[], draw: Draw): T | undefined => items[draw(Math.max(1, items.length))];
const unknownId = (prefix: Parameters<typeof encodeId>[0]) => encodeId(prefix, newUuid());
const accountOf = ({ accounts }: TestUser, draw: Draw) => accounts[draw(accounts.length)]!;
const strategyOf = (user: TestUser, other: TestUser, draw: Draw) =>
  pick(draw(3) === 0 ? other.strategies : user.strategies, draw) ?? unknownId('str');
const ownStrategy = ({ strategies }: TestUser, draw: Draw) => pick(strategies, draw) ?? unknownId('str');
const ownCopier = ({ copiers }: TestUser, draw: Draw) => pick(copiers, draw) ?? unknownId('cpr');
const removeAfter = async (ids: string[], id: string, removed: Promise<unknown>) => {
  await removed;
  ids.splice(ids.indexOf(id), 1);
};
const addAfter = async (ids: string[], created: Promise<{ readonly id: string }>) =>
  void ids.push((await created).id);

const STRATEGY_STEPS: Record<string, Step> = {
  create: (user, _, draw) =>
    addAfter(
      user.strategies,
      services.strategies.create(
        user.actor,
        strategyCreate.parse({
          name: 's',
          exchange_account_id: accountOf(user, draw).id,
          visibility: 'PUBLIC',
          capacity: COPIERS_MAX,
        }),
      ),
    ),
  archive: (user, _, draw) =>
    services.strategyChanges.update(
      user.actor,
      ownStrategy(user, draw),
      strategyUpdate.parse({ status: 'ARCHIVED' }),
    ),
  activate: (user, _, draw) =>
    services.strategyChanges.update(
      user.actor,
      ownStrategy(user, draw),
      strategyUpdate.parse({ status: 'ACTIVE', name: 't' }),
    ),
  remove: (user, _, draw) => {
    const id = ownStrategy(user, draw);
    const input = strategyDelete.parse({ stop_copiers: draw(2) === 0 });
    return removeAfter(user.strategies, id, services.strategyChanges.delete(user.actor, id, input));
  },
  link: (user, other, draw) =>
    services.strategyChanges.linkCopiers(user.actor, strategyOf(user, other, draw), {
      copier_ids: [ownCopier(user, draw), ownCopier(user, draw)],
    }),
};

const COPIER_STEPS: Record<string, Step> = {
  create: (user, other, draw) =>
    addAfter(
      user.copiers,
      services.copiers.create(
        user.actor,
        copierCreate.parse({
          name: 'c',
          exchange_account_id: accountOf(user, draw).id,
          sizing: { mode: 'MULTIPLIER', value: '1' },
          ...(draw(4) === 0 ? {} : { strategy_id: strategyOf(user, other, draw) }),
        }),
      ),
    ),
  start: (user, _, draw) => services.copiers.start(user.actor, ownCopier(user, draw)),
  stop: (user, _, draw) =>
    services.copiers.stop(
      user.actor,
      ownCopier(user, draw),
      copierStop.parse({ mode: draw(2) === 0 ? 'PAUSED' : 'CLOSE_ONLY' }),
    ),
  change: (user, other, draw) =>
    services.copiers.update(
      user.actor,
      ownCopier(user, draw),
      copierUpdate.parse({
        name: 'd',
        ...(draw(2) === 0 ? { strategy_id: strategyOf(user, other, draw) } : {}),
      }),
    ),
  remove: (user, _, draw) => {
    const id = ownCopier(user, draw);
    return removeAfter(user.copiers, id, services.copiers.delete(user.actor, id));
  },
};

const ACCOUNT_STEPS: Record<string, Step> = {
  rename: (user, _, draw) =>
    services.accounts.update(
      user.actor,
      accountOf(user, draw).id,
      exchangeAccountUpdate.parse({ account_name: 'n' }),
    ),
  sync: (user, _, draw) => services.accounts.sync(user.actor, accountOf(user, draw).id),
  failSync: (user, _, draw) => services.accountSync.recordSyncFailure(accountOf(user, draw).uuid, null),
  replace: async (user, _, draw) => {
    const account = accountOf(user, draw);
    await services.accounts.delete(user.actor, account.id);
    user.accounts.splice(user.accounts.indexOf(account), 1, await fundedAccount(user.actor));
  },
  stopAll: (user) => services.stop.run(user.actor),
};

const place: Step = (user, _, draw) =>
  addAfter(
    user.trades,
    services.trades.create(
      user.actor,
      tradeCreate.parse({
        exchange_account_id: accountOf(user, draw).id,
        trade_pair_id: pair.id,
        type: 'LIMIT',
        side: 'BUY',
        price: '100',
        amount: '1',
        ...(draw(2) === 0 ? { strategy_id: ownStrategy(user, draw) } : {}),
      }),
    ),
  );

const TRADE_STEPS: Record<string, Step> = {
  place,
  placeAgain: place,
  cancel: (user, _, draw) => services.trades.cancel(user.actor, pick(user.trades, draw) ?? unknownId('trd')),
  reportOpen: async () => {
    const [trade] = await core.rows(
      "SELECT id FROM trades WHERE status = 'PENDING' AND submitted_at IS NULL ORDER BY id LIMIT 1",
    );
    if (trade !== undefined) await reportOrder(String(trade.id), 'OPEN');
  },
};

/** Draws one of six Idempotency-Keys of the user, so that equal requests repeat, also concurrently. */
const withKey = ({ actor }: TestUser, name: string, draw: Draw) => {
  const key = `${name}-${draw(6)}`;
  return { key, actor: { ...actor, idempotency: core.idempotencyContext(actor.userId, key, name) } };
};

const MONEY_STEPS: Record<string, Step> = {
  claim: (user, _, draw) => services.rewards.claim(user.actor, pick(user.rewards, draw) ?? unknownId('rwd')),
  withdraw: (user) =>
    addAfter(
      user.withdrawals,
      services.withdrawals.create(
        user.actor,
        withdrawalCreate.parse({ amount: '7', wallet_address: ADDRESS }),
      ),
    ),
  withdrawWithKey: async (user, _, draw) => {
    const { key, actor } = withKey(user, 'withdraw', draw);
    // Each key has its own amount below 2, so that FORBIDDEN_STATES detects a request that took effect twice.
    const amount = `1.0${key.slice(-1)}`;
    const input = withdrawalCreate.parse({ amount, wallet_address: ADDRESS });
    await addAfter(user.withdrawals, services.withdrawals.create(actor, input));
  },
  cancelWithdrawal: (user, _, draw) =>
    services.withdrawals.cancel(user.actor, pick(user.withdrawals, draw) ?? unknownId('wdr')),
};

const OTHER_STEPS: Record<string, Step> = {
  createWebhook: (user) =>
    addAfter(
      user.webhooks,
      services.webhooks.create(
        user.actor,
        webhookCreate.parse({ url: 'https://example.com/hook', events: ['*'] }),
      ),
    ),
  toggleWebhook: (user, _, draw) =>
    services.webhooks.update(
      user.actor,
      pick(user.webhooks, draw) ?? unknownId('whk'),
      webhookUpdate.parse({ is_active: draw(2) === 0 }),
    ),
  deleteWebhook: (user, _, draw) =>
    services.webhooks.delete(user.actor, pick(user.webhooks, draw) ?? unknownId('whk')),
  createKey: (user) =>
    addAfter(
      user.keys,
      services.keys.create(user.actor, apiKeyCreate.parse({ name: 'k', permissions: ['ADMIN'] })),
    ),
  rotateKey: (user, _, draw) => services.keys.rotate(user.actor, pick(user.keys, draw) ?? unknownId('key')),
  revokeKey: (user, _, draw) => services.keys.revoke(user.actor, pick(user.keys, draw) ?? unknownId('key')),
};

const ALL_STEPS = [
  // Steps that other steps depend on are more frequent.
  ...[STRATEGY_STEPS.create!, STRATEGY_STEPS.activate!],
  ...[COPIER_STEPS.create!, COPIER_STEPS.create!, COPIER_STEPS.start!, COPIER_STEPS.start!],
  ...[STRATEGY_STEPS, COPIER_STEPS, ACCOUNT_STEPS, TRADE_STEPS, MONEY_STEPS, OTHER_STEPS].flatMap((steps) =>
    Object.values(steps),
  ),
];

/** Domain errors below 500 and replayed responses are expected; any other error is a failure. */
function isExpectedError(error: unknown): boolean {
  if (error instanceof ResponseReplayed) return true;
  return error instanceof DomainError && ERRORS[error.code].status < 500;
}

/** Creates strategies and copiers for the steps that start, stop and delete them. */
async function prepareRecords(users: readonly [TestUser, TestUser], draw: Draw): Promise<void> {
  const [one, two] = users;
  for (const step of [STRATEGY_STEPS.create!, COPIER_STEPS.create!, COPIER_STEPS.start!]) {
    for (let count = 0; count < 6; count++) {
      await step(one, two, draw).catch(() => undefined);
      await step(two, one, draw).catch(() => undefined);
    }
  }
}

async function runSteps(users: readonly [TestUser, TestUser], draw: Draw): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (let step = 0; step < STEP_COUNT; step++) {
    const [user, other] = draw(2) === 0 ? users : ([users[1], users[0]] as const);
    const act = ALL_STEPS[draw(ALL_STEPS.length)]!;
    await act(user, other, draw).catch((error: unknown) => {
      if (!isExpectedError(error)) failures.push(error);
    });
  }
  return failures;
}

/** Queries that must return no rows. Each name is the invalid state that a row would prove. */
const FORBIDDEN_STATES: Readonly<Record<string, string>> = {
  'a copier runs on a deleted account': `SELECT c.id FROM copiers c JOIN exchange_accounts a
     ON a.id = c.exchange_account_id WHERE c.status <> 'PAUSED' AND a.deleted_at IS NOT NULL`,
  'an active copier follows an archived or deleted strategy': `SELECT c.id FROM copiers c
     JOIN strategies s ON s.id = c.strategy_id WHERE c.status = 'ACTIVE' AND s.status <> 'ACTIVE'`,
  'a copier follows a deleted strategy': `SELECT c.id FROM copiers c
     JOIN strategies s ON s.id = c.strategy_id WHERE c.status <> 'PAUSED' AND s.deleted_at IS NOT NULL`,
  'a copier copies its own account': `SELECT c.id FROM copiers c
     JOIN strategies s ON s.id = c.strategy_id WHERE c.exchange_account_id = s.exchange_account_id`,
  'a deleted copier runs': "SELECT id FROM copiers WHERE deleted_at IS NOT NULL AND status <> 'PAUSED'",
  'a strategy exceeds its capacity of copiers': `SELECT strategy_id FROM copiers WHERE deleted_at IS NULL
     GROUP BY strategy_id HAVING strategy_id IS NOT NULL AND count(*) > ${COPIERS_MAX}`,
  'a strategy is active on a deleted account': `SELECT s.id FROM strategies s JOIN exchange_accounts a
     ON a.id = s.exchange_account_id WHERE s.status = 'ACTIVE' AND a.deleted_at IS NOT NULL`,
  'a trade is open on a deleted account': `SELECT t.id FROM trades t JOIN exchange_accounts a
     ON a.id = t.exchange_account_id WHERE t.status IN ('PENDING', 'PARTIALLY_FILLED') AND a.deleted_at IS NOT NULL`,
  'the open trades of an account exceed its balance': `SELECT exchange_account_id FROM trades
     WHERE status IN ('PENDING', 'PARTIALLY_FILLED') GROUP BY 1 HAVING sum(reserved_amount) > ${FREE_BALANCE}`,
  'a balance differs from its postings': `SELECT a.id FROM ledger_accounts a WHERE a.user_id IS NOT NULL
     AND a.balance <> (SELECT coalesce(sum(p.amount), 0) FROM ledger_postings p WHERE p.account_id = a.id)`,
  'the postings do not sum to zero': 'SELECT 1 FROM ledger_postings HAVING sum(amount) <> 0',
  'a held balance differs from the pending withdrawals': `SELECT a.id FROM ledger_accounts a WHERE a.kind = 'held'
     AND a.balance <> (SELECT coalesce(sum(w.amount), 0) FROM withdrawals w
                       WHERE w.user_id = a.user_id AND w.status = 'PENDING')`,
  'the balances of a user differ from the claimed rewards': `SELECT a.user_id FROM ledger_accounts a WHERE a.user_id IS NOT NULL
     GROUP BY a.user_id HAVING sum(a.balance) <> (SELECT coalesce(sum(r.amount), 0) FROM rewards r
                                                  WHERE r.user_id = a.user_id AND r.claimed_at IS NOT NULL)`,
  'a request with an Idempotency-Key took effect twice': `SELECT amount FROM withdrawals WHERE amount < 2
     GROUP BY user_id, amount HAVING count(*) > 1`,
};

describe('two users with concurrent operations', () => {
  it.each(SEEDS)(
    'cause no deadlock, internal error or invalid state: seed %i',
    async (seed) => {
      const users = [await createTestUser(), await createTestUser()] as const;
      await prepareRecords(users, drawFrom(String(seed)));
      const runs = Array.from({ length: CONCURRENCY }, (_, at) => runSteps(users, drawFrom(`${seed} ${at}`)));
      const failures = (await Promise.all(runs)).flat();
      expect(failures).toEqual([]);
      expect(deadlocked).toEqual([]);
      for (const [state, query] of Object.entries(FORBIDDEN_STATES))
        expect({ state, rows: await core.rows(query) }).toEqual({ state, rows: [] });
    },
    120_000,
  );
});
