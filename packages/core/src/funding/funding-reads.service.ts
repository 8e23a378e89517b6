/**
 * Decides which accounts' funding or interest is read, and from when.
 *
 * 1. Only an account with open lots or positions, or with lots that were closed since shortly before its last read, is read.
 *    An idle account costs no call.
 * 2. It is read once in each interval of funding, and after its stream connected. Each read begins before the end of the last
 *    one, because an exchange may list a payment late. If the stream reports funding at another time, for example because the exchange
 *    shortened the interval of a pair, it is read at once.
 * 3. A read that fails is tried again. What is complete moves on only after everything was stored.
 */
import { queryPrepared } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';
import {
  fundingIntervalMs,
  INTEREST_INTERVAL_MS,
  nextReadAt,
  PLANNED_WITHIN_MS,
} from './funding-schedule.rules.js';

/** A read of an account that is due. */
export interface DueFundingRead {
  readonly accountId: string;
  readonly tradingType: 'perpetual' | 'margin';
  /** The read returns what was paid or charged since then. */
  readonly since: Date;
  /** The database's time of the claim. A complete read contains everything before it that is listed. */
  readonly claimedAt: Date;
  readonly intervalMs: number;
}

/**
 * The accounts $1 that are due, with the time since which they hold something that was not read yet. $2 limits their
 * number; $3 is the time in ms until a claimed read is tried again.
 */
const CLAIM = `
  WITH due AS (
    SELECT a.id, a.trading_type, r.complete_until
    FROM exchange_accounts a LEFT JOIN funding_reads r ON r.exchange_account_id = a.id
    WHERE a.id = ANY ($1) AND a.deleted_at IS NULL AND a.is_active AND a.trading_type IN ('perpetual', 'margin')
      AND (r.due_at IS NULL OR r.due_at <= clock_timestamp())
  ), exposed AS (
    SELECT d.id, d.trading_type, d.complete_until, held.since
    FROM due d CROSS JOIN LATERAL (
      SELECT min(since) AS since FROM (
        SELECT l.opened_at AS since FROM lots l WHERE l.exchange_account_id = d.id AND l.open_amount > 0
        UNION ALL
        SELECT l.opened_at FROM lot_books b
        JOIN lots l ON l.exchange_account_id = b.exchange_account_id AND l.trade_pair_id = b.trade_pair_id
        WHERE b.exchange_account_id = d.id
          AND l.closed_at >= coalesce(d.complete_until - interval '10 minutes', clock_timestamp() - interval '30 days')
        UNION ALL
        SELECT p.created_at FROM positions p WHERE p.exchange_account_id = d.id AND p.amount > 0) x) held
    WHERE held.since IS NOT NULL ORDER BY d.complete_until NULLS FIRST, d.id LIMIT $2
  ), claimed AS (
    INSERT INTO funding_reads AS r (exchange_account_id, due_at)
    SELECT id, clock_timestamp() + $3 * interval '1 millisecond' FROM exposed
    ON CONFLICT (exchange_account_id) DO UPDATE SET due_at = excluded.due_at WHERE r.due_at <= clock_timestamp()
    RETURNING exchange_account_id)
  SELECT e.id AS "accountId", e.trading_type AS "tradingType", clock_timestamp() AS "claimedAt",
    greatest(e.since, coalesce(e.complete_until, clock_timestamp() - interval '30 days')) - interval '1 hour' AS since,
    (SELECT (extract(epoch FROM min(g.gap)) * 1000)::float8 FROM (
       SELECT f.at - lag(f.at) OVER (PARTITION BY f.trade_pair_id ORDER BY f.at) AS gap FROM funding_rates f
       WHERE f.at > clock_timestamp() - interval '2 days' AND f.trade_pair_id IN (
         SELECT l.trade_pair_id FROM lots l WHERE l.exchange_account_id = e.id AND l.open_amount > 0)) g
    ) AS "gapMs"
  FROM exposed e JOIN claimed c ON c.exchange_account_id = e.id`;

