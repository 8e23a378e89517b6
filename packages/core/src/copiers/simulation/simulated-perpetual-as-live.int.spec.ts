/**
 * Plays random trades of a leader on perpetuals, copies them live, and simulates the same copiers. The exchange of this test
 * reports balances, positions and margins as a venue in one-way mode and cross margin does.
 */
import type { Simulation } from '@trading-automation/contracts';
import { inTransaction, newUuid } from '@trading-automation/persistence';
import type { RecordIds } from '../../testing/index.js';
import { bookPayments, lockBooks } from '../../trades/index.js';
import { BigDecimal } from '../../values/index.js';
import { refreshLosses } from '../copying/copier-marks.queries.js';
import { CopyingUnderTest, type Follower } from '../testing/copying-under-test.js';
import { CopierSimulation } from './copier-simulation.service.js';

const FEE = '0.001';
const LEVERAGE = '5';
const MAX_LEVERAGE = '20';
/** The estimate of a simulation: 1 ÷ the highest leverage. */
const MAINTENANCE = '0.05';
const FUNDING_RATE = '0.0003';

/** A perpetual with its last price, and the leader's position in it. */
interface Market {
  readonly pair: RecordIds;
  readonly symbol: string;
  price: string;
  led: BigDecimal;
}

interface Copied {
  readonly follower: Follower;
  readonly balance: string;
}

let env: CopyingUnderTest;
let markets: readonly Market[];

beforeAll(async () => {
  env = await CopyingUnderTest.open('perpetual');
  await env.setPair(`taker_fee = ${FEE}`);
  const eth = await env.core.pair({
    base: 'ETH',
    trading_type: 'perpetual',
    amount_step: '0.001',
    min_amount: '0.001',
    taker_fee: FEE,
  });
  markets = [
    { pair: env.pair, symbol: 'BTC/USDT:USDT', price: '100', led: new BigDecimal(0) },
    { pair: eth, symbol: 'ETH/USDT:USDT', price: '100', led: new BigDecimal(0) },
  ];
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.reset();
  for (const market of markets) {
    Object.assign(market, { price: '100', led: new BigDecimal(0) });
    await setPrice(market, '100');
  }
});

