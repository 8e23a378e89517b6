import { encodeId, position as positionSchema } from '@trading-automation/contracts';
import type { AccountMargin, VenuePosition } from '@trading-automation/exchanges';
import { inTransaction, newUuid } from '@trading-automation/persistence';
import { serveWorkerCalls, type WorkerCalls } from '../exchange-accounts/index.js';
import type { Actor } from '../operations/index.js';
import { CoreUnderTest, type RecordIds } from '../testing/index.js';
import { emitLiquidated } from './emit-liquidated.js';
import { MarginEstimates } from './margin-estimates.js';
import { marketSettings, positionMargin } from './market-settings.queries.js';
import { PositionReports } from './position-reports.service.js';
import { PositionsService } from './positions.service.js';

const SYMBOL = 'BTC/USDT:USDT';
const QUERY = { limit: 20, sort: 'created_at', order: 'desc', include: [] } as never;
/** A time of the exchange, in seconds after an arbitrary instant. */
const at = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1_000);

let core: CoreUnderTest;
let service: PositionsService;
let reports: PositionReports;
let actor: Actor;
let account: RecordIds;
let pair: RecordIds;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  service = new PositionsService(core.platform, core.lists);
  reports = new PositionReports(core.platform);
  pair = await core.pair({ symbol: SYMBOL, trading_type: 'perpetual', settle: 'USDT' });
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  account = await perpetualAccount(actor);
});

async function perpetualAccount(owner: Actor): Promise<RecordIds> {
  const created = await core.account(owner);
  await core.rows("UPDATE exchange_accounts SET trading_type = 'perpetual' WHERE id = $1", created.uuid);
  return created;
}

const venuePosition = (more: Partial<VenuePosition> = {}): VenuePosition => ({
  symbol: SYMBOL,
  side: 'LONG',
  amount: '2',
  entryPrice: '100',
  markPrice: '110',
  liquidationPrice: '60.5',
  unrealizedPnl: '20',
  maintenanceMargin: '1',
  leverage: '10',
  marginMode: 'CROSS',
  isSupported: true,
  ...more,
});
const margin = (more: Partial<AccountMargin> = {}): AccountMargin => ({
  currency: 'USDT',
  equity: '1000',
  available: '900',
  maintenanceMargin: '100',
  ...more,
});

/** Stores a complete read of the account at a time of the exchange. */
function read(seconds: number, positions: readonly VenuePosition[], more: Partial<AccountMargin> = {}) {
  const report = { positions, at: at(seconds), until: at(seconds) };
  return reports.storeReading(account.uuid, { report, margin: margin(more) });
}

const listed = async (query: object = {}) =>
  (await service.list(actor, { ...(QUERY as object), ...query } as never)).items;
async function eventsSeen() {
  const events = await core.events(actor.userId);
  return events.map(({ type, data }) => [type, data.side, String(data.amount)]);
}

/** Stores funding that the account received; below zero, that it paid. */
const payFunding = (amount: string, seconds: number) =>
  core.rows(
    `INSERT INTO funding_payments (id, user_id, exchange_account_id, trade_pair_id, symbol, venue_payment_id, amount,
       currency, paid_at) VALUES ($1, $2, $3, $4, $5, $1::uuid::text, $6, 'USDT', $7)`,
    newUuid(),
    actor.userId,
    account.uuid,
    pair.uuid,
    SYMBOL,
    amount,
    at(seconds),
  );

/** Inserts a lot of the account, as if a fill had opened it. */
async function insertLot(side: 'BUY' | 'SELL', amount: string, seconds: number): Promise<string> {
  const trade = newUuid();
  const fill = newUuid();
  await insertFill(trade, fill, side, seconds);
  await core.rows(
    `INSERT INTO lots (id, user_id, exchange_account_id, trade_pair_id, symbol, trade_id, side, opened_amount,
       open_amount, opened_value, open_value, opened_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8::numeric, $8::numeric, 100, 100, $9)`,
    fill,
    actor.userId,
    account.uuid,
    pair.uuid,
    SYMBOL,
    trade,
    side,
    amount,
    at(seconds),
  );
  return fill;
}

