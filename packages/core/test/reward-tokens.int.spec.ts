/** Tests rewards, withdrawals and the ledger together: all tokens come from claimed rewards, and no token is lost. */
import { createHash } from 'node:crypto';
import { encodeId, tradeCreate, withdrawalCreate } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import fc from 'fast-check';
import { AccountSyncService } from '../src/exchange-accounts/index.js';
import { Ledger } from '../src/ledger/index.js';
import type { Actor } from '../src/operations/index.js';
import { RewardAccrual, RewardsService } from '../src/rewards/index.js';
import { CoreUnderTest, OPEN_WITHDRAWAL_POLICY, type RecordIds } from '../src/testing/index.js';
import { TradeExecution, TradesService } from '../src/trades/index.js';
import { BigDecimal } from '../src/values/index.js';
import { WithdrawalsService } from '../src/withdrawals/index.js';

let core: CoreUnderTest;
let accrual: RewardAccrual;
let rewards: RewardsService;
let withdrawals: WithdrawalsService;
let ledger: Ledger;

const ADDRESS = `0x${createHash('sha256').update('wallet').digest('hex').slice(0, 40)}`;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  const { platform, lists, commands } = core;
  ledger = new Ledger(platform);
  accrual = new RewardAccrual(platform, ledger, { amounts: {} });
  rewards = new RewardsService({ platform, lists, commands, ledger });
  withdrawals = new WithdrawalsService({
    platform,
    lists,
    commands,
    ledger,
    fee: '0.5',
    policy: OPEN_WITHDRAWAL_POLICY,
  });
  await accrual.publishRewardTypes();
});
afterAll(() => core.close());

const drain = () =>
  accrual
    .relay((error) => {
      throw error;
    })
    .drain();

/** Connects an exchange account that has an id at its exchange and was never synced. */
async function connect(actor: Actor): Promise<RecordIds> {
  const account = await core.account(actor);
  await core.rows(
    `UPDATE exchange_accounts SET venue_account_id = $2, sync_requested_at = clock_timestamp(), sync_served_at = NULL
     WHERE id = $1`,
    account.uuid,
    `venue-${newUuid()}`,
  );
  return account;
}

/** Runs the first sync of the account's balances. */
async function syncBalances({ uuid }: RecordIds): Promise<void> {
  const accountSync = new AccountSyncService(core.platform);
  await accountSync.storeBalances(
    uuid,
    { USDT: { free: '1000', locked: '0' } },
    await accountSync.databaseTime(),
  );
}

/** Creates a trade that fills immediately; returns its public id. */
async function placeFilledTrade(actor: Actor, account: RecordIds): Promise<string> {
  const { platform, lists, commands } = core;
  const pair = await core.pair({ base: createHash('sha256').update(newUuid()).digest('hex').slice(0, 10) });
  const trade = await new TradesService({ platform, lists, commands }).create(
    actor,
    tradeCreate.parse({
      exchange_account_id: account.id,
      trade_pair_id: pair.id,
      type: 'LIMIT',
      side: 'BUY',
      price: '10',
      amount: '1',
    }),
  );
  const { id } = await core.row('SELECT id FROM trades WHERE client_order_id = $1', trade.client_order_id);
  const execution = new TradeExecution(platform);
  const names = { exchangeOrderId: `order-${id}`, symbol: trade.symbol };
  await core.beginSubmission(String(id), `venue-${id}`);
  await execution.storeOrder(
    String(id),
    {
      ...names,
      venueClientOrderId: `venue-${id}`,
      status: 'FILLED',
      amount: '1',
      filledAmount: '1',
      side: 'BUY' as const,
      type: 'LIMIT' as const,
      timeInForce: 'GTC' as const,
      createdAt: new Date(),
      updatedAt: new Date(),
    },
    [
      {
        ...names,
        exchangeFillId: `fill-${id}`,
        side: 'BUY',
        price: '10',
        amount: '1',
        fee: { amount: '0', currency: 'USDT' },
        liquidity: 'TAKER',
        executedAt: new Date(),
      },
    ],
  );
  return trade.id;
}

describe('a user', () => {
  it('gets rewards for a synced account and a filled trade, and can claim and withdraw them', async () => {
    const actor = await core.actor();
    const account = await connect(actor);
    await syncBalances(account);
    const trade = await placeFilledTrade(actor, account);
    await drain();
    const granted = (await core.events(actor.userId)).filter(({ type }) => type === 'reward.granted');
    expect(granted.map(({ data }) => [data.amount, data.source])).toEqual([
      [100, { kind: 'exchange_account', id: account.id }],
      [50, { kind: 'trade', id: trade }],
    ]);
    for (const { data } of granted) await rewards.claim(actor, String(data.id));
    const { id } = await withdrawals.create(
      actor,
      withdrawalCreate.parse({ amount: 150, wallet_address: ADDRESS }),
    );
    expect(await rewards.balance(actor)).toEqual({ currency: 'SVC-TEST', available: '0', held: '150' });
    await withdrawals.cancel(actor, id);
    expect(await rewards.balance(actor)).toEqual({ currency: 'SVC-TEST', available: '150', held: '0' });
  });
});

