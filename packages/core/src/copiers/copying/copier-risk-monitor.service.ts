/**
 * Stops copiers that lost too much, or whose exchange account no longer accepts its credentials.
 *
 * 1. A copier that reaches a limit is stopped once, with one event. Only its user can start it again, and one start is
 *    enough: the drawdown is then measured from the current result.
 * 2. The daily loss is the loss of the copies since 00:00 UTC; the drawdown is the fall from the peak result. Both
 *    include open and realised results and are measured per quote currency. Deposits and withdrawals do not count.
 * 3. Limits are checked under the copier's lock, so that a limit that was raised meanwhile does not stop the copier.
 */
import type { BreachReaction, CopierStatusReason, Decimal } from '@trading-automation/contracts';
import { inTransaction, queryPrepared, type Tx } from '@trading-automation/persistence';
import { invalidState } from '../../operations/index.js';
import type { Platform } from '../../platform/index.js';
import { equitiesOf } from '../../trade-pairs/index.js';
import { BigDecimal } from '../../values/index.js';
import { drawdownPercentOf } from '../planning/drawdown.rules.js';
import { stopRunning } from '../stop-copiers.js';
import { type CopierLosses, refreshLosses, resetPeaks } from './copier-marks.queries.js';

const BATCH_COPIERS = 500;

export class CopierRiskMonitor {
  constructor(private readonly platform: Platform) {}

