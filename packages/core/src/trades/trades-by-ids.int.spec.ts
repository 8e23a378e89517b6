import { encodeId, fill, trade as tradeSchema } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';

import { CoreUnderTest, countStatements, type RecordIds } from '../testing/index.js';
import { TradeFixtures } from '../testing/trade-fixtures.js';
import { TradesService } from './trades.service.js';

let core: CoreUnderTest;
let trades: TradesService;
let fixtures: TradeFixtures;
let actor: Actor;
let pair: RecordIds;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  const { platform, lists, commands } = core;
  trades = new TradesService({ platform, lists, commands });
  fixtures = new TradeFixtures(core);
  pair = await core.pair();
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
});

/** Places a trade with a fill for each of these minutes. */
const tradeWithFills = async (owner: Actor, minutes: readonly number[]): Promise<RecordIds> =>
  fixtures.order({
    owner,
    account: await core.account(owner),
    pair,
    side: 'BUY',
    at: '2026-01-01T00:00:00Z',
    fills: minutes.map((minute) => ({
      at: `2026-01-01T00:${minute}:00Z`,
      price: '100.50',
      amount: '0.10',
      fee: '0.001',
      feeCurrency: 'BTC',
    })),
  });
const UNKNOWN = [encodeId('trd', newUuid()), 'trd_x', encodeId('fil', newUuid()), ''];
const withoutPermissions = (): Actor => ({ ...actor, credential: { ...actor.credential, permissions: [] } });

describe('trades by their ids', () => {
  it('are loaded in input order, as the list shows them; unknown ids and ids of other users give null', async () => {
    const [first, second] = [await tradeWithFills(actor, [10]), await tradeWithFills(actor, [])];
    const foreign = await tradeWithFills(await core.actor(), [10]);
    const query = { limit: 10, sort: 'created_at', order: 'asc', include: [] } as const;
    const listed = new Map((await trades.list(actor, query)).items.map((trade) => [trade.id, trade]));
    const [listedFirst, listedSecond] = [listed.get(first.id), listed.get(second.id)];
    const listedTrades = [listedFirst, listedSecond];
    expect(listedTrades.map((trade) => tradeSchema.parse(trade))).toEqual(listedTrades);
    const ids = [second.id, foreign.id, first.id, ...UNKNOWN, second.id];
    const expected = [listedSecond, null, listedFirst, ...UNKNOWN.map(() => null), listedSecond];
    expect(await trades.getMany(actor, ids)).toEqual(expected);
    const load = () => trades.getMany(actor, ids);
    expect(await countStatements(core.platform.database, load)).toBe(1);
  });

  it("are not queried if no id can be a trade's; loading requires READ", async () => {
    const load = () => trades.getMany(actor, ['trd_x', '']);
    expect(await load()).toEqual([null, null]);
    expect(await countStatements(core.platform.database, load)).toBe(0);
    await expect(trades.getMany(withoutPermissions(), UNKNOWN)).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });
});

describe('the fills of many trades', () => {
  it('are loaded in input order, as each trade shows them; unknown ids and ids of other users give no fills', async () => {
    const [first, second, empty] = [
      await tradeWithFills(actor, [30, 10, 20]),
      await tradeWithFills(actor, [15]),
      await tradeWithFills(actor, []),
    ];
    const foreign = await tradeWithFills(await core.actor(), [10]);
    const [{ fills: fillsOfFirst }, { fills: fillsOfSecond }] = [
      await trades.get(actor, first.id),
      await trades.get(actor, second.id),
    ];
    expect(fillsOfFirst.map(({ executed_at }) => executed_at)).toEqual(
      [10, 20, 30].map((minute) => `2026-01-01T00:${minute}:00.000Z`),
    );
    expect(fillsOfFirst.map((each) => fill.parse(each))).toEqual(fillsOfFirst);
    const ids = [second.id, foreign.id, first.id, empty.id, ...UNKNOWN, second.id];
    const expected = [fillsOfSecond, [], fillsOfFirst, [], ...UNKNOWN.map(() => []), fillsOfSecond];
    expect(await trades.fillsOfMany(actor, ids)).toEqual(expected);
    const load = () => trades.fillsOfMany(actor, ids);
    expect(await countStatements(core.platform.database, load)).toBe(1);
  });

  it("are not queried if no id can be a trade's; loading requires READ", async () => {
    const load = () => trades.fillsOfMany(actor, ['trd_x', '']);
    expect(await load()).toEqual([[], []]);
    expect(await countStatements(core.platform.database, load)).toBe(0);
    await expect(trades.fillsOfMany(withoutPermissions(), UNKNOWN)).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });
});