/** Closes a part of a lot with a result. */
async function closeLot(lot: string, amount: string, pnl: string, seconds: number, fill = newUuid()) {
  const trade = newUuid();
  await insertFill(trade, fill, 'SELL', seconds);
  await core.rows(
    `INSERT INTO lot_closures (fill_id, lot_id, exchange_account_id, trade_pair_id, trade_id, amount, entry_value, pnl,
       detaches, closed_at)
     VALUES ($1, $2, $3, $4, $5, $6, 1, $7, false, $8)`,
    fill,
    lot,
    account.uuid,
    pair.uuid,
    trade,
    amount,
    pnl,
    at(seconds),
  );
}

async function insertFill(trade: string, fill: string, side: string, seconds: number): Promise<void> {
  await core.rows(
    `INSERT INTO trades (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type, client_order_id,
       origin, type, side, reduce_only, time_in_force, price, amount, reserved_asset, reserved_amount, status, look_at)
     VALUES ($1::uuid, $2, $3, $4, $5, 'perpetual', $1::uuid::text, 'API', 'MARKET', $6, false, 'GTC', 1, 1, 'USDT', 0,
       'FILLED', now())`,
    trade,
    actor.userId,
    account.uuid,
    pair.uuid,
    SYMBOL,
    side,
  );
  await core.rows(
    `INSERT INTO fills (id, trade_id, exchange_account_id, symbol, exchange_fill_id, price, amount, fee_amount,
       fee_currency, liquidity, executed_at)
     VALUES ($1, $2, $3, $4, $5, 100, 1, 0, 'USDT', 'TAKER', $6)`,
    fill,
    trade,
    account.uuid,
    SYMBOL,
    fill,
    at(seconds),
  );
}

describe('the positions of an account', () => {
  it('are listed as the exchange reported them, until they are closed', async () => {
    await read(1, [venuePosition()]);
    const [position, ...others] = await listed();
    expect(others).toEqual([]);
    expect(positionSchema.parse(position)).toEqual(position);
    expect(position).toMatchObject({
      exchange_account_id: account.id,
      trade_pair_id: pair.id,
      symbol: SYMBOL,
      side: 'LONG',
      amount: '2',
      entry_price: '100',
      mark_price: '110',
      liquidation_price: '60.5',
      leverage: '10',
      max_leverage: null,
      margin_mode: 'CROSS',
      margin_ratio: '10',
      unrealized_pnl: '20',
      realized_pnl: '0',
      funding_paid: '0',
      is_supported: true,
    });
    await read(2, []);
    expect(await listed()).toEqual([]);
    await read(3, [venuePosition({ amount: '1' })]);
    expect((await listed()).map(({ id }) => id)).toEqual([position?.id]);
  });

  it('have the margin ratio of their own margin in ISOLATED', async () => {
    await read(1, [venuePosition({ marginMode: 'ISOLATED', isolatedMargin: '5', maintenanceMargin: '2' })]);
    expect(await listed()).toMatchObject([{ margin_mode: 'ISOLATED', margin_ratio: '2.5' }]);
  });

  it('have no pair if the product does not offer the market, and are listed if they are not supported', async () => {
    await read(1, [venuePosition({ symbol: 'BTC/USD:BTC', isSupported: false })]);
    const [position] = await listed();
    expect(position).toMatchObject({ symbol: 'BTC/USD:BTC', is_supported: false });
    expect(position?.trade_pair_id).toBeUndefined();
  });

  it('are filtered by account and pair, and invisible to other users', async () => {
    await read(1, [venuePosition()]);
    const second = await perpetualAccount(actor);
    expect(await listed({ exchange_account_id: second.id })).toEqual([]);
    expect(await listed({ exchange_account_id: account.id, trade_pair_id: pair.id })).toHaveLength(1);
    const [own] = await listed();
    const other = await core.actor();
    expect((await service.list(other, QUERY)).items).toEqual([]);
    expect(await service.getMany(other, [own!.id])).toEqual([null]);
    expect(await service.getMany(actor, [own!.id])).toEqual([own]);
    await expect(
      service.list(other, { ...(QUERY as object), exchange_account_id: account.id } as never),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the events of positions', () => {
  it('report each change of the amount, and no change of the mark price', async () => {
    await read(1, [venuePosition()]);
    await read(2, [venuePosition({ markPrice: '90', unrealizedPnl: '-20' })]);
    await reports.storeUpdate(account.uuid, [venuePosition({ amount: '0.5' })], at(3));
    await reports.storeUpdate(account.uuid, [venuePosition({ amount: '0' })], at(4));
    expect(await eventsSeen()).toEqual([
      ['position.opened', 'LONG', '2'],
      ['position.changed', 'LONG', '0.5'],
      ['position.closed', 'LONG', '0'],
    ]);
  });

  it('report a change of the side as a close and an opening', async () => {
    await read(1, [venuePosition()]);
    await reports.storeUpdate(account.uuid, [venuePosition({ side: 'SHORT', amount: '1' })], at(2));
    expect((await eventsSeen()).slice(1)).toEqual([
      ['position.closed', 'LONG', '0'],
      ['position.opened', 'SHORT', '1'],
    ]);
  });

  it('are the same, whatever the order in which reports of one time arrive', async () => {
    await reports.storeUpdate(account.uuid, [venuePosition({ amount: '3' })], at(5));
    await read(4, []);
    await read(5, [venuePosition({ amount: '1' })]);
    expect(await listed()).toMatchObject([{ amount: '3' }]);
    expect(await eventsSeen()).toEqual([['position.opened', 'LONG', '3']]);
  });

  it('occur once, although many reports are stored at the same time', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, i) => read(i + 1, [venuePosition()])));
    expect(await eventsSeen()).toEqual([['position.opened', 'LONG', '2']]);
  });

  it('are rolled back with the change', async () => {
    const failing = inTransaction(core.platform.database, async (tx) => {
      await emitLiquidated(tx, [{ accountId: account.uuid, tradePairId: pair.uuid, side: 'SHORT' }]);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await core.events(actor.userId)).toEqual([]);
  });

  it('report a liquidation with the position as it was last reported, also if it was never reported', async () => {
    const liquidated = { accountId: account.uuid, tradePairId: pair.uuid, side: 'SHORT' as const };
    await inTransaction(core.platform.database, (tx) => emitLiquidated(tx, [liquidated]));
    expect(await eventsSeen()).toEqual([['position.liquidated', 'SHORT', '0']]);
    await read(1, [venuePosition()]);
    await inTransaction(core.platform.database, (tx) =>
      emitLiquidated(tx, [{ ...liquidated, side: 'LONG' }]),
    );
    expect((await eventsSeen()).at(-1)).toEqual(['position.liquidated', 'LONG', '2']);
  });
});

