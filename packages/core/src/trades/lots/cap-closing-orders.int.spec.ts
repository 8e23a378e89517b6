import { setTimeout } from 'node:timers/promises';
import { decodeId, type Lot, lotClose, lotOperations, type TradeDetail } from '@trading-automation/contracts';
import { inTransaction } from '@trading-automation/persistence';
import { querySchemaOf } from '../../operations/index.js';
import { CoreUnderTest, type RecordIds } from '../../testing/index.js';
import { LotsService } from '../lots.service.js';
import { venueFillOf, venueOrderOf } from '../testing/orders-under-test.js';
import { TradeExecution } from '../trade-execution.service.js';
import { lockBooks } from './book-trades.js';
import { FillScenario } from './testing/fill-scenario.js';

const WORKER = 'worker of the test';

let core: CoreUnderTest;
let pair: RecordIds;
let lots: LotsService;
let execution: TradeExecution;
let scenario: FillScenario;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  pair = await core.pair({ last_price: '120', order_types: ['LIMIT', 'MARKET'] });
  const { platform, lists, commands } = core;
  lots = new LotsService({ platform, lists, commands });
  execution = new TradeExecution(platform);
});
afterAll(() => core.close());
beforeEach(async () => {
  scenario = await FillScenario.begin(core, pair.uuid);
  await core.rows(
    'INSERT INTO account_owners (account_id, worker, fence) VALUES ($1, $2, 1)',
    scenario.accountId,
    WORKER,
  );
});

const list = async (): Promise<readonly Lot[]> => {
  const query = querySchemaOf(lotOperations.list).parse({ order: 'asc' });
  return (await lots.list(scenario.actor, query as Parameters<LotsService['list']>[1])).items;
};
const close = (lot: Pick<Lot, 'id'>, fraction = '1') =>
  lots.close(scenario.actor, lot.id, lotClose.parse({ fraction }));
const uuidOf = ({ id }: Pick<TradeDetail, 'id'>) => decodeId('trd', id)!;
const buy = (at: number, amount = '2') => scenario.executeTrade({ side: 'BUY', amount, price: '100', at });
const sellByHand = (at: number, amount: string) =>
  scenario.executeTrade({ side: 'SELL', amount, price: '120', at });

/** Claims the submissions as a worker does, and returns the amounts of the orders to send, by trade. */
async function submit(...trades: readonly TradeDetail[]): Promise<ReadonlyMap<string, string>> {
  const requested = trades.map((trade) => ({
    id: uuidOf(trade),
    venueClientOrderId: `venue-${uuidOf(trade)}`,
  }));
  const ownership = { accountId: scenario.accountId, worker: WORKER, fence: '1' };
  const claimed = await execution.claimSubmissions(ownership, requested);
  return new Map(claimed.map(({ id, order }) => [id, order.amount]));
}

/** Reports that the exchange filled the whole order. */
async function fillOrder(trade: TradeDetail, amount: string, at: number): Promise<void> {
  const id = uuidOf(trade);
  const order = venueOrderOf(id, {
    side: 'SELL',
    type: 'MARKET',
    amount,
    filledAmount: amount,
    status: 'FILLED',
  });
  const fill = venueFillOf(id, 'fill', amount, {
    side: 'SELL',
    price: '120',
    executedAt: FillScenario.at(at),
  });
  await execution.storeOrder(id, order, [fill]);
}