/**
 * The time after which a read is tried again whose worker died. Longer than `PLANNED_WITHIN_MS`, so that funding that is
 * paid during a read makes the account due.
 */
const CLAIM_MS = 360_000;
/** The time after which a read that failed is tried again. */
const RETRY_MS = 60_000;
/** The time between two reads of an account whose stream connects again and again. */
const RECONNECTED_MS = 60_000;

export class FundingReads {
  constructor(private readonly platform: Platform) {}

  /** Claims the reads of these accounts that are due. Each is claimed by one worker. */
  async claimDue(accountIds: readonly string[], limit: number): Promise<readonly DueFundingRead[]> {
    if (accountIds.length === 0) return [];
    const rows = await queryPrepared<Omit<DueFundingRead, 'intervalMs'> & { readonly gapMs: number | null }>(
      this.platform.database.manager,
      CLAIM,
      [accountIds, limit, CLAIM_MS],
    );
    return rows.map(({ gapMs, ...read }) => ({
      ...read,
      intervalMs: read.tradingType === 'margin' ? INTEREST_INTERVAL_MS : fundingIntervalMs(gapMs),
    }));
  }

  /**
   * Stores that everything until the claim of the read is stored, and plans the next read. If the account paid or received funding since the
   * claim (`requestUnplanned`), it stays due, because this read may not contain the payment.
   */
  async complete({ accountId, claimedAt, intervalMs }: DueFundingRead): Promise<void> {
    await queryPrepared(
      this.platform.database.manager,
      `UPDATE funding_reads SET complete_until = greatest(complete_until, $2),
         due_at = CASE WHEN due_at <= clock_timestamp() THEN due_at ELSE $3 END
       WHERE exchange_account_id = $1`,
      [accountId, claimedAt, nextReadAt(claimedAt, intervalMs, accountId)],
    );
  }

  /**
   * Makes the reads of these accounts due, because each paid or received funding. Accounts that are read within minutes
   * anyway keep their time: at an instant of funding, all accounts with positions report it together.
   */
  async requestUnplanned(accountIds: readonly string[]): Promise<void> {
    if (accountIds.length === 0) return;
    await queryPrepared(
      this.platform.database.manager,
      `UPDATE funding_reads SET due_at = clock_timestamp()
       WHERE exchange_account_id = ANY ($1) AND due_at > clock_timestamp() + $2 * interval '1 millisecond'`,
      [accountIds, PLANNED_WITHIN_MS],
    );
  }

  /** Makes a claimed read due again soon, after it failed. */
  async retry(accountId: string): Promise<void> {
    await queryPrepared(
      this.platform.database.manager,
      `UPDATE funding_reads SET due_at = least(due_at, clock_timestamp() + $2 * interval '1 millisecond')
       WHERE exchange_account_id = $1`,
      [accountId, RETRY_MS],
    );
  }

  /** Makes the read of an account due. */
  async makeDue(accountId: string): Promise<void> {
    await queryPrepared(
      this.platform.database.manager,
      `UPDATE funding_reads SET due_at = clock_timestamp()
       WHERE exchange_account_id = $1 AND due_at > clock_timestamp()`,
      [accountId],
    );
  }

  /**
   * Makes the reads of these accounts due, because funding that was paid before their streams connected was not reported.
   * An account that was read in the last minute becomes due a minute after that read.
   */
  async request(accountIds: readonly string[]): Promise<void> {
    if (accountIds.length === 0) return;
    await queryPrepared(
      this.platform.database.manager,
      `UPDATE funding_reads SET due_at = least(due_at,
         greatest(clock_timestamp(), coalesce(complete_until, '-infinity') + $2 * interval '1 millisecond'))
       WHERE exchange_account_id = ANY ($1)`,
      [accountIds, RECONNECTED_MS],
    );
  }
}