const calls = async () =>
  (await core.events(actor.userId)).filter(({ type }) => type === 'position.margin_call');

describe('a margin call', () => {
  it('in CROSS is sent once for the largest position, and again only after the ratio was 1.5', async () => {
    await core
      .pair({ base: 'ETH', symbol: 'ETH/USDT:USDT', trading_type: 'perpetual' })
      .catch(() => undefined);
    const positions = [
      venuePosition({ symbol: 'ETH/USDT:USDT', amount: '50', markPrice: '10' }),
      venuePosition({ amount: '3', markPrice: '400' }),
    ];
    await read(1, positions, { equity: '125' });
    expect(await calls()).toEqual([]);
    await read(2, positions, { equity: '124' });
    await read(3, positions, { equity: '110' });
    await read(4, positions, { equity: '149' });
    await read(5, positions, { equity: '120' });
    expect((await calls()).map(({ data }) => [data.symbol, data.margin_ratio])).toEqual([[SYMBOL, 1.24]]);
    await read(6, positions, { equity: '150' });
    await read(7, positions, { equity: '100' });
    expect(await calls()).toHaveLength(2);
  });

  it('in ISOLATED is of the position alone', async () => {
    const isolated = (isolatedMargin: string) =>
      venuePosition({ marginMode: 'ISOLATED', isolatedMargin, maintenanceMargin: '10' });
    await read(1, [isolated('13')], { equity: '1' });
    expect(await calls()).toEqual([]);
    await read(2, [isolated('12')], { equity: '1000' });
    await read(3, [isolated('11')], { equity: '1000' });
    expect(await calls()).toMatchObject([{ data: { margin_mode: 'ISOLATED', margin_ratio: 1.2 } }]);
    // The next position has no call yet.
    await read(4, []);
    await read(5, [isolated('12')]);
    expect(await calls()).toHaveLength(2);
  });

  it('is not judged by a reading that is older than the stored one', async () => {
    await read(5, [venuePosition()], { equity: '1000' });
    await read(4, [venuePosition()], { equity: '1' });
    expect(await calls()).toEqual([]);
    expect(await positionMargin(core.platform.database.manager, account.uuid)).toMatchObject({
      currency: 'USDT',
      equity: '1000',
      maintenanceMargin: '100',
    });
  });
});

