/** Checks the symbols in the settings of a copier. */
import {
  type CopierUpdate,
  DomainError,
  type ErrorDetail,
  type TradingType,
} from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';

const TYPE_WORDS: Readonly<Record<TradingType, string>> = {
  spot: 'spot pair',
  margin: 'margin pair',
  perpetual: 'perpetual',
};

/** Which symbols are pairs of the account's exchange ($1), and which are pairs of any exchange, of the account's trading type. */
const KNOWN = `
  SELECT a.exchange, a.trading_type AS "tradingType",
    ARRAY(SELECT p.symbol FROM trade_pairs p
      WHERE p.exchange = a.exchange AND p.trading_type = a.trading_type AND p.symbol = ANY ($2)) AS "ownSymbols",
    ARRAY(SELECT DISTINCT p.symbol FROM trade_pairs p
      WHERE p.trading_type = a.trading_type AND p.symbol = ANY ($3)) AS "knownSymbols"
  FROM exchange_accounts a WHERE a.id = $1`;

interface KnownSymbols {
  readonly exchange: string;
  readonly tradingType: TradingType;
  readonly ownSymbols: readonly string[];
  readonly knownSymbols: readonly string[];
}

/**
 * Checks that the symbols in the map and in the overrides exist: those of the copier on the exchange of its account, those
 * of the strategy on any exchange. The copier may get another strategy later. Inactive pairs exist, too.
 *
 * @throws {DomainError} `validation_failed` with one detail per unknown symbol
 */
export async function assertPairsExist(
  tx: Tx,
  accountId: string,
  { symbol_map: map = {}, overrides = {} }: Pick<CopierUpdate, 'symbol_map' | 'overrides'>,
): Promise<void> {
  const ofStrategy = [...Object.keys(map), ...Object.keys(overrides)];
  if (ofStrategy.length === 0) return;
  const [known] = await queryPrepared<KnownSymbols>(tx, KNOWN, [accountId, Object.values(map), ofStrategy]);
  const { exchange, tradingType, ownSymbols, knownSymbols } = known!;
  const [own, any] = [new Set(ownSymbols), new Set(knownSymbols)];
  const word = TYPE_WORDS[tradingType];
  const unknown = (field: string, message: string): ErrorDetail => ({ field, code: 'not_found', message });
  const unlisted = (field: string, symbols: readonly string[]) =>
    symbols
      .filter((symbol) => !any.has(symbol))
      .map((symbol) =>
        unknown(
          `${field}.${symbol}`,
          `No exchange offers the ${word} ${symbol}. Use the symbol of a pair that the strategy trades.`,
        ),
      );
  const details = [
    ...unlisted('symbol_map', Object.keys(map)),
    ...Object.entries(map)
      .filter(([symbol, target]) => any.has(symbol) && !own.has(target))
      .map(([symbol, target]) =>
        unknown(
          `symbol_map.${symbol}`,
          `The exchange ${exchange} does not offer the ${word} ${target}. Use a symbol that GET /v1/trade-pairs lists for it.`,
        ),
      ),
    ...unlisted('overrides', Object.keys(overrides)),
  ];
  if (details.length > 0) throw new DomainError('validation_failed', undefined, details);
}
