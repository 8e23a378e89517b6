/**
 * Two users run operations concurrently, in random order: no deadlocks, no internal errors, and all invariants hold.
 * The operations are drawn from a seed. Their interleaving depends on Postgres, and no expectation depends on it.
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
import { CopiersService, FollowedStrategiesService } from '../src/copiers/index.js';
import { EmergencyStopService } from '../src/emergency-stop/index.js';
import {
  AccountSyncService,
  CredentialsSealer,
  ExchangeAccountsService,
  serveWorkerCall,
} from '../src/exchange-accounts/index.js';
import { Ledger } from '../src/ledger/index.js';
import { type Actor, ResponseReplayed } from '../src/operations/index.js';
import { RewardAccrual, RewardsService } from '../src/rewards/index.js';
import { generateSealingKeyPair, Sealer } from '../src/sealing/index.js';
import { StrategiesService } from '../src/strategies/index.js';
import { CoreUnderTest, type RecordIds } from '../src/testing/index.js';
import { TradeExecution, TradesService } from '../src/trades/index.js';
import { WebhookSecrets, WebhooksService } from '../src/webhooks/index.js';
import { WithdrawalsService } from '../src/withdrawals/index.js';

const SEEDS = [1, 2, 3];
const CONCURRENCY = 10;
const STEPS = 40;
const CAPACITY = 3;
/** The free balance of an account before any trade: enough for five trades. */
const FREE = 500;
const ADDRESS = `0x${createHash('sha256').update('wallet').digest('hex').slice(0, 40)}`;

let core: CoreUnderTest;
let worker: { stop(): Promise<void> };
let execution: TradeExecution;
let does: Awaited<ReturnType<typeof useCasesOf>>;
let pair: RecordIds;
/** Statements that Postgres aborted in a deadlock. */
const deadlocked: string[] = [];

beforeAll(async () => {
  core = await CoreUnderTest.open();
  noteDeadlocks();
  execution = new TradeExecution(core.platform);
  does = await useCasesOf();
  await new RewardAccrual(core.platform, new Ledger(core.platform), { amounts: {} }).publishRewardTypes();
  pair = await core.pair();
  worker = serveWorkerCall(
    await core.openSecondPlatform(),
    'trade.cancel',
    async ({ trade_id }) => {
      if ((await execution.requestCancellation(trade_id)) !== 'done')
        await reportOrder(trade_id, 'CANCELLED');
      return null;
    },
    () => undefined,
  );
});
afterAll(async () => {
  await worker.stop();
  await core.close();
});

/** Records deadlocks, because the code that meets one retries it silently. */
function noteDeadlocks(): void {
  const { database } = core.platform;
  const create = database.createQueryRunner.bind(database);
  database.createQueryRunner = (mode) => {
    const runner = create(mode);
    const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
    const noted = async (...args: unknown[]) => {
      try {
        return await query(...args);
      } catch (error) {
        if (sqlStateOf(error) === '40P01') deadlocked.push(String(args[0]));
        throw error;
      }
    };
    return Object.assign(runner, { query: noted });
  };
}