describe('the realised result of a position', () => {
  const realized = async () => (await listed())[0]?.realized_pnl;
  const realizedOf = async (type: string) =>
    (await core.events(actor.userId))
      .filter((event) => event.type === type)
      .map(({ data }) => String(data.realized_pnl));
  const resultsSeen = async () =>
    (await core.events(actor.userId)).map(({ type, data }) => [
      type,
      data.side,
      String(data.realized_pnl),
      String(data.funding_paid),
    ]);

  it('is of the lots that were closed since the position was last flat', async () => {
    const first = await insertLot('BUY', '1', 1);
    await closeLot(first, '1', '7', 2);
    const second = await insertLot('BUY', '3', 3);
    await closeLot(second, '0.5', '4', 4);
    await insertLot('BUY', '1', 5);
    await closeLot(second, '0.5', '-1.5', 6);
    await read(7, [venuePosition({ amount: '3' })]);
    expect(await realized()).toBe('2.5');
  });

  it('has the funding since then beside it, which is positive if the account paid', async () => {
    const first = await insertLot('BUY', '1', 1);
    await payFunding('-5', 2);
    await closeLot(first, '1', '7', 3);
    await insertLot('BUY', '3', 4);
    await payFunding('-2', 5);
    await payFunding('0.5', 6);
    await read(7, [venuePosition({ amount: '3' })]);
    expect((await listed())[0]).toMatchObject({ realized_pnl: '0', funding_paid: '1.5' });
  });

  it('of a closed position is that of its last time open', async () => {
    const first = await insertLot('BUY', '1', 1);
    await read(1, [venuePosition({ amount: '1' })]);
    await closeLot(first, '1', '7', 2);
    await read(2, []);
    const second = await insertLot('BUY', '1', 3);
    await read(3, [venuePosition({ amount: '1' })]);
    await closeLot(second, '0.4', '2', 4);
    await closeLot(second, '0.6', '3', 5);
    await read(5, []);
    expect(await realizedOf('position.closed')).toEqual(['7', '5']);
  });

  it('begins anew when one fill changes the side', async () => {
    const long = await insertLot('BUY', '1', 1);
    await read(1, [venuePosition({ amount: '1' })]);
    // One fill closes the long lot and opens a short one.
    const short = await insertLot('SELL', '2', 2);
    await core.rows(
      `INSERT INTO lot_closures (fill_id, lot_id, exchange_account_id, trade_pair_id, trade_id, amount, entry_value, pnl,
         detaches, closed_at) SELECT $1, $2, $3, $4, trade_id, 1, 1, 9, false, $5 FROM fills WHERE id = $1`,
      short,
      long,
      account.uuid,
      pair.uuid,
      at(2),
    );
    await reports.storeUpdate(account.uuid, [venuePosition({ side: 'SHORT', amount: '2' })], at(2));
    expect(await realizedOf('position.closed')).toEqual(['9']);
    expect(await realizedOf('position.opened')).toEqual(['0', '0']);
    await closeLot(short, '0.5', '1.25', 3);
    expect(await realized()).toBe('1.25');
  });

  it('begins anew when the entry of another copier crosses zero, because the net amount never is zero', async () => {
    const earlier = await insertLot('SELL', '1', 1);
    await closeLot(earlier, '1', '100', 2);
    const long = await insertLot('BUY', '1', 3);
    await payFunding('-0.5', 4);
    await read(4, [venuePosition({ amount: '1' })]);
    // The entry of a copier opens a lot of 2, and the lot of the other copier stays open.
    const short = await insertLot('SELL', '2', 5);
    await payFunding('-2', 6);
    await reports.storeUpdate(account.uuid, [venuePosition({ side: 'SHORT', amount: '1' })], at(6));
    await closeLot(short, '0.5', '1.25', 7);
    await reports.storeUpdate(account.uuid, [venuePosition({ side: 'SHORT', amount: '0.5' })], at(7));
    expect((await listed())[0]).toMatchObject({ realized_pnl: '1.25', funding_paid: '2' });
    await closeLot(long, '1', '3', 8);
    await closeLot(short, '1.5', '-0.25', 9);
    await read(9, []);
    expect(await resultsSeen()).toEqual([
      ['position.opened', 'LONG', '0', '0.5'],
      ['position.closed', 'LONG', '0', '0.5'],
      ['position.opened', 'SHORT', '0', '2'],
      ['position.changed', 'SHORT', '1.25', '2'],
      ['position.closed', 'SHORT', '4', '2'],
    ]);
  });

  it('of an exit that crosses zero belongs to the position that it ends', async () => {
    await insertLot('BUY', '1', 1);
    const short = await insertLot('SELL', '2', 2);
    await read(2, [venuePosition({ side: 'SHORT', amount: '1' })]);
    await closeLot(short, '2', '6', 3);
    await payFunding('-2', 4);
    await reports.storeUpdate(account.uuid, [venuePosition({ amount: '1' })], at(5));
    expect(await resultsSeen()).toEqual([
      ['position.opened', 'SHORT', '0', '0'],
      ['position.closed', 'SHORT', '6', '0'],
      ['position.opened', 'LONG', '0', '2'],
    ]);
  });

  it('is unknown to an opening whose fills are not stored yet: 0, not that of an earlier position', async () => {
    const first = await insertLot('BUY', '1', 1);
    await closeLot(first, '1', '7', 2);
    await read(3, [venuePosition({ amount: '1' })]);
    expect(await realized()).toBe('0');
  });
});

