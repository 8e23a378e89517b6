/** Stores the margin of an account, and emits `position.margin_call` when it becomes too low. */
import type { AccountMargin } from '@trading-automation/exchanges';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { BigDecimal } from '../values/index.js';
import { isMarginCalled } from './position.rules.js';
import { marginRatioOf } from './position.view.js';
import { openPositionsOf, type PositionViewRow } from './positions.queries.js';
import { emitPositionEvents } from './store-positions.js';

/**
 * Stores the margin of an account, unless a later one is stored, and judges margin calls. The caller holds the lock of the
 * account and has stored the positions that were read with the margin.
 */
export async function storeMargin(tx: Tx, accountId: string, margin: AccountMargin, at: Date): Promise<void> {
  const { currency, equity, available, maintenanceMargin } = margin;
  const written = await queryPrepared<{ id: string }>(tx, WRITE_MARGIN, [
    accountId,
    currency,
    equity,
    available,
    maintenanceMargin,
    at,
  ]);
  if (written.length === 0) return;
  const open = await openPositionsOf(tx, accountId);
  const called = [
    ...(await judgeAccount(
      tx,
      accountId,
      open.filter((row) => !isIsolated(row)),
    )),
    ...(await judgePositions(tx, open.filter(isIsolated))),
  ];
  await emitPositionEvents(
    tx,
    called.map((id) => ({ type: 'position.margin_call', id })),
  );
}

const isIsolated = ({ marginMode }: PositionViewRow) => marginMode === 'ISOLATED';

/** Judges the margin that the positions share. Returns the largest position if a margin call begins. */
async function judgeAccount(
  tx: Tx,
  accountId: string,
  positions: readonly PositionViewRow[],
): Promise<readonly string[]> {
  const [first] = positions;
  const isCalled =
    first !== undefined && isMarginCalled(first.isAccountCalled ?? false, marginRatioOf(first));
  const changed = await queryPrepared<{ id: string }>(
    tx,
    `UPDATE account_margins SET is_margin_called = $2 WHERE exchange_account_id = $1 AND is_margin_called <> $2
     RETURNING exchange_account_id AS id`,
    [accountId, isCalled],
  );
  if (!isCalled || changed.length === 0) return [];
  const largest = positions.reduce((a, b) => (notionalOf(b).gt(notionalOf(a)) ? b : a));
  return [largest.id];
}

/** Judges positions with a margin of their own. Returns those whose margin call begins. */
async function judgePositions(tx: Tx, positions: readonly PositionViewRow[]): Promise<readonly string[]> {
  const changed = positions
    .map((row) => ({ row, isCalled: isMarginCalled(row.isMarginCalled, marginRatioOf(row)) }))
    .filter(({ row, isCalled }) => isCalled !== row.isMarginCalled);
  if (changed.length === 0) return [];
  await queryPrepared(
    tx,
    `UPDATE positions p SET is_margin_called = judged.is_called
     FROM unnest($1::uuid[], $2::boolean[]) AS judged (id, is_called) WHERE p.id = judged.id`,
    [changed.map(({ row }) => row.id), changed.map(({ isCalled }) => isCalled)],
  );
  return changed.filter(({ isCalled }) => isCalled).map(({ row }) => row.id);
}

function notionalOf({ amount, markPrice, entryPrice }: PositionViewRow): BigDecimal {
  return new BigDecimal(amount).times(markPrice ?? entryPrice ?? 0);
}

const WRITE_MARGIN = `INSERT INTO account_margins AS m (exchange_account_id, currency, equity, available,
    maintenance_margin, read_at)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (exchange_account_id) DO UPDATE SET currency = excluded.currency, equity = excluded.equity,
    available = excluded.available, maintenance_margin = excluded.maintenance_margin, read_at = excluded.read_at
    WHERE m.read_at <= excluded.read_at
  RETURNING m.exchange_account_id AS id`;
