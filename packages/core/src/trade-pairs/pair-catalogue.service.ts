import type { Decimal } from '@trading-automation/contracts';
import type { Market } from '@trading-automation/exchanges';
import { inTransaction, newUuid, type Tx } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';
import { emitDeactivations } from './emit-deactivations.js';
import { linkReplacements, listedPairs, markDelisted, markReplaced } from './pair-changes.queries.js';
import { type PairChanges, pairChanges } from './pair-changes.rules.js';

/** The last price of a symbol, and when the exchange reported it. */
export interface ObservedPrice {
  readonly symbol: string;
  readonly price: Decimal;
  readonly at: Date;
}

/** Stores the exchanges' pairs, their rules and their last prices. */
export class PairCatalogue {
  constructor(private readonly platform: Platform) {}

  /**
   * Stores all pairs of one exchange. Deactivates pairs that the exchange no longer lists, and replaces pairs whose symbol
   * now names another contract. Emits `trade_pair.deactivated` to the users that a deactivation affects.
   */
  async storeMarkets(exchange: string, markets: readonly Market[]): Promise<PairChanges> {
    return inTransaction(this.platform.database, async (tx) => {
      await lockPairs(tx, exchange);
      const changes = pairChanges(await listedPairs(tx, exchange), markets);
      await markDelisted(tx, changes.delisted);
      // The new pair takes the symbol, so the old one must give it up first.
      await markReplaced(tx, changes.replaced);
      await storeRules(tx, exchange, markets);
      await linkReplacements(tx, changes.replaced);
      await emitDeactivations(tx, changes.deactivated);
      return changes;
    });
  }

  /** Stores the last prices of an exchange's symbols. A price that did not change keeps its time. */
  async storePrices(exchange: string, prices: readonly ObservedPrice[]): Promise<void> {
    await inTransaction(this.platform.database, async (tx) => {
      await lockPairs(tx, exchange);
      await tx.query(
        `UPDATE trade_pairs p SET last_price = reported.price::numeric, last_price_at = reported.at
         FROM unnest($2::text[], $3::text[], $4::timestamptz[]) AS reported (symbol, price, at)
         WHERE p.exchange = $1 AND p.symbol = reported.symbol
           AND p.last_price IS DISTINCT FROM reported.price::numeric`,
        [exchange, ...(['symbol', 'price', 'at'] as const).map((key) => prices.map((each) => each[key]))],
      );
    });
  }

  /** Returns the symbols that an account can trade: active pairs of its exchange and trading type. */
  async symbolsOf(accountId: string): Promise<readonly string[]> {
    const rows: { symbol: string }[] = await this.platform.database.query(
      `SELECT p.symbol FROM exchange_accounts a
       JOIN trade_pairs p ON p.exchange = a.exchange AND p.trading_type = a.trading_type AND p.is_active
       WHERE a.id = $1`,
      [accountId],
    );
    return rows.map(({ symbol }) => symbol);
  }

  /**
   * Returns those of the symbols that the account's exchange lists, also while it pauses them. A client knows no other
   * symbol, so a read by another one fails.
   */
  async listedAmong(accountId: string, symbols: readonly string[]): Promise<ReadonlySet<string>> {
    if (symbols.length === 0) return new Set();
    const rows: { symbol: string }[] = await this.platform.database.query(
      `SELECT p.symbol FROM exchange_accounts a
       JOIN trade_pairs p ON p.exchange = a.exchange AND p.trading_type = a.trading_type AND p.symbol = ANY ($2)
       WHERE a.id = $1 AND p.inactive_reason IS DISTINCT FROM 'DELISTED'`,
      [accountId, symbols],
    );
    return new Set(rows.map(({ symbol }) => symbol));
  }

  /** Returns the symbols of one exchange that can be traded. */
  async activeSymbols(exchange: string): Promise<readonly string[]> {
    const rows: { symbol: string }[] = await this.platform.database.query(
      'SELECT DISTINCT symbol FROM trade_pairs WHERE exchange = $1 AND is_active',
      [exchange],
    );
    return rows.map(({ symbol }) => symbol);
  }
}

/** Serialises writers. Several workers store the same pairs in different orders, and could otherwise deadlock. */
async function lockPairs(tx: Tx, exchange: string): Promise<void> {
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('trade_pairs ' || $1, 0))", [exchange]);
}

/** The columns of a pair, each with its SQL type and the value that it takes from a market. */
const COLUMNS = {
  exchange_symbol: ['text', (market) => market.exchangeSymbol],
  base: ['text', (market) => market.base],
  quote: ['text', (market) => market.quote],
  settle: ['text', (market) => market.settle],
  price_tick: ['numeric', (market) => market.priceTick],
  amount_step: ['numeric', (market) => market.amountStep],
  min_amount: ['numeric', (market) => market.minAmount],
  max_amount: ['numeric', (market) => market.maxAmount],
  min_notional: ['numeric', (market) => market.minNotional],
  max_notional: ['numeric', (market) => market.maxNotional],
  market_amount_step: ['numeric', (market) => market.marketAmountStep],
  market_max_amount: ['numeric', (market) => market.marketMaxAmount],
  contract_size: ['numeric', (market) => market.contractSize],
  maker_fee: ['numeric', (market) => market.makerFee],
  taker_fee: ['numeric', (market) => market.takerFee],
  order_types: ['text[]', (market) => market.orderTypes],
  time_in_forces: ['text[]', (market) => market.timeInForces],
  is_active: ['boolean', (market) => market.isActive],
  inactive_reason: ['text', (market) => (market.isActive ? null : 'PAUSED')],
} as const satisfies Readonly<Record<string, readonly [type: string, readFrom: (market: Market) => unknown]>>;

const NAMES = Object.keys(COLUMNS);
const columnList = (format: (name: string) => string) => NAMES.map(format).join(', ');
/** Inserts or updates pairs. `updated_at` changes only if another value changes. */
const STORE_RULES = `
  INSERT INTO trade_pairs AS p (id, exchange, symbol, trading_type, rules_updated_at, ${columnList((name) => name)})
  SELECT market.id, $1, market.symbol, market.trading_type, now(), ${columnList((name) => `market.${name}`)}
  FROM jsonb_to_recordset($2::jsonb) AS market (id uuid, symbol text, trading_type text,
    ${Object.entries(COLUMNS)
      .map(([name, [type]]) => `${name} ${type}`)
      .join(', ')})
  ON CONFLICT (exchange, trading_type, symbol) DO UPDATE SET
    ${columnList((name) => `${name} = excluded.${name}`)}, rules_updated_at = now(), updated_at = now()
  WHERE (${columnList((name) => `p.${name}`)}) IS DISTINCT FROM (${columnList((name) => `excluded.${name}`)})`;

async function storeRules(tx: Tx, exchange: string, markets: readonly Market[]): Promise<void> {
  const rows = markets.map((market) => ({
    id: newUuid(),
    symbol: market.symbol,
    trading_type: market.tradingType,
    ...Object.fromEntries(Object.entries(COLUMNS).map(([name, [, readFrom]]) => [name, readFrom(market)])),
  }));
  await tx.query(STORE_RULES, [exchange, JSON.stringify(rows)]);
}