describe('the settings of markets', () => {
  it('are stored without a position, and kept by reports that lack them', async () => {
    await reports.storeSettings(account.uuid, SYMBOL, {
      leverage: '20',
      marginMode: 'ISOLATED',
      maxLeverage: '125',
    });
    const read1 = () =>
      marketSettings(core.platform.database.manager, [
        { exchangeAccountId: account.uuid, tradePairId: pair.uuid },
      ]);
    expect(await read1()).toMatchObject([
      { marginMode: 'ISOLATED', markPrice: null, amount: '0', side: null },
    ]);
    expect(await listed()).toEqual([]);
    await read(1, [venuePosition({ leverage: undefined })]);
    expect(await listed()).toMatchObject([{ leverage: '20', max_leverage: '125', margin_mode: 'CROSS' }]);
    expect(await core.events(actor.userId)).toHaveLength(1);
  });

  it('are missing from a position that a stream opened, until they are read', async () => {
    const update = async (more: Partial<VenuePosition>, seconds: number) =>
      (await reports.storeUpdate(account.uuid, [venuePosition(more)], at(seconds))).isIncomplete;
    expect(await update({}, 1)).toBe(true);
    await reports.storeSettings(account.uuid, SYMBOL, { leverage: '20', marginMode: 'CROSS' });
    expect(await update({ amount: '3' }, 2)).toBe(false);
    await core.rows('UPDATE positions SET mark_price = NULL WHERE exchange_account_id = $1', account.uuid);
    expect(await update({ amount: '4', markPrice: undefined }, 3)).toBe(true);
  });

  it('matter for markets with a position, an open order or a recent fill', async () => {
    expect(await reports.marketsInUse(account.uuid)).toEqual([]);
    await read(1, [venuePosition()]);
    expect(await reports.marketsInUse(account.uuid)).toEqual([SYMBOL]);
    expect(await reports.marketsInUse(account.uuid, true)).toEqual([SYMBOL]);
    await reports.storeSettings(account.uuid, SYMBOL, { leverage: '20', marginMode: 'CROSS' });
    expect(await reports.marketsInUse(account.uuid, true)).toEqual([]);
    await read(2, []);
    expect(await reports.marketsInUse(account.uuid)).toEqual([]);
    await core.rows(
      `INSERT INTO lot_books (exchange_account_id, trade_pair_id, last_executed_at) VALUES ($1, $2, now())`,
      account.uuid,
      pair.uuid,
    );
    expect(await reports.marketsInUse(account.uuid)).toEqual([SYMBOL]);
  });

  it.each([
    ['delisted', "is_active = false, inactive_reason = 'DELISTED'"],
    ['replaced', "is_active = false, inactive_reason = 'REPLACED', listed_symbol = symbol"],
  ])(
    'are not read for a %s pair, because the exchange would refuse to report them',
    async (_case, columns) => {
      await read(1, [venuePosition()]);
      expect(await reports.marketsInUse(account.uuid)).toEqual([SYMBOL]);
      await core.rows(`UPDATE trade_pairs SET ${columns} WHERE id = $1`, pair.uuid);
      expect(await reports.marketsInUse(account.uuid)).toEqual([]);
      await core.rows(
        'UPDATE trade_pairs SET is_active = true, inactive_reason = NULL, listed_symbol = NULL WHERE id = $1',
        pair.uuid,
      );
    },
  );
});

