/** Stores reports of positions, and emits an event for each change of an amount, in the same transaction. */
import { type EventType, position as positionSchema } from '@trading-automation/contracts';
import { newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import { emitEvents } from '../operations/index.js';
import { type PositionStep, type Report, type StoredPosition, stepsOf } from './position.rules.js';
import { viewPosition } from './position.view.js';
import { type PositionViewRow, positionsByIds } from './positions.queries.js';

/** The result of storing a report. */
export interface StoredReport {
  /** Whether the amount of a position changed. */
  readonly isChanged: boolean;
}

/** Stores a report of one account. The caller holds the lock of the account. */
export async function storePositions(tx: Tx, accountId: string, report: Report): Promise<StoredReport> {
  const steps = stepsOf(await storedPositions(tx, accountId), report);
  for (const round of roundsOf(steps)) {
    const ids = await writePositions(tx, accountId, round);
    const events = round.flatMap(({ position: { symbol }, event }) =>
      event === null ? [] : [{ type: event, id: ids.get(symbol)! }],
    );
    await emitPositionEvents(tx, events);
  }
  return { isChanged: steps.some(({ event }) => event !== null) };
}

/** Emits events with the positions as they are stored now. */
export async function emitPositionEvents(
  tx: Tx,
  events: readonly { readonly type: EventType; readonly id: string }[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = await positionsByIds(tx, [...new Set(events.map(({ id }) => id))]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  await emitEvents(
    tx,
    events.flatMap(({ type, id }) => {
      const row = byId.get(id);
      return row === undefined ? [] : [eventOf(type, row)];
    }),
  );
}

function eventOf(type: EventType, row: PositionViewRow) {
  return { userId: row.userId, type, schema: positionSchema, record: viewPosition(row) };
}

/** Splits the steps so that each round has at most one step of a position. */
function roundsOf(steps: readonly PositionStep[]): readonly (readonly PositionStep[])[] {
  const rounds: PositionStep[][] = [];
  const counts = new Map<string, number>();
  for (const step of steps) {
    const { symbol } = step.position;
    const round = counts.get(symbol) ?? 0;
    counts.set(symbol, round + 1);
    const into = rounds[round] ?? [];
    rounds[round] = into;
    into.push(step);
  }
  return rounds;
}

async function storedPositions(tx: Tx, accountId: string): Promise<StoredPosition[]> {
  return queryPrepared<StoredPosition & Record<string, unknown>>(
    tx,
    `SELECT p.symbol, p.side, p.amount, p.entry_price AS "entryPrice", p.mark_price AS "markPrice",
       p.liquidation_price AS "liquidationPrice", p.unrealized_pnl AS "unrealizedPnl",
       p.maintenance_margin AS "maintenanceMargin", p.isolated_margin AS "isolatedMargin", p.leverage,
       p.margin_mode AS "marginMode", p.is_supported AS "isSupported", p.reported_at AS "reportedAt"
     FROM positions p WHERE p.exchange_account_id = $1 ORDER BY p.symbol`,
    [accountId],
  );
}

/** Writes positions, and returns their ids by symbol. */
async function writePositions(
  tx: Tx,
  accountId: string,
  steps: readonly PositionStep[],
): Promise<ReadonlyMap<string, string>> {
  const rows = steps.map(({ position }) => ({ id: newUuid(), ...position }));
  const written = await queryPrepared<{ id: string; symbol: string }>(tx, WRITE, [
    accountId,
    JSON.stringify(rows),
  ]);
  return new Map(written.map(({ id, symbol }) => [symbol, id]));
}

const WRITE = `INSERT INTO positions AS p (id, user_id, exchange_account_id, trade_pair_id, symbol, side, amount,
    entry_price, mark_price, liquidation_price, unrealized_pnl, maintenance_margin, isolated_margin, leverage,
    margin_mode, is_supported, reported_at)
  SELECT r.id, a.user_id, a.id, t.id, r.symbol, r.side, r.amount, r."entryPrice", r."markPrice", r."liquidationPrice",
    r."unrealizedPnl", r."maintenanceMargin", r."isolatedMargin", r.leverage, r."marginMode", r."isSupported",
    r."reportedAt"
  FROM jsonb_to_recordset($2::jsonb) AS r (id uuid, symbol text, side text, amount numeric, "entryPrice" numeric,
    "markPrice" numeric, "liquidationPrice" numeric, "unrealizedPnl" numeric, "maintenanceMargin" numeric,
    "isolatedMargin" numeric, leverage numeric, "marginMode" text, "isSupported" boolean, "reportedAt" timestamptz)
  JOIN exchange_accounts a ON a.id = $1
  LEFT JOIN trade_pairs t ON t.exchange = a.exchange AND t.trading_type = a.trading_type AND t.symbol = r.symbol
  ON CONFLICT (exchange_account_id, symbol) DO UPDATE SET trade_pair_id = excluded.trade_pair_id, side = excluded.side,
    amount = excluded.amount, entry_price = excluded.entry_price, mark_price = excluded.mark_price,
    liquidation_price = excluded.liquidation_price, unrealized_pnl = excluded.unrealized_pnl,
    maintenance_margin = excluded.maintenance_margin, isolated_margin = excluded.isolated_margin,
    leverage = excluded.leverage, margin_mode = excluded.margin_mode, is_supported = excluded.is_supported,
    reported_at = excluded.reported_at, is_margin_called = p.is_margin_called AND excluded.amount > 0,
    updated_at = clock_timestamp()
  RETURNING p.id, p.symbol`;