type Step =
  | { readonly kind: 'grant'; readonly userIndex: number; readonly amount: string }
  | { readonly kind: 'claim' | 'cancel'; readonly userIndex: number; readonly recordIndex: number }
  | { readonly kind: 'withdraw'; readonly userIndex: number; readonly amount: string };

const userIndex = fc.nat(1);
/** An amount of up to 60 tokens, with up to 18 decimals. */
const amount = fc
  .bigInt(1n, 60n * 10n ** 18n)
  .map((atoms) => new BigDecimal(atoms.toString()).div('1000000000000000000').toString());
const recordIndex = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('grant' as const), userIndex, amount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('claim' as const), userIndex, recordIndex }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), userIndex, amount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), userIndex, recordIndex }) },
);

async function grant(actor: Actor, tokens: string): Promise<void> {
  await core.rows(
    `INSERT INTO rewards (id, user_id, type_id, amount, currency, reason, source_kind, source_id, event_id, claimable_at)
     SELECT $1, $2, id, $3, 'SVC-TEST', 'A test.', 'trade', $1, $1, now() FROM reward_types WHERE code = 'SIGN_UP'`,
    newUuid(),
    actor.userId,
    tokens,
  );
}

/** Creates two users with one claimed and one claimable reward each. */
async function createUsersWithRewards(): Promise<readonly Actor[]> {
  const actors = [await core.actor(), await core.actor()];
  for (let userIndex = 0; userIndex < actors.length; userIndex++) {
    for (const amount of ['100', '20']) await runStep(actors, { kind: 'grant', userIndex, amount });
    await runStep(actors, { kind: 'claim', userIndex, recordIndex: 0 });
  }
  return actors;
}

/** Runs the step. Accepts the domain errors that a random step may cause. */
async function runStep(actors: readonly Actor[], currentStep: Step): Promise<void> {
  const actor = actors[currentStep.userIndex]!;
  const recordAt = async (table: 'rewards' | 'withdrawals', recordIndex: number) => {
    const [row] = await core.rows(
      `SELECT id FROM ${table} WHERE user_id = $1 ORDER BY created_at, id OFFSET $2 LIMIT 1`,
      actor.userId,
      recordIndex,
    );
    return row === undefined ? newUuid() : String(row.id);
  };
  if (currentStep.kind === 'grant') return grant(actor, currentStep.amount);
  const work =
    currentStep.kind === 'withdraw'
      ? withdrawals.create(
          actor,
          withdrawalCreate.parse({ amount: currentStep.amount, wallet_address: ADDRESS }),
        )
      : currentStep.kind === 'claim'
        ? rewards.claim(actor, encodeId('rwd', await recordAt('rewards', currentStep.recordIndex)))
        : withdrawals.cancel(actor, encodeId('wdr', await recordAt('withdrawals', currentStep.recordIndex)));
  await work.catch((error) => {
    const expectedCodes = ['not_found', 'invalid_state', 'insufficient_balance', 'validation_failed'];
    expect(expectedCodes).toContain(error.code);
  });
}

async function expectConsistentBalances(actors: readonly Actor[]): Promise<void> {
  expect(await core.row('SELECT coalesce(sum(amount), 0) = 0 AS is_zero FROM ledger_postings')).toEqual({
    is_zero: true,
  });
  expect(
    await core.rows('SELECT entry_id FROM ledger_postings GROUP BY entry_id HAVING sum(amount) <> 0'),
  ).toEqual([]);
  expect(
    await core.rows(
      `SELECT a.id FROM ledger_accounts a LEFT JOIN ledger_postings p ON p.account_id = a.id
       WHERE a.user_id IS NOT NULL GROUP BY a.id HAVING a.balance <> coalesce(sum(p.amount), 0) OR a.balance < 0`,
    ),
  ).toEqual([]);
  for (const { userId } of actors) {
    const { claimed, pending } = await core.row(
      `SELECT (SELECT coalesce(sum(amount), 0) FROM rewards WHERE user_id = $1 AND claimed_at IS NOT NULL) AS claimed,
         (SELECT coalesce(sum(amount), 0) FROM withdrawals WHERE user_id = $1 AND status = 'PENDING') AS pending`,
      userId,
    );
    const { available, held } = await ledger.balance(userId);
    expect(new BigDecimal(available).plus(held).toString()).toBe(new BigDecimal(String(claimed)).toString());
    expect(new BigDecimal(held).toString()).toBe(new BigDecimal(String(pending)).toString());
  }
}

describe('any grants, claims, withdrawals and cancellations', () => {
  it('keep the ledger balanced and every balance equal to the claimed rewards if they run serially', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const actors = await createUsersWithRewards();
        for (const currentStep of steps) await runStep(actors, currentStep);
        await expectConsistentBalances(actors);
      }),
      { numRuns: 25 },
    );
  });

  it('keep the ledger balanced and every balance equal to the claimed rewards if they run concurrently', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        const actors = await createUsersWithRewards();
        await Promise.all(steps.map((currentStep) => runStep(actors, currentStep)));
        await expectConsistentBalances(actors);
      }),
      { numRuns: 15 },
    );
  });
});