describe('the estimate of a margin', () => {
  let estimates: MarginEstimates;
  beforeAll(() => {
    estimates = new MarginEstimates(core.platform);
  });
  /** Stores a reading as of some seconds ago. */
  const readAgo = (seconds: number, position: Partial<VenuePosition>, more: Partial<AccountMargin> = {}) => {
    const instant = new Date(Date.now() - seconds * 1_000);
    const report = { positions: [venuePosition(position)], at: instant, until: instant };
    return reports.storeReading(account.uuid, { report, margin: margin(more) });
  };
  const move = (price: string) => estimates.move([account.uuid], { [SYMBOL]: price });
  const due = (...exchanges: string[]) => estimates.due([account.uuid], exchanges);

  it.each([
    ['LONG', '105', { equity: '990', unrealizedPnl: '10', maintenanceMargin: '95.454545454545454545' }],
    ['SHORT', '121', { equity: '978', unrealizedPnl: '-2', maintenanceMargin: '110' }],
  ] as const)('of a %s position follows the mark price to %s', async (side, price, expected) => {
    await readAgo(0, { side, unrealizedPnl: '20' });
    await move(price);
    const { manager } = core.platform.database;
    const { equity, maintenanceMargin } = expected;
    expect(await positionMargin(manager, account.uuid)).toMatchObject({ equity, maintenanceMargin });
    expect(await listed()).toMatchObject([{ mark_price: price, unrealized_pnl: expected.unrealizedPnl }]);
    expect(await calls()).toEqual([]);
  });

  it('of an isolated position moves its own margin, too', async () => {
    await readAgo(0, { marginMode: 'ISOLATED', isolatedMargin: '15', maintenanceMargin: '4' });
    await move('108');
    expect(await listed()).toMatchObject([{ margin_ratio: '2.80092592' }]);
    expect(await due('paper')).toEqual([]);
    await move('106');
    expect(await due('paper')).toEqual([account.uuid]);
  });

  it('leaves other accounts, unknown prices and closed positions as they are', async () => {
    await readAgo(0, {});
    const idle = await perpetualAccount(actor);
    await estimates.move([idle.uuid], { [SYMBOL]: '50' });
    await estimates.move([account.uuid], { 'ETH/USDT:USDT': '50' });
    await estimates.move([], { [SYMBOL]: '50' });
    expect(await listed()).toMatchObject([{ mark_price: '110', unrealized_pnl: '20' }]);
    expect(await estimates.openMarkets([idle.uuid, account.uuid])).toEqual([
      { exchange: 'paper', symbols: [SYMBOL], accountIds: [account.uuid] },
    ]);
    await reports.storeUpdate(account.uuid, [venuePosition({ amount: '0' })], new Date());
    expect(await estimates.openMarkets([account.uuid])).toEqual([]);
    expect(await due()).toEqual([]);
  });

  it('requires a reading of the accounts that hold a market without a mark price, and of none that is not active', async () => {
    await readAgo(0, {});
    const dueWithout = (symbol: string) => estimates.due([account.uuid], ['paper'], [`paper ${symbol}`]);
    expect(await dueWithout('ETH/USDT:USDT')).toEqual([]);
    expect(await dueWithout(SYMBOL)).toEqual([account.uuid]);
    await core.rows('UPDATE exchange_accounts SET is_active = false WHERE id = $1', account.uuid);
    expect([await dueWithout(SYMBOL), await due()]).toEqual([[], []]);
    expect(await estimates.openMarkets([account.uuid])).toEqual([]);
    await core.rows('UPDATE exchange_accounts SET is_active = true WHERE id = $1', account.uuid);
  });

  it('requires a reading when the margin may be low', async () => {
    await readAgo(0, { amount: '5' }, { equity: '210', maintenanceMargin: '100' });
    expect(await due('paper')).toEqual([]);
    await move('109');
    expect(await due('paper')).toEqual([]);
    await move('100');
    expect(await due('paper')).toEqual([account.uuid]);
  });

  it('requires a reading after 15 minutes, after a change of a position, and without mark prices', async () => {
    expect(await due()).toEqual([]);
    await readAgo(1_000, {});
    expect(await due('paper')).toEqual([account.uuid]);
    await readAgo(800, {});
    expect([await due('paper'), await due()]).toEqual([[], [account.uuid]]);
    await reports.storeUpdate(account.uuid, [venuePosition({ amount: '3' })], new Date());
    expect(await due('paper')).toEqual([account.uuid]);
  });
});

