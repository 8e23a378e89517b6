import {
  type Copier,
  decodeId,
  type Simulation,
  type Trade,
  tradeCreate,
} from '@trading-automation/contracts';
import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';
import { newUuid } from '@trading-automation/persistence';
import type { RecordIds } from '../../testing/index.js';
import { TradeExecution, TradesService } from '../../trades/index.js';
import { BigDecimal } from '../../values/index.js';
import { CopyPlanner } from '../copying/copy-planner.service.js';
import { CopySettlement } from '../copying/copy-settlement.service.js';
import { CopiersUnderTest } from '../testing/copiers-under-test.js';
import { CopierSimulation } from './copier-simulation.service.js';

const FEE = 0.001;

let env: CopiersUnderTest;
let trades: TradesService;
let execution: TradeExecution;
let pairs: RecordIds[];
beforeAll(async () => {
  env = await CopiersUnderTest.open();
  const { platform, lists, commands } = env.core;
  trades = new TradesService({ platform, lists, commands });
  execution = new TradeExecution(platform);
  const rules = { amount_step: '0.001', min_amount: '0.001', min_notional: '5', taker_fee: String(FEE) };
  pairs = [
    await env.core.pair({ ...rules, symbol: 'BTC/USDT' }),
    await env.core.pair({ ...rules, base: 'ETH', symbol: 'ETH/USDT' }),
  ];
});
afterAll(() => env.close());
beforeEach(() => env.reset());