  /** Checks every copier that is not paused. Returns how many copiers it stopped. */
  async check(): Promise<number> {
    const { database } = this.platform;
    let stopped = 0;
    for (const id of await copiersWithRejectedCredentials(database.manager)) {
      const stop = { status: 'CLOSE_ONLY', reason: 'CREDENTIALS' } as const;
      if (await inTransaction(database, (tx) => stopRunning(tx, id, stop))) stopped++;
    }
    for (let after = FIRST_ID; ; ) {
      const ids = await copiersWithLossLimits(database.manager, after);
      if (ids.length > 0) await inTransaction(database, (tx) => refreshLosses(tx, ids));
      for (const id of await copiersToCheck(database.manager, ids)) {
        if (await inTransaction(database, (tx) => stopIfBreached(tx, id))) stopped++;
      }
      if (ids.length < BATCH_COPIERS) return stopped;
      after = ids.at(-1)!;
    }
  }
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** The JSON path of a loss limit that a copier has for one pair alone. It prevents entries of the pair, and does not stop the copier. */
const OVERRIDDEN_LOSS_LIMIT =
  '$.*.limits ? (@.max_daily_loss_quote != null || @.max_drawdown_percent != null)';

async function copiersWithLossLimits(tx: Tx, after: string): Promise<string[]> {
  const rows = await queryPrepared<{ id: string }>(
    tx,
    `SELECT id FROM copiers WHERE id > $1 AND status <> 'PAUSED' AND deleted_at IS NULL
       AND (max_daily_loss_quote IS NOT NULL OR max_drawdown_percent IS NOT NULL OR jsonb_path_exists(overrides, $3))
     ORDER BY id LIMIT $2`,
    [after, BATCH_COPIERS, OVERRIDDEN_LOSS_LIMIT],
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns the copiers that may have reached a limit. `day_pnl` is the result at 00:00 UTC. Includes every copier with a
 * drawdown limit whose result is below its peak, because the percentage needs the equity, which this query does not
 * read.
 */
async function copiersToCheck(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await queryPrepared<{ id: string }>(
    tx,
    `SELECT DISTINCT c.id FROM copiers c JOIN copier_marks m ON m.copier_id = c.id
     WHERE c.id = ANY ($1) AND c.status <> 'PAUSED'
       AND NOT (c.status = 'CLOSE_ONLY' AND c.on_breach = 'CLOSE_ONLY')
       AND (m.day_pnl - m.pnl >= c.max_daily_loss_quote
         OR (c.max_drawdown_percent IS NOT NULL AND m.peak_pnl > m.pnl)) ORDER BY c.id`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

async function copiersWithRejectedCredentials(tx: Tx): Promise<string[]> {
  const rows = await queryPrepared<{ id: string }>(
    tx,
    `SELECT c.id FROM copiers c JOIN exchange_accounts a ON a.id = c.exchange_account_id
     WHERE c.status = 'ACTIVE' AND c.deleted_at IS NULL AND NOT a.is_active ORDER BY c.id`,
    [],
  );
  return rows.map(({ id }) => id);
}

/** The fields of a locked copier that a check of its limits needs. */
interface CopierToCheck {
  readonly id: string;
  readonly exchangeAccountId: string;
  readonly onBreach: BreachReaction;
  readonly maxDailyLossQuote: Decimal | null;
  readonly maxDrawdownPercent: Decimal | null;
  readonly sizingCapital: Decimal | null;
}

const LOCK_COPIER = `SELECT id, exchange_account_id AS "exchangeAccountId", on_breach AS "onBreach",
    max_daily_loss_quote AS "maxDailyLossQuote", max_drawdown_percent AS "maxDrawdownPercent",
    sizing_capital AS "sizingCapital"
  FROM copiers WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE`;

async function stopIfBreached(tx: Tx, id: string): Promise<boolean> {
  const [copier] = await queryPrepared<CopierToCheck>(tx, LOCK_COPIER, [id]);
  if (copier === undefined) return false;
  const losses = await refreshLosses(tx, [id]);
  const reason = dailyLossBreach(copier, losses) ?? (await drawdownBreach(tx, copier, losses));
  if (reason === null) return false;
  return stopRunning(tx, id, { status: copier.onBreach === 'PAUSE' ? 'PAUSED' : 'CLOSE_ONLY', reason });
}

function dailyLossBreach(
  copier: Pick<CopierToCheck, 'maxDailyLossQuote'>,
  losses: readonly CopierLosses[],
): CopierStatusReason | null {
  const limit = copier.maxDailyLossQuote;
  if (limit === null) return null;
  return losses.some(({ dayLossQuote }) => new BigDecimal(dayLossQuote).gte(limit)) ? 'DAILY_LOSS' : null;
}

async function drawdownBreach(
  tx: Tx,
  copier: Pick<CopierToCheck, 'exchangeAccountId' | 'maxDrawdownPercent' | 'sizingCapital'>,
  losses: readonly CopierLosses[],
): Promise<CopierStatusReason | null> {
  const { maxDrawdownPercent: limit, exchangeAccountId, sizingCapital } = copier;
  if (limit === null) return null;
  for (const { quote, drawdownQuote } of losses) {
    const equity = (await equitiesOf(tx, [exchangeAccountId], quote)).get(exchangeAccountId)?.amount ?? null;
    const percent = drawdownPercentOf({ drawdownQuote, equity, capital: sizingCapital });
    if (percent !== null && new BigDecimal(percent).gte(limit)) return 'DRAWDOWN';
  }
  return null;
}

/**
 * Checks that a copier to be started has not reached its daily loss limit. A restart does not reset the day's loss.
 *
 * @throws {DomainError} `invalid_state`
 */
export async function assertNotOverDailyLoss(
  tx: Tx,
  copier: Pick<CopierToCheck, 'id' | 'maxDailyLossQuote'>,
): Promise<void> {
  if (copier.maxDailyLossQuote === null) return;
  if (dailyLossBreach(copier, await refreshLosses(tx, [copier.id])) === null) return;
  const message =
    'The loss since 00:00 UTC has reached max_daily_loss_quote. Raise the limit, or start the copier tomorrow.';
  throw invalidState(message, 'DAILY_LOSS');
}

/**
 * Sets the peak of a copier to be started to its current result, if a drawdown stopped it or its limit is reached now. The
 * limit may be reached although another stop was the last one: the daily loss was, or the result fell while it was paused.
 */
export async function resetPeakAfterDrawdown(
  tx: Tx,
  copier: Omit<CopierToCheck, 'onBreach' | 'maxDailyLossQuote'> & {
    readonly statusReason: CopierStatusReason | null;
  },
): Promise<void> {
  const wasStopped = copier.statusReason === 'DRAWDOWN';
  if (!wasStopped && copier.maxDrawdownPercent === null) return;
  const losses = await refreshLosses(tx, [copier.id]);
  if (wasStopped || (await drawdownBreach(tx, copier, losses)) !== null) await resetPeaks(tx, [copier.id]);
}