/** Waits until a statement of this database waits for a lock. */
async function waitUntilBlocked(): Promise<void> {
  const blocked = () =>
    core.rows(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
  while ((await blocked()).length === 0) await setTimeout(5);
}

const stored = (trade: TradeDetail) =>
  core.row(
    `SELECT status, cancel_reason AS reason, trim_scale(amount)::text AS amount, trim_scale(filled_amount)::text AS filled
     FROM trades WHERE id = $1`,
    uuidOf(trade),
  );
const remaining = async () => (await list()).map(({ remaining_amount }) => remaining_amount);

describe('an order that closes a lot', () => {
  it('is sent unchanged while the lot is as large as at the request', async () => {
    await buy(1);
    const trade = await close((await list())[0]!);
    expect(await submit(trade)).toEqual(new Map([[uuidOf(trade), '2']]));
    await fillOrder(trade, '2', 3);
    expect(await stored(trade)).toEqual({ status: 'FILLED', reason: null, amount: '2', filled: '2' });
  });

  it('is sent with what is left after a sale by hand; the rest is CANCELLED with RISK, and no other lot is sold', async () => {
    await buy(1);
    await buy(2);
    const trade = await close((await list())[0]!);
    // Reduces the older lot, which the order closes, to 0.5.
    await sellByHand(3, '1.5');
    expect(await submit(trade)).toEqual(new Map([[uuidOf(trade), '0.5']]));
    await fillOrder(trade, '0.5', 4);
    expect(await stored(trade)).toEqual({ status: 'CANCELLED', reason: 'RISK', amount: '2', filled: '0.5' });
    expect(await remaining()).toEqual(['0', '2']);
    const events = (await core.events(scenario.actor.userId)).filter(
      ({ type }) => type === 'trade.cancelled',
    );
    expect(events).toMatchObject([{ data: { cancel_reason: 'RISK', remaining_amount: 1.5 } }]);
  });

  it('waits for a fill that is being booked', async () => {
    await buy(1);
    const [lot] = await list();
    const trade = await close(lot!);
    const { database } = core.platform;
    const submission = await inTransaction(database, async (tx) => {
      await lockBooks(tx, [{ exchangeAccountId: scenario.accountId, tradePairId: pair.uuid }]);
      const submitted = submit(trade);
      await Promise.race([submitted, waitUntilBlocked()]);
      await tx.query('UPDATE lots SET open_amount = 0.5, open_value = 50 WHERE id = $1', [
        decodeId('lot', lot!.id),
      ]);
      return { submitted };
    });
    expect(await submission.submitted).toEqual(new Map([[uuidOf(trade), '0.5']]));
  });

  it.each([
    ['is closed', '2'],
    ['has less left than the exchange accepts', '1.995'],
  ])('is not sent if the lot %s: it is CANCELLED with RISK', async (_case, sold) => {
    await buy(1);
    await buy(2);
    const trade = await close((await list())[0]!);
    await sellByHand(3, sold);
    expect(await submit(trade)).toEqual(new Map());
    expect(await stored(trade)).toEqual({ status: 'CANCELLED', reason: 'RISK', amount: '2', filled: '0' });
    expect(await submit(trade)).toEqual(new Map());
  });

  it.each(['in one claim', 'one after the other'])(
    'never sells more than the lot together with other orders that close it, sent %s',
    async (way) => {
      await buy(1);
      await buy(2);
      const [older] = await list();
      const [first, second] = [await close(older!, '0.5'), await close(older!, '0.5')];
      expect([first.amount, second.amount]).toEqual(['1', '1']);
      await sellByHand(3, '0.75');
      const amounts =
        way === 'in one claim'
          ? await submit(first, second)
          : new Map([...(await submit(first)), ...(await submit(second))]);
      expect([...amounts.values()].map(Number).reduce((sum, amount) => sum + amount, 0)).toBe(1.25);
      for (const trade of [first, second]) await fillOrder(trade, amounts.get(uuidOf(trade))!, 4);
      expect(await remaining()).toEqual(['0', '2']);
    },
  );

  it('leaves to an exit of its copier what that sells', async () => {
    const strategyId = await scenario.strategy();
    const copierId = await scenario.copier(strategyId);
    const sourceTradeId = await scenario.trade({ side: 'BUY' });
    const copy = { copierId, copiedStrategyId: strategyId, sourceTradeId };
    await scenario.executeTrade({ side: 'BUY', amount: '2', at: 1, ...copy });
    const exit = await scenario.trade({ side: 'SELL', amount: '0.5', ...copy });
    const trade = await close((await list())[0]!);
    expect(trade.amount).toBe('1.5');
    await sellByHand(2, '1');
    expect(await submit(trade)).toEqual(new Map([[uuidOf(trade), '0.5']]));
    await scenario.store({ tradeId: exit, amount: '0.5', price: '120', at: 3 });
    await fillOrder(trade, '0.5', 4);
    expect(await remaining()).toEqual(['0']);
  });
});
