/** Orders on perpetuals: what they reserve, what they do to the position, and the lots that their fills make. */
import { lotOperations, type TradeDetail, tradeCreate, tradeOperations } from '@trading-automation/contracts';
import type { ForcedCause, VenueFill, VenueOrder } from '@trading-automation/exchanges';
import { AccountSyncService, currentBalances } from '../exchange-accounts/index.js';
import { type Actor, querySchemaOf } from '../operations/index.js';
import { CoreUnderTest, type RecordIds } from '../testing/index.js';
import { LotsService } from './lots.service.js';
import { reconcile } from './reconcile.rules.js';
import { Reconciliation } from './reconciliation.service.js';
import { TradeExecution } from './trade-execution.service.js';
import { TradesService } from './trades.service.js';

const SYMBOL = 'BTC/USDT:USDT';
let core: CoreUnderTest;
let trades: TradesService;
let lots: LotsService;
let execution: TradeExecution;
let actor: Actor;
let account: RecordIds;
let pair: RecordIds;
let fillCount = 0;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  const dependencies = { platform: core.platform, lists: core.lists, commands: core.commands };
  trades = new TradesService(dependencies);
  lots = new LotsService(dependencies);
  execution = new TradeExecution(core.platform);
  pair = await core.perpetualPair({ taker_fee: '0.001' });
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  account = await core.account(actor, { USDT: '1000' }, { tradingType: 'perpetual' });
});

const place = (order: Record<string, unknown>): Promise<TradeDetail> =>
  trades.create(
    actor,
    tradeCreate.parse({ exchange_account_id: account.id, trade_pair_id: pair.id, type: 'MARKET', ...order }),
  );
const reservationOf = async ({ id }: TradeDetail) => {
  const row = await core.row(
    'SELECT reserved_asset, trim_scale(reserved_amount)::text AS amount FROM trades WHERE client_order_id = $1',
    id,
  );
  return `${row.amount} ${row.reserved_asset}`;
};
const setLeverage = (leverage: string) => core.setLeverage(account, pair, leverage);

interface Filled {
  readonly side: 'BUY' | 'SELL';
  readonly amount: string;
  readonly price: string;
  readonly cause?: ForcedCause;
}

/** Returns the next order, as the exchange reports it after it was filled. */
function filled({ side, amount, price, cause }: Filled): { order: VenueOrder; fill: VenueFill } {
  const id = `order-${++fillCount}`;
  const at = new Date(Date.UTC(2030, 0, 1) + fillCount * 1_000);
  const order: VenueOrder = {
    exchangeOrderId: id,
    venueClientOrderId: '',
    symbol: SYMBOL,
    side,
    type: 'MARKET',
    timeInForce: 'GTC',
    status: 'FILLED',
    amount,
    filledAmount: amount,
    ...(cause !== undefined && { cause }),
    createdAt: at,
    updatedAt: at,
  };
  const fill: VenueFill = {
    exchangeFillId: `fill-${fillCount}`,
    exchangeOrderId: id,
    symbol: SYMBOL,
    side,
    price,
    amount,
    fee: { amount: '0.5', currency: 'USDT' },
    liquidity: 'TAKER',
    executedAt: at,
  };
  return { order, fill };
}

/** Stores an order that the exchange reports as filled. */
async function report(terms: Filled): Promise<void> {
  const { order, fill } = filled(terms);
  await execution.adopt(account.uuid, [order], [fill]);
}
const lotsQuery = (status: 'OPEN' | 'CLOSED') =>
  querySchemaOf(lotOperations.list).parse({ status }) as Parameters<LotsService['list']>[1];
const lotsOf = async (status: 'OPEN' | 'CLOSED') =>
  (await lots.list(actor, lotsQuery(status))).items
    .map(({ side, remaining_amount, realized_pnl }) => ({ side, remaining_amount, realized_pnl }))
    .reverse();

/** Stores a stream's report of the wallet at the time of the last fill that `report` stored, or of the one after it. */
async function reportWallet(free: string, fill: 'last' | 'next'): Promise<void> {
  const number = fill === 'last' ? fillCount : fillCount + 1;
  const at = new Date(Date.UTC(2030, 0, 1) + number * 1_000);
  const sync = new AccountSyncService(core.platform);
  const receivedAt = new Date(await sync.databaseTime());
  const balances = { USDT: { free, locked: '0' } };
  await sync.storeUpdates([{ accountId: account.uuid, balances, at, seen: [], receivedAt }]);
}
const shownBalance = async () =>
  (await currentBalances(core.platform.database.manager, [account.uuid])).get(account.uuid)?.USDT;

