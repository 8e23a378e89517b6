/** Orders on margin: loans of the exchange, and what an order does to the lots. */
import { type TradeDetail, tradeCreate } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';
import { CoreUnderTest, type RecordIds } from '../testing/index.js';
import { Reconciliation } from './reconciliation.service.js';
import { TradeExecution } from './trade-execution.service.js';
import { TradesService } from './trades.service.js';

let core: CoreUnderTest;
let trades: TradesService;
let actor: Actor;
let account: RecordIds;
let pair: RecordIds;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  trades = new TradesService({ platform: core.platform, lists: core.lists, commands: core.commands });
  pair = await core.pair({
    trading_type: 'margin',
    last_price: '100',
    order_types: ['MARKET'],
    time_in_forces: ['GTC'],
  });
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  account = await core.account(actor, { USDT: '10' }, { tradingType: 'margin' });
});

const place = (order: Record<string, unknown>): Promise<TradeDetail> =>
  trades.create(
    actor,
    tradeCreate.parse({ exchange_account_id: account.id, trade_pair_id: pair.id, type: 'MARKET', ...order }),
  );
/** Returns the order as it is sent. */
async function sent({ id }: TradeDetail) {
  const { uuid } = await core.row('SELECT id AS uuid FROM trades WHERE client_order_id = $1', id);
  return core.beginSubmission(String(uuid), newUuid());
}

/** Stores an external order that sold 2 BTC. */
async function adoptShort(): Promise<void> {
  const at = new Date('2026-01-01T00:00:00Z');
  const key = { exchangeOrderId: 'short', symbol: 'BTC/USDT', side: 'SELL', amount: '2' } as const;
  await new TradeExecution(core.platform).adopt(
    account.uuid,
    [
      {
        ...key,
        venueClientOrderId: '',
        type: 'MARKET',
        timeInForce: 'GTC',
        status: 'FILLED',
        filledAmount: '2',
        createdAt: at,
        updatedAt: at,
      },
    ],
    [
      {
        ...key,
        exchangeFillId: 'fill',
        price: '100',
        fee: { amount: '0', currency: 'USDT' },
        liquidity: 'TAKER',
        executedAt: at,
      },
    ],
  );
}

describe('an order on margin', () => {
  it('needs the balance, unless the exchange lends it', async () => {
    await expect(place({ side: 'SELL', amount: '2' })).rejects.toMatchObject({
      code: 'insufficient_balance',
    });
    const short = await place({ side: 'SELL', amount: '2', auto_borrow: true });
    expect(short).toMatchObject({ auto_borrow: true, intent: 'OPEN', reduce_only: false });
    expect(short.position_side).toBeUndefined();
    const order = await sent(short);
    expect([order?.autoBorrow, order?.autoRepay]).toEqual([true, undefined]);
  });

  it('repays the loan if it reduces lots', async () => {
    await adoptShort();
    const buyBack = await place({ side: 'BUY', amount: '0.05' });
    expect(buyBack.intent).toBe('REDUCE');
    const order = await sent(buyBack);
    expect([order?.autoBorrow, order?.autoRepay]).toEqual([undefined, true]);
  });
});

it('a short lot may have sold coins of the wallet, so other accounts of the wallet hold less than their lots', async () => {
  await adoptShort();
  const spot = await core.account(actor, { BTC: '5' });
  const reconciliation = new Reconciliation(core.platform);
  expect((await reconciliation.state(spot.uuid)).expectedHoldings).toEqual([]);
  await core.rows(
    'UPDATE exchange_accounts SET wallet_id = $1 WHERE id IN ($1, $2)',
    account.uuid,
    spot.uuid,
  );
  expect((await reconciliation.state(spot.uuid)).expectedHoldings).toEqual([
    { pairId: pair.uuid, symbol: 'BTC/USDT', base: 'BTC', amount: '0', shortAmount: '2' },
  ]);
});