async function useCasesOf() {
  const { platform, lists, commands } = core;
  const ledger = new Ledger(platform);
  const parts = { platform, lists, commands, ledger };
  const sealer = await Sealer.for(await generateSealingKeyPair());
  return {
    accounts: new ExchangeAccountsService({ ...parts, credentialsSealer: new CredentialsSealer(sealer) }),
    copiers: new CopiersService(platform, lists, commands),
    followed: new FollowedStrategiesService(commands),
    keys: new ApiKeysService(platform, lists, commands),
    rewards: new RewardsService(parts),
    stop: new EmergencyStopService(platform, commands),
    strategies: new StrategiesService(platform, lists, commands),
    trades: new TradesService(parts),
    upkeep: new AccountSyncService(platform),
    webhooks: new WebhooksService(platform, lists, commands, new WebhookSecrets(sealer, false)),
    withdrawals: new WithdrawalsService({ ...parts, fee: '0.5' }),
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
  const none = { strategies: [], copiers: [], trades: [], withdrawals: [], webhooks: [], keys: [] };
  return { ...structuredClone(none), actor, accounts, rewards };
}

const fundedAccount = (actor: Actor) => core.account(actor, { USDT: String(FREE) });

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

type Step = (me: TestUser, other: TestUser, draw: Draw) => Promise<unknown>;

const pick = <T>(items: readonly T[], draw: Draw): T | undefined => items[draw(Math.max(1, items.length))];
const UNKNOWN = (prefix: Parameters<typeof encodeId>[0]) => encodeId(prefix, newUuid());
const accountOf = ({ accounts }: TestUser, draw: Draw) => accounts[draw(accounts.length)]!;
const strategyOf = (me: TestUser, other: TestUser, draw: Draw) =>
  pick(draw(3) === 0 ? other.strategies : me.strategies, draw) ?? UNKNOWN('str');
const ownStrategy = ({ strategies }: TestUser, draw: Draw) => pick(strategies, draw) ?? UNKNOWN('str');
const ownCopier = ({ copiers }: TestUser, draw: Draw) => pick(copiers, draw) ?? UNKNOWN('cpr');
const drop = async (ids: string[], id: string, removed: Promise<unknown>) => {
  await removed;
  ids.splice(ids.indexOf(id), 1);
};
const keep = async (ids: string[], made: Promise<{ readonly id: string }>) => void ids.push((await made).id);

const STRATEGY_STEPS: Record<string, Step> = {
  create: (me, _, draw) =>
    keep(
      me.strategies,
      does.strategies.create(
        me.actor,
        strategyCreate.parse({
          name: 's',
          exchange_account_id: accountOf(me, draw).id,
          visibility: 'PUBLIC',
          capacity: CAPACITY,
        }),
      ),
    ),
  archive: (me, _, draw) =>
    does.followed.update(me.actor, ownStrategy(me, draw), strategyUpdate.parse({ status: 'ARCHIVED' })),
  activate: (me, _, draw) =>
    does.followed.update(
      me.actor,
      ownStrategy(me, draw),
      strategyUpdate.parse({ status: 'ACTIVE', name: 't' }),
    ),
  remove: (me, _, draw) => {
    const id = ownStrategy(me, draw);
    const input = strategyDelete.parse({ stop_copiers: draw(2) === 0 });
    return drop(me.strategies, id, does.followed.delete(me.actor, id, input));
  },
  link: (me, other, draw) =>
    does.followed.linkCopiers(me.actor, strategyOf(me, other, draw), {
      copier_ids: [ownCopier(me, draw), ownCopier(me, draw)],
    }),
};

const COPIER_STEPS: Record<string, Step> = {
  create: (me, other, draw) =>
    keep(
      me.copiers,
      does.copiers.create(
        me.actor,
        copierCreate.parse({
          name: 'c',
          exchange_account_id: accountOf(me, draw).id,
          sizing: { mode: 'MULTIPLIER', value: '1' },
          ...(draw(4) === 0 ? {} : { strategy_id: strategyOf(me, other, draw) }),
        }),
      ),
    ),
  start: (me, _, draw) => does.copiers.start(me.actor, ownCopier(me, draw)),
  stop: (me, _, draw) =>
    does.copiers.stop(
      me.actor,
      ownCopier(me, draw),
      copierStop.parse({ mode: draw(2) === 0 ? 'PAUSED' : 'CLOSE_ONLY' }),
    ),
  change: (me, other, draw) =>
    does.copiers.update(
      me.actor,
      ownCopier(me, draw),
      copierUpdate.parse({
        name: 'd',
        ...(draw(2) === 0 ? { strategy_id: strategyOf(me, other, draw) } : {}),
      }),
    ),
  remove: (me, _, draw) => {
    const id = ownCopier(me, draw);
    return drop(me.copiers, id, does.copiers.delete(me.actor, id));
  },
};

const ACCOUNT_STEPS: Record<string, Step> = {
  rename: (me, _, draw) =>
    does.accounts.update(
      me.actor,
      accountOf(me, draw).id,
      exchangeAccountUpdate.parse({ account_name: 'n' }),
    ),
  sync: (me, _, draw) => does.accounts.sync(me.actor, accountOf(me, draw).id),
  look: (me, _, draw) => does.upkeep.recordSyncFailure(accountOf(me, draw).uuid, null),
  replace: async (me, _, draw) => {
    const account = accountOf(me, draw);
    await does.accounts.delete(me.actor, account.id);
    me.accounts.splice(me.accounts.indexOf(account), 1, await fundedAccount(me.actor));
  },
  stopAll: (me) => does.stop.run(me.actor),
};

const place: Step = (me, _, draw) =>
  keep(
    me.trades,
    does.trades.create(
      me.actor,
      tradeCreate.parse({
        exchange_account_id: accountOf(me, draw).id,
        trade_pair_id: pair.id,
        type: 'LIMIT',
        side: 'BUY',
        price: '100',
        amount: '1',
        ...(draw(2) === 0 ? { strategy_id: ownStrategy(me, draw) } : {}),
      }),
    ),
  );

const TRADE_STEPS: Record<string, Step> = {
  place,
  placeAgain: place,
  cancel: (me, _, draw) => does.trades.cancel(me.actor, pick(me.trades, draw) ?? UNKNOWN('trd')),
  open: async () => {
    const [trade] = await core.rows(
      "SELECT id FROM trades WHERE status = 'PENDING' AND submitted_at IS NULL ORDER BY id LIMIT 1",
    );
    if (trade !== undefined) await reportOrder(String(trade.id), 'OPEN');
  },
};

/** Few keys and many runs: the same request repeats, even concurrently. */
const withKey = ({ actor }: TestUser, name: string, draw: Draw) => {
  const key = `${name}-${draw(6)}`;
  return { key, actor: { ...actor, idempotency: core.idempotencyContext(actor.userId, key, name) } };
};

const MONEY_STEPS: Record<string, Step> = {
  claim: (me, _, draw) => does.rewards.claim(me.actor, pick(me.rewards, draw) ?? UNKNOWN('rwd')),
  withdraw: (me) =>
    keep(
      me.withdrawals,
      does.withdrawals.create(me.actor, withdrawalCreate.parse({ amount: '7', wallet_address: ADDRESS })),
    ),
  withdrawOnce: async (me, _, draw) => {
    const { key, actor } = withKey(me, 'withdraw', draw);
    const amount = `1.0${key.slice(-1)}`;
    const input = withdrawalCreate.parse({ amount, wallet_address: ADDRESS });
    await keep(me.withdrawals, does.withdrawals.create(actor, input));
  },
  takeBack: (me, _, draw) => does.withdrawals.cancel(me.actor, pick(me.withdrawals, draw) ?? UNKNOWN('wdr')),
};

const OTHER_STEPS: Record<string, Step> = {
  hook: (me) =>
    keep(
      me.webhooks,
      does.webhooks.create(me.actor, webhookCreate.parse({ url: 'https://example.com/hook', events: ['*'] })),
    ),
  unhook: (me, _, draw) =>
    does.webhooks.update(
      me.actor,
      pick(me.webhooks, draw) ?? UNKNOWN('whk'),
      webhookUpdate.parse({ is_active: draw(2) === 0 }),
    ),
  dropHook: (me, _, draw) => does.webhooks.delete(me.actor, pick(me.webhooks, draw) ?? UNKNOWN('whk')),
  key: (me) =>
    keep(me.keys, does.keys.create(me.actor, apiKeyCreate.parse({ name: 'k', permissions: ['ADMIN'] }))),
  rotate: (me, _, draw) => does.keys.rotate(me.actor, pick(me.keys, draw) ?? UNKNOWN('key')),
  revoke: (me, _, draw) => does.keys.revoke(me.actor, pick(me.keys, draw) ?? UNKNOWN('key')),
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

/** Creates records to start, stop and delete. */
async function prepareRecords(people: readonly [TestUser, TestUser], draw: Draw): Promise<void> {
  const [one, two] = people;
  for (const step of [STRATEGY_STEPS.create!, COPIER_STEPS.create!, COPIER_STEPS.start!]) {
    for (let count = 0; count < 6; count++) {
      await step(one, two, draw).catch(() => undefined);
      await step(two, one, draw).catch(() => undefined);
    }
  }
}

async function runSteps(people: readonly [TestUser, TestUser], draw: Draw): Promise<unknown[]> {
  const faults: unknown[] = [];
  for (let step = 0; step < STEPS; step++) {
    const [me, other] = draw(2) === 0 ? people : ([people[1], people[0]] as const);
    const act = ALL_STEPS[draw(ALL_STEPS.length)]!;
    await act(me, other, draw).catch((error: unknown) => {
      if (!isExpectedError(error)) faults.push(error);
    });
  }
  return faults;
}

/** Queries that must return no rows, by the meaning of such a row. */
const NEVER: Readonly<Record<string, string>> = {
  'a copier runs on a deleted account': `SELECT c.id FROM copiers c JOIN exchange_accounts a
     ON a.id = c.exchange_account_id WHERE c.status <> 'PAUSED' AND a.deleted_at IS NOT NULL`,
  'a copier enters for an archived or deleted strategy': `SELECT c.id FROM copiers c
     JOIN strategies s ON s.id = c.strategy_id WHERE c.status = 'ACTIVE' AND s.status <> 'ACTIVE'`,
  'a copier follows a deleted strategy': `SELECT c.id FROM copiers c
     JOIN strategies s ON s.id = c.strategy_id WHERE c.status <> 'PAUSED' AND s.deleted_at IS NOT NULL`,
  'a copier copies its own account': `SELECT c.id FROM copiers c
     JOIN strategies s ON s.id = c.strategy_id WHERE c.exchange_account_id = s.exchange_account_id`,
  'a deleted copier runs': "SELECT id FROM copiers WHERE deleted_at IS NOT NULL AND status <> 'PAUSED'",
  'a strategy exceeds its capacity of copiers': `SELECT strategy_id FROM copiers WHERE deleted_at IS NULL
     GROUP BY strategy_id HAVING strategy_id IS NOT NULL AND count(*) > ${CAPACITY}`,
  'a strategy is active on a deleted account': `SELECT s.id FROM strategies s JOIN exchange_accounts a
     ON a.id = s.exchange_account_id WHERE s.status = 'ACTIVE' AND a.deleted_at IS NOT NULL`,
  'a trade is open on a deleted account': `SELECT t.id FROM trades t JOIN exchange_accounts a
     ON a.id = t.exchange_account_id WHERE t.status IN ('PENDING', 'PARTIALLY_FILLED') AND a.deleted_at IS NOT NULL`,
  'the open trades of an account exceed its balance': `SELECT exchange_account_id FROM trades
     WHERE status IN ('PENDING', 'PARTIALLY_FILLED') GROUP BY 1 HAVING sum(reserved_amount) > ${FREE}`,
  'a balance differs from its postings': `SELECT a.id FROM ledger_accounts a WHERE a.user_id IS NOT NULL
     AND a.balance <> (SELECT coalesce(sum(p.amount), 0) FROM ledger_postings p WHERE p.account_id = a.id)`,
  'the postings do not sum to zero': 'SELECT 1 FROM ledger_postings HAVING sum(amount) <> 0',
  'a held balance differs from the pending withdrawals': `SELECT a.id FROM ledger_accounts a WHERE a.kind = 'held'
     AND a.balance <> (SELECT coalesce(sum(w.amount), 0) FROM withdrawals w
                       WHERE w.user_id = a.user_id AND w.status = 'PENDING')`,
  'the balances of a user differ from the claimed rewards': `SELECT a.user_id FROM ledger_accounts a WHERE a.user_id IS NOT NULL
     GROUP BY a.user_id HAVING sum(a.balance) <> (SELECT coalesce(sum(r.amount), 0) FROM rewards r
                                                  WHERE r.user_id = a.user_id AND r.claimed_at IS NOT NULL)`,
  'a request with a key had its effect twice': `SELECT amount FROM withdrawals WHERE amount < 2
     GROUP BY user_id, amount HAVING count(*) > 1`,
};

describe('two users with concurrent operations', () => {
  it.each(SEEDS)(
    'cause no deadlock, no internal error and no invalid state: seed %i',
    async (seed) => {
      const people = [await createTestUser(), await createTestUser()] as const;
      await prepareRecords(people, drawFrom(String(seed)));
      const runs = Array.from({ length: CONCURRENCY }, (_, at) =>
        runSteps(people, drawFrom(`${seed} ${at}`)),
      );
      const faults = (await Promise.all(runs)).flat();
      expect(faults).toEqual([]);
      expect(deadlocked).toEqual([]);
      for (const [meaning, rows] of Object.entries(NEVER))
        expect({ meaning, rows: await core.rows(rows) }).toEqual({ meaning, rows: [] });
    },
    120_000,
  );
});
