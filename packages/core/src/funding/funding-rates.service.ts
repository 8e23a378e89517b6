/**
 * Stores the funding rates of the perpetuals that are followed, with the mark price at the instant of funding. Simulations
 * compute funding from them.
 *
 * 1. Followed is a pair with open lots or positions, or in a strategy with copiers. Each is read once in its interval of
 *    funding, by one worker.
 * 2. Where the exchange does not report the mark price of an instant, the one that is read within 10 minutes of it counts.
 */
import type { Decimal } from '@trading-automation/contracts';
import type { ExchangeVenue, FundingRate } from '@trading-automation/exchanges';
import { queryPrepared, withAdvisoryLock } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';
import { fundingIntervalMs, nextReadAt } from './funding-schedule.rules.js';

export interface FundingRatesDependencies {
  readonly platform: Platform;
  /** Returns the venue of an exchange; undefined if this deployment has none. */
  readonly venueOf: (
    exchange: string,
  ) => Pick<ExchangeVenue, 'fetchFundingRates' | 'fetchMarkPrices'> | undefined;
  /** Called with the error of each pair whose rates could not be read. */
  readonly onError: (error: unknown) => void;
}

interface DuePair {
  readonly id: string;
  readonly exchange: string;
  readonly symbol: string;
  /** The start of the range to read. */
  readonly from: Date;
  readonly now: Date;
}

const PAIRS_AT_ONCE = 50;
const MARK_PRICE_AGE_MAX_MS = 600_000;

/** Claims the followed pairs that are due; a read that fails is tried again in 10 minutes. */
const CLAIM = `
  WITH copied AS (
    SELECT s.exchange_account_id, s.trade_pair_ids FROM strategies s
    WHERE EXISTS (SELECT FROM copiers c WHERE c.strategy_id = s.id AND c.deleted_at IS NULL)
  ), followed AS (
    SELECT trade_pair_id AS id FROM lots WHERE open_amount > 0
    UNION SELECT trade_pair_id FROM positions WHERE amount > 0 AND trade_pair_id IS NOT NULL
    UNION SELECT unnest(trade_pair_ids) FROM copied
    UNION SELECT b.trade_pair_id FROM copied JOIN lot_books b USING (exchange_account_id)
  ), due AS (
    SELECT p.id, p.exchange, p.symbol FROM followed JOIN trade_pairs p USING (id)
    LEFT JOIN funding_rate_reads r ON r.trade_pair_id = p.id
    WHERE p.trading_type = 'perpetual' AND p.is_active AND (r.due_at IS NULL OR r.due_at <= clock_timestamp())
    ORDER BY r.due_at NULLS FIRST, p.id LIMIT $1
  ), claimed AS (
    INSERT INTO funding_rate_reads (trade_pair_id, due_at)
    SELECT id, clock_timestamp() + interval '10 minutes' FROM due
    ON CONFLICT (trade_pair_id) DO UPDATE SET due_at = excluded.due_at RETURNING trade_pair_id)
  SELECT d.id, d.exchange, d.symbol, clock_timestamp() AS now,
    coalesce((SELECT max(at) + interval '1 millisecond' FROM funding_rates f WHERE f.trade_pair_id = d.id),
      clock_timestamp() - interval '7 days') AS from
  FROM due d JOIN claimed c ON c.trade_pair_id = d.id`;

export class FundingRates {
  constructor(private readonly dependencies: FundingRatesDependencies) {}

  /** Reads the pairs that are due and returns their number. Only one process at a time reads; returns 0 if another one does. */
  async readDue(): Promise<number> {
    const { database } = this.dependencies.platform;
    const outcome = await withAdvisoryLock(database, 'funding rates', async (signal) => {
      const pairs = await queryPrepared<DuePair>(database.manager, CLAIM, [PAIRS_AT_ONCE]);
      for (const pair of pairs) {
        if (signal.aborted) break;
        await this.read(pair).catch(this.dependencies.onError);
      }
      return pairs.length;
    });
    return outcome.acquired ? outcome.value : 0;
  }

  private async read({ id, exchange, symbol, from, now }: DuePair): Promise<void> {
    const venue = this.dependencies.venueOf(exchange);
    if (venue === undefined) return;
    const rates = await venue.fetchFundingRates(symbol, { from, to: now });
    const lacksMark = ({ at, markPrice }: FundingRate) =>
      markPrice === undefined && now.getTime() - at.getTime() <= MARK_PRICE_AGE_MAX_MS;
    const mark = rates.some(lacksMark) ? (await venue.fetchMarkPrices([symbol]))[symbol] : undefined;
    await this.store(
      id,
      rates.map((rate) => ({ ...rate, markPrice: rate.markPrice ?? (lacksMark(rate) ? mark : undefined) })),
      now,
    );
  }

  private async store(pairId: string, rates: readonly FundingRate[], now: Date): Promise<void> {
    const { manager } = this.dependencies.platform.database;
    await queryPrepared(
      manager,
      `INSERT INTO funding_rates (trade_pair_id, at, rate, mark_price)
       SELECT $1, n.at, n.rate, n.mark FROM unnest($2::timestamptz[], $3::numeric[], $4::numeric[]) AS n (at, rate, mark)
       ON CONFLICT DO NOTHING`,
      [
        pairId,
        rates.map(({ at }) => at),
        rates.map(({ rate }) => rate),
        rates.map(({ markPrice }): Decimal | null => markPrice ?? null),
      ],
    );
    const [row] = await queryPrepared<{ ms: number | null }>(
      manager,
      `SELECT (extract(epoch FROM min(gap)) * 1000)::float8 AS ms FROM (
         SELECT at - lag(at) OVER (ORDER BY at) AS gap FROM funding_rates
         WHERE trade_pair_id = $1 AND at > $2::timestamptz - interval '2 days') g`,
      [pairId, now],
    );
    await queryPrepared(manager, 'UPDATE funding_rate_reads SET due_at = $2 WHERE trade_pair_id = $1', [
      pairId,
      nextReadAt(now, fundingIntervalMs(row?.ms ?? null), pairId),
    ]);
  }
}