/** Returns a deterministic generator of random integers from 0 to `sides - 1`. */
function seededRandom(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

async function setPrice(market: Market, price: string): Promise<void> {
  market.price = price;
  await env.core.rows('UPDATE trade_pairs SET last_price = $2 WHERE id = $1', market.pair.uuid, price);
}

/** Creates a copier of the leader's own, on an account of its own with this balance. */
async function copier(balance: string, settings: Readonly<Record<string, unknown>>): Promise<Copied> {
  const account = await env.account(env.leader, { USDT: balance });
  const follower = await env.follower(settings, { on: { actor: env.leader, account } });
  const copied = { follower, balance };
  await report(copied);
  return copied;
}

/** Returns what the account has: its equity, and its net position in each market. */
async function stateOf({ follower, balance }: Copied) {
  const rows = await env.core.rows(
    `SELECT t.trade_pair_id AS pair,
       sum(CASE t.side WHEN 'BUY' THEN f.amount ELSE -f.amount END)::text AS net,
       sum(CASE t.side WHEN 'BUY' THEN -f.amount * f.price ELSE f.amount * f.price END - f.fee_amount)::text AS flow
     FROM fills f JOIN trades t ON t.id = f.trade_id WHERE f.exchange_account_id = $1 GROUP BY 1`,
    follower.account.uuid,
  );
  const { paid } = await env.core.row(
    'SELECT coalesce(sum(amount), 0)::text AS paid FROM funding_payments WHERE exchange_account_id = $1',
    follower.account.uuid,
  );
  let equity = new BigDecimal(balance).plus(String(paid));
  const positions = markets.map((market) => {
    const row = rows.find(({ pair }) => pair === market.pair.uuid);
    const net = new BigDecimal(String(row?.net ?? '0'));
    equity = equity.plus(String(row?.flow ?? '0')).plus(net.times(market.price));
    return { market, net, notional: net.abs().times(market.price) };
  });
  return { equity, positions };
}

/** Stores what the exchange reports: balances, margin and positions, which are entered at their mark price. */
async function report(copied: Copied): Promise<void> {
  const { account, actor } = copied.follower;
  const { equity, positions } = await stateOf(copied);
  const notional = positions.reduce((sum, position) => sum.plus(position.notional), new BigDecimal(0));
  const margin = notional.div(LEVERAGE);
  await setBalance(account, equity.minus(margin).toString(), margin.toString());
  await env.core.rows(
    `INSERT INTO account_margins (exchange_account_id, currency, equity, available, maintenance_margin, read_at)
     VALUES ($1, 'USDT', $2, $2, $3, clock_timestamp())
     ON CONFLICT (exchange_account_id) DO UPDATE SET equity = excluded.equity,
       maintenance_margin = excluded.maintenance_margin`,
    account.uuid,
    equity.toString(),
    notional.times(MAINTENANCE).toString(),
  );
  for (const { market, net } of positions)
    await env.core.rows(
      `INSERT INTO positions (id, user_id, exchange_account_id, trade_pair_id, symbol, leverage, max_leverage, margin_mode,
         side, amount, entry_price, mark_price)
       VALUES ($1, $2, $3, $4, $5, ${LEVERAGE}, ${MAX_LEVERAGE}, 'CROSS', $6, $7, $8, $8)
       ON CONFLICT (exchange_account_id, symbol) DO UPDATE SET side = excluded.side, amount = excluded.amount,
         entry_price = excluded.entry_price, mark_price = excluded.mark_price`,
      newUuid(),
      actor.userId,
      account.uuid,
      market.pair.uuid,
      market.symbol,
      net.lt(0) ? 'SHORT' : 'LONG',
      net.abs().toString(),
      market.price,
    );
}

/** The report is dated later than all fills that it contains. */
async function setBalance(account: RecordIds, free: string, locked: string): Promise<void> {
  await env.core.rows(
    `UPDATE exchange_accounts SET balances = $2, balances_taken_at = clock_timestamp(), venue_balances_at = at,
       venue_balances = jsonb_build_object('USDT', ($2::jsonb -> 'USDT') || jsonb_build_object('source', 'SNAPSHOT',
         'received', 0, 'at', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
     FROM (SELECT date_trunc('milliseconds', clock_timestamp()) + interval '1 second' AS at) AS taken WHERE id = $1`,
    account.uuid,
    // What is locked is the margin of the positions.
    JSON.stringify({ USDT: { free, locked, marginDeducted: locked } }),
  );
}

/** Fills all copies at the price of the leader's fill, with the taker fee in USDT. */
async function fillCopies(price: string): Promise<void> {
  const open = await env.core.rows(
    "SELECT id, amount FROM trades WHERE copier_id IS NOT NULL AND status = 'PENDING' AND user_id = $1 ORDER BY id",
    env.leader.userId,
  );
  for (const { id, amount } of open) {
    const baseFee = new BigDecimal(String(amount)).times(price).times(FEE).toString();
    await env.execute({ id: String(id) }, { price, baseFee });
  }
  await env.runDecisionsNow();
}

/** The leader trades, in one or more fills. Each is copied before the next one. */
async function lead(
  copies: readonly Copied[],
  market: Market,
  amount: BigDecimal,
  parts: readonly string[] = ['1'],
): Promise<void> {
  const side = amount.gt(0) ? 'BUY' : 'SELL';
  const id = await env.leaderOrder(side, amount.abs().toString(), {
    trade_pair_id: market.pair.uuid,
    symbol: market.symbol,
    leader_equity: '5000',
  });
  for (const share of parts) {
    for (const copied of copies) await report(copied);
    const part = amount.abs().times(share).toDecimalPlaces(6);
    await env.fill(id, { amount: part.toString(), price: market.price });
    market.led = amount.gt(0) ? market.led.plus(part) : market.led.minus(part);
    await env.runUntilIdle();
    await fillCopies(market.price);
  }
}

/** Funding of a market: its rate is recorded, and each account pays or receives it. */
async function fund(copies: readonly Copied[], market: Market): Promise<void> {
  const { at } = await env.core.row(
    `INSERT INTO funding_rates (trade_pair_id, at, rate, mark_price)
     VALUES ($1, date_trunc('milliseconds', clock_timestamp()), $2, $3) RETURNING at`,
    market.pair.uuid,
    FUNDING_RATE,
    market.price,
  );
  for (const copied of copies) {
    const { positions } = await stateOf(copied);
    const { net } = positions.find((position) => position.market === market)!;
    if (net.isZero()) continue;
    const amount = net.times(market.price).times(FUNDING_RATE).negated().toString();
    await storePayment(copied.follower, market, amount, at as Date);
  }
}

/** Stores a payment and books it to the lots, as the product does for one that the exchange reports. */
async function storePayment(
  { actor, account }: Follower,
  { pair, symbol }: Market,
  amount: string,
  at: Date,
): Promise<void> {
  const id = newUuid();
  const key = { exchangeAccountId: account.uuid, tradePairId: pair.uuid };
  await inTransaction(env.core.platform.database, async (tx) => {
    await lockBooks(tx, [key]);
    await tx.query(
      `INSERT INTO funding_payments (id, user_id, exchange_account_id, trade_pair_id, symbol, venue_payment_id, amount,
         currency, paid_at) VALUES ($1, $2, $3, $4, $5, $1::uuid::text, $6, 'USDT', $7)`,
      [id, actor.userId, account.uuid, pair.uuid, symbol, amount, at],
    );
    await bookPayments(tx, [id]);
  });
}

interface Compared {
  readonly simulation: Simulation;
  readonly codes: readonly string[];
}

/** Simulates the copier on an account as it was at the start, and compares with what was copied live. */
async function compare({ follower, balance }: Copied): Promise<Compared> {
  const [losses] = await refreshLosses(env.core.platform.database.manager, [follower.uuid]);
  const { fees } = await env.core.row(
    'SELECT trim_scale(coalesce(sum(fee_amount), 0))::text AS fees FROM fills WHERE exchange_account_id = $1',
    follower.account.uuid,
  );
  const { paid } = await env.core.row(
    'SELECT trim_scale(coalesce(sum(amount), 0))::text AS paid FROM lot_funding WHERE exchange_account_id = $1',
    follower.account.uuid,
  );
  const { stats } = await env.copierOf(follower);
  await setBalance(follower.account, balance, '0');
  await env.core.rows(
    'UPDATE positions SET amount = 0 WHERE exchange_account_id = $1',
    follower.account.uuid,
  );
  const simulation = await new CopierSimulation(env.core.platform).simulate(env.leader, follower.copier.id);
  const live = await env.decisions(follower);
  expect(
    simulation.decisions.map(({ sequence, kind, outcome, code, target_amount, sent_amount }) => ({
      sequence,
      kind,
      outcome,
      code: code ?? null,
      target: target_amount,
      sent: sent_amount,
    })),
  ).toEqual(
    live.map(({ sequence, kind, outcome, code, target, sent }) => ({
      sequence,
      kind,
      outcome,
      code,
      target,
      sent,
    })),
  );
  expect(simulation.starting_equity).toBe(balance);
  expect(simulation.fees).toBe(fees);
  expect(simulation.funding).toBe(paid);
  expect(simulation.net_pnl).toBe(new BigDecimal(losses?.pnl ?? '0').toString());
  expect(simulation.tracking_difference_bps).toBe(stats.tracking_difference_bps ?? null);
  return { simulation, codes: live.map(({ kind, outcome, code }) => String(code ?? `${kind} ${outcome}`)) };
}

it('a short, an exit and a flip have the same decisions and results as live', async () => {
  const copies = [
    await copier('100000', {}),
    await copier('100000', { limits: { max_open_trades: 1 } }),
    await copier('100', { limits: { max_leverage: '3' } }),
  ];
  const [market] = markets as [Market];
  await lead(copies, market, new BigDecimal('-5'));
  await setPrice(market, '90');
  await fund(copies, market);
  await lead(copies, market, new BigDecimal('2'));
  // The fill closes the rest of the short and opens a long; the entry is planned before the exit is filled.
  await lead(copies, market, new BigDecimal('7'));
  await lead(copies, market, new BigDecimal('1'));
  await setPrice(market, '95');
  await lead(copies, market, new BigDecimal('-1'));
  const [free, oneTrade, leveraged] = [
    await compare(copies[0]!),
    await compare(copies[1]!),
    await compare(copies[2]!),
  ];
  expect(free.codes).toEqual([
    'OPEN COPIED',
    'REDUCE COPIED',
    'CLOSE COPIED',
    'OPEN COPIED',
    'OPEN COPIED',
    'REDUCE COPIED',
  ]);
  // The lot that the flip closes does not count, and another lot counts.
  expect(oneTrade.codes).toEqual([
    'OPEN COPIED',
    'REDUCE COPIED',
    'CLOSE COPIED',
    'OPEN COPIED',
    'MAX_TRADES',
    'REDUCE COPIED',
  ]);
  expect(leveraged.codes).toContain('OPEN COPIED');
  // The short received funding: 2.5 × 90 × 0.0003.
  expect(free.simulation.funding).toBe('0.0675');
});

it('a flip uses the margin that its exit frees, as live', async () => {
  const copies = [await copier('60', {})];
  const [market] = markets as [Market];
  await lead(copies, market, new BigDecimal('-5'));
  // The copier holds 2.5, which take 50 of its margin; so does the new lot.
  await lead(copies, market, new BigDecimal('10'));
  await lead(copies, market, new BigDecimal('5'));
  const { codes } = await compare(copies[0]!);
  expect(codes).toEqual(['OPEN COPIED', 'CLOSE COPIED', 'OPEN COPIED', 'INSUFFICIENT_BALANCE']);
});

it('random trades have the same decisions and results as live', async () => {
  const copies = [
    await copier('100000', { sizing: { mode: 'MULTIPLIER', value: '0.37' } }),
    await copier('100000', {
      sizing: { mode: 'FIXED_QUOTE', value: '40' },
      limits: { max_open_quote: '70', max_open_trades: 2 },
    }),
    await copier('30', { sizing: { mode: 'MULTIPLIER', value: '0.5' } }),
    await copier('150', {
      sizing: { mode: 'MULTIPLIER', value: '1' },
      limits: { max_leverage: '1.5' },
      overrides: { 'ETH/USDT:USDT': { limits: { max_leverage: '0.7' } } },
    }),
    await copier('400', {
      sizing: { mode: 'EQUITY_RATIO', value: '6' },
      limits: { min_margin_ratio: '40', max_trade_quote: '900' },
    }),
    await copier('1000', {
      sizing: { mode: 'MULTIPLIER', value: '1' },
      limits: { allowed_sides: ['SELL'] },
    }),
  ];
  const roll = seededRandom(4_711);
  for (let round = 0; round < 24; round += 1) {
    const market = markets[roll(2)]!;
    await setPrice(market, (90 + roll(2_000) / 100).toFixed(2));
    if (roll(4) === 0) await fund(copies, market);
    const size = new BigDecimal((1 + roll(4_000)) / 1_000);
    const amount = roll(5) === 0 ? market.led.negated() : roll(2) === 0 ? size : size.negated();
    if (amount.isZero()) continue;
    await lead(copies, market, amount, roll(4) === 0 ? ['0.25', '0.5'] : ['1']);
  }
  const codes = new Set<string>();
  for (const copied of copies) for (const code of (await compare(copied)).codes) codes.add(code);
  expect([...codes]).toEqual(
    expect.arrayContaining([
      'OPEN COPIED',
      'REDUCE COPIED',
      'CLOSE COPIED',
      'MAX_OPEN',
      'MAX_TRADES',
      'MAX_LEVERAGE',
      'MARGIN_RATIO',
      'INSUFFICIENT_BALANCE',
      'SIDE_BLOCKED',
    ]),
  );
}, 240_000);