/** Returns a deterministic generator of random integers from 0 to `sides - 1`. */
function seededRandom(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

const toDecimal = (value: number) => String(Number(value.toFixed(9)));

/**
 * Reports one more fill of an order. The fee of copies is in the received asset. The leader pays none, because signals
 * do not include its fees.
 */
async function fill(id: string, amount: number, price: number, isLeader: boolean): Promise<void> {
  await env.core.rows(
    `UPDATE trades SET submitted_at = coalesce(submitted_at, clock_timestamp()), leader_equity = '5000',
       venue_client_order_id = $2 WHERE id = $1`,
    id,
    `venue-${id}`,
  );
  const trade = await env.core.row('SELECT * FROM trades WHERE id = $1', id);
  const filled = Number(trade.filled_amount) + amount;
  const side = trade.side as 'BUY' | 'SELL';
  const [base = '', quote = ''] = String(trade.symbol).split('/');
  const fee =
    side === 'BUY' && !isLeader
      ? { amount: toDecimal(amount * FEE), currency: base }
      : { amount: isLeader ? '0' : toDecimal(amount * price * FEE), currency: quote };
  const orderIds = { exchangeOrderId: `order-${id}`, venueClientOrderId: `venue-${id}` };
  const order: VenueOrder = {
    ...orderIds,
    symbol: String(trade.symbol),
    side,
    type: trade.type as VenueOrder['type'],
    timeInForce: trade.time_in_force as VenueOrder['timeInForce'],
    status: filled >= Number(trade.amount) - 1e-9 ? 'FILLED' : 'OPEN',
    amount: toDecimal(Number(trade.amount)),
    filledAmount: toDecimal(filled),
    createdAt: new Date(),
    updatedAt: new Date(),
  };
  const newFill: VenueFill = {
    ...orderIds,
    exchangeFillId: newUuid(),
    symbol: order.symbol,
    side,
    price: toDecimal(price),
    amount: toDecimal(amount),
    fee,
    liquidity: 'TAKER',
    executedAt: new Date(),
  };
  expect((await execution.storeOrders([{ tradeId: id, order, fills: [newFill] }])).has(id)).toBe(true);
}

async function leaderTrade(
  pair: RecordIds,
  side: 'BUY' | 'SELL',
  amount: number,
  price: number,
): Promise<string> {
  const input = tradeCreate.parse({
    exchange_account_id: env.source.id,
    trade_pair_id: pair.id,
    strategy_id: env.strategy.id,
    type: 'LIMIT',
    side,
    amount: toDecimal(amount),
    price: toDecimal(price),
  });
  const { id }: Trade = await trades.create(env.actor, input);
  return decodeId('trd', id)!;
}

/**
 * Runs live copying on the signals so far: fills every copy in full at the leader's price and settles every decision.
 */
async function copyLive(planner: CopyPlanner, settlement: CopySettlement): Promise<void> {
  const strategyId = decodeId('str', env.strategy.id)!;
  while ((await planner.planStrategy(strategyId)) > 0);
  const copies = await env.core.rows(
    "SELECT id, amount, copy FROM trades WHERE user_id = $1 AND copier_id IS NOT NULL AND status = 'PENDING'",
    env.actor.userId,
  );
  for (const { id, amount, copy } of copies) {
    const { reference_price } = copy as { reference_price: string };
    await fill(String(id), Number(amount), Number(reference_price), false);
  }
  await env.core.rows(
    "UPDATE decisions SET look_at = now() - interval '1 hour' + sequence * interval '1 ms' WHERE settled_at IS NULL",
  );
  while ((await settlement.settleNext()) > 0);
}

const SETTINGS = [
  { sizing: { mode: 'MULTIPLIER', value: '0.37' } },
  { sizing: { mode: 'FIXED_QUOTE', value: '40' }, below_minimum: 'SKIP' },
  { sizing: { mode: 'FIXED_AMOUNT', value: '0.15' }, below_minimum: 'ROUND_UP' },
  { sizing: { mode: 'EQUITY_RATIO', value: '1', capital: '1700' }, limits: { max_trade_quote: '25' } },
  { sizing: { mode: 'MULTIPLIER', value: '1' }, limits: { max_open_quote: '300', max_open_trades: 2 } },
  { sizing: { mode: 'MULTIPLIER', value: '0.05' }, limits: { blocked_pairs: ['ETH/USDT'] } },
];

/** Order books whose middle is the leader's price. */
const readReferencePrice = async (): Promise<string> => {
  const row = await env.core.row(
    `SELECT g.reference_price FROM signals g LEFT JOIN copy_progress p USING (strategy_id)
     WHERE g.sequence > coalesce(p.planned_sequence, 0) ORDER BY g.sequence LIMIT 1`,
  );
  return String(row.reference_price);
};

/** The exits of a lot of which an exit was delayed. A simulation gives the delayed amount to the next exit. */
const IN_DELAYED_LOT = `kind IN ('REDUCE', 'CLOSE') AND EXISTS (SELECT FROM decisions x
  WHERE x.copier_id = decisions.copier_id AND x.lot_trade_id = decisions.lot_trade_id AND x.delay_reported_at IS NOT NULL)`;

const sumOf = (amounts: readonly string[]) =>
  amounts.reduce((sum, amount) => sum.plus(amount), new BigDecimal(0)).toString();

type Parts = Simulation['tracking'];

/** Live amounts and fees are rounded to 9 decimals in this test. */
function expectSameTracking(simulated: Parts, live: Parts): void {
  const rounded = (parts: Parts) =>
    Object.entries(parts!).map(([name, bps]) => `${name} ${Number(bps).toFixed(2)}`);
  expect(rounded(simulated).sort()).toEqual(rounded(live).sort());
}

describe('the decisions of a simulation', () => {
  it('equal the decisions that live copying made on the same signals; an exit that is delayed live is sold with the next exit of its lot; both have the same tracking difference', async () => {
    const largeBalance = { free: '1000000000', locked: '0' };
    await env.core.rows('UPDATE exchange_accounts SET balances = $2 WHERE id = $1', env.source.uuid, {
      USDT: largeBalance,
      BTC: largeBalance,
      ETH: largeBalance,
    });
    const copiers: Copier[] = [];
    for (const settings of SETTINGS) {
      const account = await env.core.account(env.actor, { USDT: '1000000000' });
      copiers.push(await env.started({ ...settings, exchange_account_id: account.id }));
    }
    const planner = new CopyPlanner(env.core.platform, readReferencePrice);
    const settlement = new CopySettlement(env.core.platform);
    const roll = seededRandom(4_711);
    const held = [0, 0];
    for (let round = 0; round < 30; round += 1) {
      const pairIndex = roll(2);
      const price = 90 + roll(2_000) / 100;
      const isSale = held[pairIndex]! > 0 && roll(3) === 0;
      const amount = isSale
        ? Math.min(held[pairIndex]!, (1 + roll(2_000)) / 1_000)
        : (1 + roll(3_000)) / 1_000;
      const id = await leaderTrade(pairs[pairIndex]!, isSale ? 'SELL' : 'BUY', amount, price);
      // Some orders are filled in parts, and some never completely.
      const parts = roll(3) === 0 ? [amount * 0.25, amount * 0.5] : [amount];
      for (const part of parts.map((value) => Number(value.toFixed(6)))) {
        await fill(id, part, price, true);
        held[pairIndex]! += isSale ? -part : part;
        await copyLive(planner, settlement);
      }
      held[pairIndex] = Number(held[pairIndex]!.toFixed(6));
    }
    expect(
      await env.core.rows(
        "SELECT FROM decisions WHERE settled_at IS NULL AND code IS DISTINCT FROM 'BELOW_MINIMUM'",
      ),
    ).toEqual([]);
    const simulation = new CopierSimulation(env.core.platform);
    const codes = new Set<unknown>();
    let delayedCount = 0;
    for (const copier of copiers) {
      const live = await env.core.rows(
        `SELECT sequence::int, kind, outcome, code, trim_scale(target_amount)::text AS target_amount,
           trim_scale(sent_amount)::text AS sent_amount
         FROM decisions WHERE copier_id = $1 AND NOT (${IN_DELAYED_LOT}) ORDER BY sequence`,
        decodeId('cpr', copier.id),
      );
      const delayed = await env.core.rows(
        `SELECT sequence::int, trim_scale(sent_amount)::text AS sent FROM decisions
         WHERE copier_id = $1 AND ${IN_DELAYED_LOT} ORDER BY sequence`,
        decodeId('cpr', copier.id),
      );
      const isDelayed = new Set(delayed.map(({ sequence }) => sequence));
      const { decisions, tracking } = await simulation.simulate(env.actor, copier.id);
      expectSameTracking(tracking, (await env.copiers.get(env.actor, copier.id)).stats.tracking);
      const simulatedSent = decisions.filter(({ sequence }) => isDelayed.has(sequence));
      expect(sumOf(simulatedSent.map(({ sent_amount }) => sent_amount))).toBe(
        sumOf(delayed.map(({ sent }) => String(sent))),
      );
      delayedCount += delayed.length;
      expect(
        decisions
          .filter(({ sequence }) => !isDelayed.has(sequence))
          .map(({ sequence, kind, outcome, code, target_amount, sent_amount }) => ({
            sequence,
            kind,
            outcome,
            code: code ?? null,
            target_amount,
            sent_amount,
          })),
      ).toEqual(live);
      expect(live.length + delayed.length).toBeGreaterThan(30);
      for (const { outcome, code, kind } of live) codes.add(code ?? `${kind} ${outcome}`);
    }
    expect(delayedCount).toBeGreaterThan(0);
    // The comparison covers each of these outcomes.
    expect([...codes]).toEqual(
      expect.arrayContaining([
        'OPEN COPIED',
        'REDUCE COPIED',
        'CLOSE COPIED',
        'MAX_TRADE',
        'MAX_OPEN',
        'MAX_TRADES',
        'PAIR_BLOCKED',
        'BELOW_MINIMUM',
        'NOT_HELD',
      ]),
    );
  }, 120_000);
});