describe('the balance of an account on perpetuals', () => {
  it('counts a fee once, if the wallet is reported before the fill and with its time', async () => {
    await reportWallet('999.5', 'next');
    await report({ side: 'BUY', amount: '1', price: '100' });
    expect(await shownBalance()).toBe('999.5');
  });

  it('lacks the fee of a fill that is later than the last report, until the wallet is reported', async () => {
    await reportWallet('999.5', 'next');
    await report({ side: 'BUY', amount: '1', price: '100' });
    await report({ side: 'BUY', amount: '1', price: '100' });
    expect(await shownBalance()).toBe('999');
    await reportWallet('998.9', 'last');
    expect(await shownBalance()).toBe('998.9');
  });
});

describe('an order on a perpetual', () => {
  it('reserves its initial margin and the taker fee in the settlement currency', async () => {
    await setLeverage('10');
    const bought = await place({ side: 'BUY', amount: '2' });
    expect(bought).toMatchObject({ intent: 'OPEN', position_side: 'LONG', reduce_only: false });
    expect(await reservationOf(bought)).toBe('20.2 USDT');
    const sold = await place({ side: 'SELL', amount: '2', type: 'LIMIT', price: '90' });
    // A sale below the market price is valued at the market price.
    expect([sold.position_side, await reservationOf(sold)]).toEqual(['SHORT', '20.2 USDT']);
  });

  it('reserves only the fee while the leverage is unknown, because the exchange decides about the margin', async () => {
    expect(await reservationOf(await place({ side: 'BUY', amount: '2' }))).toBe('0.2 USDT');
  });

  it('is refused if the margin of all orders exceeds the balance', async () => {
    await setLeverage('2');
    await place({ side: 'SELL', amount: '19' });
    await expect(place({ side: 'BUY', amount: '2' })).rejects.toMatchObject({
      code: 'insufficient_balance',
      details: [{ field: 'amount', asset: 'USDT', needed: '100.2', free: '48.1' }],
    });
  });

  it('reserves nothing for what reduces the position, and the margin of what exceeds it', async () => {
    await setLeverage('10');
    await report({ side: 'SELL', amount: '3', price: '100' });
    const reducing = await place({ side: 'BUY', amount: '2' });
    expect(reducing).toMatchObject({ intent: 'REDUCE', position_side: 'SHORT' });
    expect(await reservationOf(reducing)).toBe('0 USDT');
    // The first order already reduces two of three.
    expect(await reservationOf(await place({ side: 'BUY', amount: '2' }))).toBe('10.1 USDT');
    expect(await reservationOf(await place({ side: 'BUY', amount: '50', reduce_only: true }))).toBe('0 USDT');
  });

  it('does not take auto_borrow', async () => {
    await expect(place({ side: 'BUY', amount: '1', auto_borrow: true })).rejects.toMatchObject({
      details: [{ field: 'auto_borrow', code: 'not_allowed' }],
    });
  });
});

describe('the lots of a perpetual', () => {
  it('are signed; a fill beyond the position closes it and opens one on the other side', async () => {
    await report({ side: 'SELL', amount: '2', price: '100' });
    expect(await lotsOf('OPEN')).toEqual([{ side: 'SELL', remaining_amount: '2', realized_pnl: '0' }]);
    await report({ side: 'BUY', amount: '5', price: '90' });
    // The result of the short: 2 × (100 − 90), less its fee of 0.5 and two fifths of the other fill's fee.
    expect(await lotsOf('CLOSED')).toEqual([{ side: 'SELL', remaining_amount: '0', realized_pnl: '19.3' }]);
    expect(await lotsOf('OPEN')).toEqual([{ side: 'BUY', remaining_amount: '3', realized_pnl: '0' }]);
  });

  it('are closed by a lot order that is reduce-only as far as the net position agrees', async () => {
    await report({ side: 'BUY', amount: '2', price: '100' });
    const [lot] = (await lots.list(actor, lotsQuery('OPEN'))).items;
    const closing = await lots.close(actor, lot!.id, undefined);
    expect(closing).toMatchObject({
      side: 'SELL',
      intent: 'CLOSE',
      reduce_only: true,
      position_side: 'LONG',
    });
    expect(await reservationOf(closing)).toBe('0 USDT');
  });

  it.each(['LIQUIDATION', 'ADL', 'SETTLEMENT'] as const)(
    'are closed by a trade with the origin %s',
    async (cause) => {
      await report({ side: 'BUY', amount: '2', price: '100' });
      await report({ side: 'SELL', amount: '2', price: '60', cause });
      const { items } = await trades.list(
        actor,
        querySchemaOf(tradeOperations.list).parse({}) as Parameters<TradesService['list']>[1],
      );
      expect(items.map(({ origin, intent, position_side }) => [origin, intent, position_side])).toEqual([
        [cause, 'CLOSE', 'LONG'],
        ['EXTERNAL', 'OPEN', 'LONG'],
      ]);
      expect(await lotsOf('OPEN')).toEqual([]);
      expect(await lotsOf('CLOSED')).toEqual([{ side: 'BUY', remaining_amount: '0', realized_pnl: '-81' }]);
      const events = await core.events(actor.userId);
      const liquidated = events.filter(({ type }) => type === 'position.liquidated');
      expect(liquidated.map(({ data }) => data.symbol)).toEqual(cause === 'LIQUIDATION' ? [SYMBOL] : []);
    },
  );
});

