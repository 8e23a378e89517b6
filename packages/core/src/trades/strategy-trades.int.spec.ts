import {
  encodeId,
  type Strategy,
  strategyCreate,
  type TradeDetail,
  tradeCreate,
  tradeOperations,
} from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';

import { type Actor, querySchemaOf } from '../operations/index.js';
import { StrategiesService } from '../strategies/index.js';
import { CoreUnderTest, type RecordIds } from '../testing/index.js';
import { TradesService } from './trades.service.js';

let core: CoreUnderTest;
let trades: TradesService;
let strategies: StrategiesService;
let actor: Actor;
let account: RecordIds;
let pair: RecordIds;
let strategy: Strategy;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  const { platform, lists, commands } = core;
  trades = new TradesService({ platform, lists, commands });
  strategies = new StrategiesService(platform, lists, commands);
  pair = await core.pair();
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  account = await core.account(actor);
  strategy = await createStrategy();
});

const createStrategy = (overrides: Record<string, unknown> = {}, owner = actor, onAccount = account) =>
  strategies.create(
    owner,
    strategyCreate.parse({ name: 's', exchange_account_id: onAccount.id, ...overrides }),
  );
const createTrade = (overrides: Record<string, unknown> = {}): Promise<TradeDetail> =>
  trades.create(
    actor,
    tradeCreate.parse({
      exchange_account_id: account.id,
      trade_pair_id: pair.id,
      strategy_id: strategy.id,
      type: 'LIMIT',
      side: 'BUY',
      price: '100',
      amount: '1',
      ...overrides,
    }),
  );
const setStrategy = (columns: string) =>
  core.rows(`UPDATE strategies SET ${columns} WHERE exchange_account_id = $1`, account.uuid);
const uuidOf = async (sql: string, ...params: unknown[]) => String((await core.row(sql, ...params)).id);
const listedIds = async (queryString: string, caller = actor) => {
  const query = querySchemaOf(tradeOperations.list).parse(
    Object.fromEntries(new URLSearchParams(queryString)),
  );
  const page = await trades.list(caller, query as Parameters<TradesService['list']>[1]);
  return page.items.map(({ id }) => id);
};

describe('a trade placed for a strategy', () => {
  it('has the id of the strategy and the origin STRATEGY', async () => {
    const created = await createTrade();
    expect(created).toMatchObject({ strategy_id: strategy.id, origin: 'STRATEGY' });
    expect(await trades.get(actor, created.id)).toEqual(created);
    expect(await core.events(actor.userId)).toMatchObject([{ data: { strategy_id: strategy.id } }]);
    expect(await createTrade({ strategy_id: undefined })).toMatchObject({
      strategy_id: undefined,
      origin: 'API',
    });
  });

  it('is rejected if the strategy does not exist, is removed, or belongs to another user, even if it is public', async () => {
    const owner = await core.actor();
    const publicStrategy = await createStrategy({ visibility: 'PUBLIC' }, owner, await core.account(owner));
    await setStrategy('deleted_at = now()');
    for (const strategy_id of [strategy.id, publicStrategy.id, encodeId('str', newUuid()), 'str_x']) {
      await expect(createTrade({ strategy_id })).rejects.toMatchObject({
        code: 'not_found',
        details: [{ field: 'strategy_id', code: 'not_found' }],
      });
    }
  });

  it('is rejected on another account, and on a pair that the strategy does not trade', async () => {
    const elsewhere = await core.account(actor);
    await expect(createTrade({ exchange_account_id: elsewhere.id })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'exchange_account_id', code: 'other_account' }],
    });
    const other = await core.pair({ base: newUuid().slice(-12) });
    const strategyOnOtherPair = await createStrategy({ trade_pair_ids: [other.id] });
    await expect(createTrade({ strategy_id: strategyOnOtherPair.id })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'trade_pair_id', code: 'other_pair' }],
    });
    await expect(
      createTrade({ strategy_id: strategyOnOtherPair.id, trade_pair_id: other.id }),
    ).resolves.toMatchObject({
      strategy_id: strategyOnOtherPair.id,
    });
  });

  it('is rejected once the strategy is archived', async () => {
    await setStrategy("status = 'ARCHIVED'");
    await expect(createTrade()).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ field: 'strategy_id', state: 'ARCHIVED' }],
    });
    expect(await listedIds('')).toEqual([]);
  });
});

describe('the trades of a strategy', () => {
  it('are its own trades and the actor’s copies, even after the strategy is removed', async () => {
    const ownTrade = await createTrade();
    await createTrade({ strategy_id: undefined });
    const copy = await createTrade({ strategy_id: undefined });
    const strategyId = await uuidOf('SELECT id FROM strategies WHERE exchange_account_id = $1', account.uuid);
    await core.rows(
      'UPDATE trades SET copied_strategy_id = $1 WHERE client_order_id = $2',
      strategyId,
      copy.id,
    );
    expect(await listedIds(`strategy_id=${strategy.id}&order=asc`)).toEqual([ownTrade.id, copy.id]);
    expect(await listedIds(`strategy_id=${strategy.id}&side=SELL`)).toEqual([]);
    await setStrategy("deleted_at = now(), visibility = 'PUBLIC'");
    expect(await listedIds(`strategy_id=${strategy.id}&order=asc`)).toEqual([ownTrade.id, copy.id]);
    await expect(listedIds(`strategy_id=${strategy.id}`, await core.actor())).rejects.toMatchObject({
      code: 'not_found',
      details: [{ field: 'strategy_id' }],
    });
  });

  it('are only the actor’s copies if the strategy is public and another user owns it', async () => {
    await createTrade();
    await setStrategy("visibility = 'PUBLIC'");
    const otherActor = await core.actor('READ');
    expect(await listedIds(`strategy_id=${strategy.id}`, otherActor)).toEqual([]);
  });

  it('are read from an index in the order of the page, without a sort', async () => {
    const plan = await core.platform.database.transaction(async (tx) => {
      await tx.query('SET LOCAL enable_seqscan = off');
      await tx.query('SET LOCAL enable_sort = off');
      return tx.query(
        `EXPLAIN SELECT t.* FROM trades t
         WHERE t.user_id = $1 AND coalesce(t.strategy_id, t.copied_strategy_id) = $2
           AND (t.created_at, t.id) < (now(), $1::uuid)
         ORDER BY t.created_at DESC, t.id DESC LIMIT 21`,
        [newUuid(), newUuid()],
      );
    });
    const planText = JSON.stringify(plan);
    expect(planText).toContain('trades_user_strategy_created_at_idx');
    expect(planText).not.toContain('Sort');
  });
});