describe('setting the leverage', () => {
  type Input = WorkerCalls['position.set_leverage']['input'];

  /** Serves the call as a trading worker does, and returns what it received. */
  async function whileServing<T>(
    reply: (input: Input) => WorkerCalls['position.set_leverage']['reply'],
    during: () => Promise<T>,
  ) {
    const serving = serveWorkerCalls(
      await core.openSecondPlatform(),
      { 'position.set_leverage': async (input) => reply(input) },
      () => undefined,
    );
    try {
      return await during();
    } finally {
      await serving.stop();
    }
  }

  it('asks the worker, and returns the settings', async () => {
    const received: Input[] = [];
    const settings = await whileServing(
      (input) => {
        received.push(input);
        return { leverage: '5', marginMode: 'ISOLATED', maxLeverage: '125' };
      },
      () =>
        service.setLeverage(actor, account.id, {
          trade_pair_id: pair.id,
          leverage: '5',
          margin_mode: 'ISOLATED',
        }),
    );
    expect(received).toEqual([
      { account_id: account.uuid, symbol: SYMBOL, leverage: '5', margin_mode: 'ISOLATED' },
    ]);
    expect(settings).toEqual({
      exchange_account_id: account.id,
      trade_pair_id: pair.id,
      symbol: SYMBOL,
      leverage: '5',
      margin_mode: 'ISOLATED',
      max_leverage: '125',
    });
  });

  it('is refused on spot accounts, for pairs of spot, and for unknown ids', async () => {
    const update = { trade_pair_id: pair.id, leverage: '5' };
    const spot = await core.account(actor);
    await expect(service.setLeverage(actor, spot.id, update)).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'id', code: 'not_offered' }],
    });
    const spotPair = await core.pair();
    await expect(
      service.setLeverage(actor, account.id, { ...update, trade_pair_id: spotPair.id }),
    ).rejects.toMatchObject({ code: 'validation_failed', details: [{ field: 'trade_pair_id' }] });
    const other = await core.actor();
    await expect(service.setLeverage(other, account.id, update)).rejects.toMatchObject({ code: 'not_found' });
    const unknownPair = { ...update, trade_pair_id: encodeId('tpr', newUuid()) };
    await expect(service.setLeverage(actor, account.id, unknownPair)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is refused on an account that is not active', async () => {
    await core.rows('UPDATE exchange_accounts SET is_active = false WHERE id = $1', account.uuid);
    await expect(
      service.setLeverage(actor, account.id, { trade_pair_id: pair.id, leverage: '5' }),
    ).rejects.toMatchObject({ code: 'invalid_state' });
  });

  it('requires TRADE', async () => {
    const reader = { ...actor, credential: { ...actor.credential, permissions: ['READ' as const] } };
    await expect(
      service.setLeverage(reader, account.id, { trade_pair_id: pair.id, leverage: '5' }),
    ).rejects.toMatchObject({ code: 'permission_denied' });
  });
});