describe('a position that differs from the lots', () => {
  const reconciliation = () => new Reconciliation(core.platform);
  /** Compares the account with the exchange's position, as after 20 s. */
  async function compareWith(net: string, markPrice: string | null = '110') {
    const state = await reconciliation().state(account.uuid);
    const positions = [{ symbol: SYMBOL, net, markPrice }];
    const actions = reconcile({ ...state, openOrders: [], fills: [], totalsByAsset: {}, positions });
    const changed = await reconciliation().apply(account.uuid, { ...state, totals: {} }, actions);
    await core.rows(
      "UPDATE reconciliations SET suspected_at = suspected_at - interval '20 seconds' WHERE exchange_account_id = $1",
      account.uuid,
    );
    return changed.size;
  }
  const netLots = async () => (await reconciliation().state(account.uuid)).netLots;

  it('becomes a RECONCILIATION trade at mark price once it has lasted, and is never traded', async () => {
    await report({ side: 'BUY', amount: '2', price: '100' });
    expect(await compareWith('-1')).toBe(0);
    expect(await netLots()).toEqual([{ symbol: SYMBOL, net: '2' }]);
    expect(await compareWith('-1')).toBe(1);
    expect(await netLots()).toEqual([{ symbol: SYMBOL, net: '-1' }]);
    expect(await compareWith('-1')).toBe(0);
    const [correction] = await core.rows(
      `SELECT origin, side, intent, position_side, trim_scale(amount)::text AS amount, status, trim_scale(cost)::text AS cost,
         reserved_asset, reconciled_at IS NOT NULL AS is_reconciled
       FROM trades WHERE exchange_account_id = $1 AND origin = 'RECONCILIATION'`,
      account.uuid,
    );
    expect(correction).toEqual({
      origin: 'RECONCILIATION',
      side: 'SELL',
      intent: 'REDUCE',
      position_side: 'LONG',
      amount: '3',
      status: 'FILLED',
      cost: '330',
      reserved_asset: 'USDT',
      is_reconciled: true,
    });
    const events = (await core.events(actor.userId)).filter(({ data }) => data.origin === 'RECONCILIATION');
    expect(events.map(({ type }) => type)).toEqual(['trade.created', 'trade.filled']);
    // Nothing waits to be sent.
    expect(await execution.findUnsent([account.uuid], 10)).toEqual([]);
  });

  it('is not what orders of another connection of the same exchange account explain', async () => {
    const other = await core.account(actor, { USDT: '1000' }, { tradingType: 'perpetual' });
    await core.rows(
      'UPDATE exchange_accounts SET venue_account_id = $1 WHERE id IN ($1::uuid, $2)',
      account.uuid,
      other.uuid,
    );
    await report({ side: 'BUY', amount: '2', price: '100' });
    const traded = async (side: 'BUY' | 'SELL', amount: string) => {
      const { client_order_id } = await place({ side, amount, exchange_account_id: other.id });
      const { id } = await core.row('SELECT id FROM trades WHERE client_order_id = $1', client_order_id);
      await core.beginSubmission(String(id), `venue-${id}`);
      const { order, fill } = filled({ side, amount, price: '100' });
      await execution.storeOrder(String(id), { ...order, venueClientOrderId: `venue-${id}` }, [fill]);
    };
    await traded('SELL', '3');
    expect(await netLots()).toEqual([{ symbol: SYMBOL, net: '-1' }]);
    for (let run = 0; run < 3; run++) expect(await compareWith('-1')).toBe(0);
    await traded('BUY', '5');
    expect(await netLots()).toEqual([{ symbol: SYMBOL, net: '4' }]);
    // An order that was made at the exchange is a trade of both connections. It closes the lot of the other one; here it
    // opens a lot that does not exist, and that is corrected.
    const closing = filled({ side: 'SELL', amount: '2', price: '100' });
    for (const { uuid } of [other, account]) await execution.adopt(uuid, [closing.order], [closing.fill]);
    await report({ side: 'SELL', amount: '2', price: '100' });
    expect(await netLots()).toEqual([{ symbol: SYMBOL, net: '-2' }]);
    expect([await compareWith('0'), await compareWith('0')]).toEqual([0, 1]);
    expect(await netLots()).toEqual([]);
  });

  it('of a market that the product does not offer is left alone', async () => {
    const state = await reconciliation().state(account.uuid);
    const positions = [{ symbol: 'XRP/USDT:USDT', net: '5', markPrice: '1' }];
    const input = { ...state, openOrders: [], fills: [], totalsByAsset: {}, positions };
    const actions = reconcile({ ...input, shortfalls: { 'XRP/USDT:USDT': '5' } });
    expect(actions.map(({ kind }) => kind)).toEqual(['correct_position']);
    expect((await reconciliation().apply(account.uuid, { ...state, totals: {} }, actions)).size).toBe(0);
  });
});
