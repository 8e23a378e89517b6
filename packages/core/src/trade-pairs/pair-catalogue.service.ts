import type { Decimal } from '@trading-automation/contracts';
import type { Market } from '@trading-automation/exchanges';
import { inTransaction, newUuid, type Tx } from '@trading-automation/persistence';
import type { Platform } from '../platform.js';

/** Keeps the pairs, their rules and their last prices as the exchanges tell them. */
export class PairCatalogue {
  constructor(private readonly platform: Platform) {}

  /** Stores all pairs of one exchange; a pair that is no longer told of is inactive from then on. */
  async storeMarkets(exchange: string, markets: readonly Market[]): Promise<void> {
    await inTransaction(this.platform.database, async (tx) => {
      await lockPairs(tx, exchange);
      for (const market of markets) await storeMarket(tx, exchange, market);
      await tx.query(
        `UPDATE trade_pairs SET is_active = false, updated_at = now()
         WHERE exchange = $1 AND is_active
           AND NOT (trading_type || ' ' || symbol) = ANY ($2)`,
        [exchange, markets.map(({ tradingType, symbol }) => `${tradingType} ${symbol}`)],
      );
    });
  }

  async storePrices(exchange: string, prices: Readonly<Record<string, Decimal>>): Promise<void> {
    await inTransaction(this.platform.database, async (tx) => {
      await lockPairs(tx, exchange);
      await tx.query(
        `UPDATE trade_pairs p SET last_price = given.price::numeric
         FROM unnest($2::text[], $3::text[]) AS given (symbol, price)
         WHERE p.exchange = $1 AND p.symbol = given.symbol
           AND p.last_price IS DISTINCT FROM given.price::numeric`,
        [exchange, Object.keys(prices), Object.values(prices)],
      );
    });
  }

  /** The symbols of one exchange that can be traded. */
  async activeSymbols(exchange: string): Promise<readonly string[]> {
    const rows: { symbol: string }[] = await this.platform.database.query(
      'SELECT DISTINCT symbol FROM trade_pairs WHERE exchange = $1 AND is_active',
      [exchange],
    );
    return rows.map(({ symbol }) => symbol);
  }
}

/** Several workers tell of the same pairs, each in its own order: one after the other, they can't block each other. */
async function lockPairs(tx: Tx, exchange: string): Promise<void> {
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('trade_pairs ' || $1, 0))", [exchange]);
}

/** `updated_at` moves only where something is another than before. */
async function storeMarket(tx: Tx, exchange: string, market: Market): Promise<void> {
  const rules = [
    market.priceTick,
    market.amountStep,
    market.minAmount,
    market.maxAmount ?? null,
    market.minNotional,
    market.maxNotional ?? null,
    market.isActive,
  ];
  await tx.query(
    `INSERT INTO trade_pairs AS p (id, exchange, symbol, base, quote, trading_type, price_tick, amount_step,
       min_amount, max_amount, min_notional, max_notional, is_active, rules_updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, now())
     ON CONFLICT (exchange, trading_type, symbol) DO UPDATE SET
       price_tick = excluded.price_tick, amount_step = excluded.amount_step, min_amount = excluded.min_amount,
       max_amount = excluded.max_amount, min_notional = excluded.min_notional,
       max_notional = excluded.max_notional, is_active = excluded.is_active,
       rules_updated_at = now(), updated_at = now()
     WHERE (p.price_tick, p.amount_step, p.min_amount, p.max_amount, p.min_notional, p.max_notional, p.is_active)
       IS DISTINCT FROM (excluded.price_tick, excluded.amount_step, excluded.min_amount, excluded.max_amount,
         excluded.min_notional, excluded.max_notional, excluded.is_active)`,
    [newUuid(), exchange, market.symbol, market.base, market.quote, market.tradingType, ...rules],
  );
}
