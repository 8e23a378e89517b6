/**
 * Stores what exchanges report about positions, margins and leverage. position.rules.ts decides what a report changes.
 *
 * A report of one account is stored while the account is locked, so the events of its positions keep their order.
 */
import type {
  AccountMargin,
  LeverageSettings,
  PositionReport,
  VenuePosition,
} from '@trading-automation/exchanges';
import { inTransaction, newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import { lockAccounts } from '../exchange-accounts/index.js';
import type { Platform } from '../platform/index.js';
import { storeMargin } from './margin-calls.js';
import type { Report } from './position.rules.js';
import { type StoredReport, storePositions } from './store-positions.js';

/** A complete read of an account. */
export interface MarginReading {
  readonly report: PositionReport;
  readonly margin: AccountMargin;
}

export interface StoredPositions extends StoredReport {
  /** Whether an open position lacks a mark price, or the settings of its market, so that the account should be read. */
  readonly isIncomplete: boolean;
}

/** The markets whose settings one reconciliation reads, at most: each costs a call. */
const MARKETS_MAX = 20;
/** A market counts as traded for this number of days after its last fill. */
const TRADED_DAYS = 7;

export class PositionReports {
  constructor(private readonly platform: Platform) {}

  /** Stores all positions and the margin of an account. Positions that the report lacks are closed. */
  storeReading(accountId: string, { report, margin }: MarginReading): Promise<StoredReport> {
    const { positions, at } = report;
    return this.locked(accountId, UNCHANGED, async (tx) => {
      const stored = await storePositions(tx, accountId, { positions, at, isComplete: true });
      await storeMargin(tx, accountId, margin, at);
      return stored;
    });
  }

  /** Stores the positions that a stream reports as changed. */
  storeUpdate(accountId: string, positions: readonly VenuePosition[], at: Date): Promise<StoredPositions> {
    const report: Report = { positions, at, isComplete: false };
    return this.locked(accountId, { ...UNCHANGED, isIncomplete: false }, async (tx) => {
      const stored = await storePositions(tx, accountId, report);
      return { ...stored, isIncomplete: await isIncomplete(tx, accountId) };
    });
  }

  /** Stores the leverage and the margin mode of an account for a market. */
  async storeSettings(accountId: string, symbol: string, settings: LeverageSettings): Promise<void> {
    const { leverage, marginMode, maxLeverage = null } = settings;
    await queryPrepared(this.platform.database.manager, WRITE_SETTINGS, [
      newUuid(),
      accountId,
      symbol,
      leverage,
      marginMode,
      maxLeverage,
    ]);
  }

  /**
   * Returns the markets whose settings matter: with a position, an open order or a recent fill, and those that a strategy
   * trades which a copier of the account copies. The settings that were read least recently come first.
   *
   * @param isUnread whether to return only markets whose settings were never read
   */
  async marketsInUse(accountId: string, isUnread = false): Promise<readonly string[]> {
    const rows = await queryPrepared<{ symbol: string }>(this.platform.database.manager, MARKETS_IN_USE, [
      accountId,
      TRADED_DAYS,
      MARKETS_MAX,
      isUnread,
    ]);
    return rows.map(({ symbol }) => symbol);
  }

  /** Runs `store` while the account is locked. Returns `absent` if the account does not exist. */
  private locked<T>(accountId: string, absent: T, store: (tx: Tx) => Promise<T>): Promise<T> {
    return inTransaction(this.platform.database, async (tx) => {
      const locked = await lockAccounts(tx, [accountId]);
      return locked.has(accountId) ? store(tx) : absent;
    });
  }
}

const UNCHANGED: StoredReport = { isChanged: false };

async function isIncomplete(tx: Tx, accountId: string): Promise<boolean> {
  const rows = await queryPrepared<{ id: string }>(
    tx,
    `SELECT id FROM positions WHERE exchange_account_id = $1 AND amount > 0
       AND (mark_price IS NULL OR (is_supported AND settings_at IS NULL))
     LIMIT 1`,
    [accountId],
  );
  return rows.length > 0;
}

const WRITE_SETTINGS = `INSERT INTO positions AS p (id, user_id, exchange_account_id, trade_pair_id, symbol, leverage,
    margin_mode, max_leverage, settings_at)
  SELECT $1::uuid, a.user_id, a.id, t.id, $3::text, $4::numeric, $5::text, $6::numeric, clock_timestamp()
  FROM exchange_accounts a
  LEFT JOIN trade_pairs t ON t.exchange = a.exchange AND t.trading_type = a.trading_type AND t.symbol = $3
  WHERE a.id = $2
  ON CONFLICT (exchange_account_id, symbol) DO UPDATE SET leverage = excluded.leverage,
    margin_mode = excluded.margin_mode, max_leverage = coalesce(excluded.max_leverage, p.max_leverage),
    settings_at = excluded.settings_at, updated_at = clock_timestamp()`;

/** Without pairs that are delisted or replaced, whose settings the exchange would refuse to report. */
const MARKETS_IN_USE = `
  WITH used AS (
    SELECT p.symbol FROM positions p WHERE p.exchange_account_id = $1 AND p.amount > 0 AND p.is_supported
    UNION
    SELECT t.symbol FROM trades t
    WHERE t.exchange_account_id = $1 AND t.status IN ('PENDING', 'PARTIALLY_FILLED')
    UNION
    SELECT t.symbol FROM lot_books b JOIN trade_pairs t ON t.id = b.trade_pair_id
    WHERE (b.exchange_account_id = $1 OR b.exchange_account_id IN (
        SELECT s.exchange_account_id FROM copiers c JOIN strategies s ON s.id = c.strategy_id
        WHERE c.exchange_account_id = $1 AND c.deleted_at IS NULL AND c.status <> 'PAUSED'))
      AND b.last_executed_at > clock_timestamp() - $2 * interval '1 day'
  )
  SELECT used.symbol FROM used
  JOIN exchange_accounts a ON a.id = $1
  JOIN trade_pairs t ON t.exchange = a.exchange AND t.trading_type = a.trading_type AND t.symbol = used.symbol
  LEFT JOIN positions p ON p.exchange_account_id = $1 AND p.symbol = used.symbol
  WHERE a.trading_type = 'perpetual' AND t.listed_symbol IS NULL
    AND (t.is_active OR t.inactive_reason IS DISTINCT FROM 'DELISTED') AND (p.settings_at IS NULL OR NOT $4)
  ORDER BY p.settings_at NULLS FIRST, used.symbol LIMIT $3`;
