/** Reads the order books for a start that copies the strategy's open lots. */
import {
  DomainError,
  type QuoteAliases,
  type SymbolMap,
  type TradingType,
} from '@trading-automation/contracts';
import { CallTimeout } from '@trading-automation/persistence';
import { callWorker } from '../../exchange-accounts/index.js';
import type { Platform } from '../../platform/index.js';
import { choosePairs, pairRequestOf } from '../offered-pairs.queries.js';
import { type BookMids, bookKey } from './plan-batch.js';

export const noBookMids = (): BookMids => new Map();

interface StartingCopier {
  readonly userId: string;
  readonly strategyId: string | null;
  readonly exchangeAccountId: string;
  readonly quoteAliases: QuoteAliases;
  readonly symbolMap: SymbolMap;
}

/**
 * Reads the order books of the pairs on which the copier would copy the strategy's open lots.
 *
 * @throws {DomainError} `service_unavailable` if no worker reads them in time. The start has changed nothing then, so that
 *   the same request can be repeated.
 */
export async function readBookMidsAtStart(
  platform: Platform,
  { userId, strategyId, exchangeAccountId, quoteAliases, symbolMap }: StartingCopier,
): Promise<BookMids> {
  const rows: { symbol: string; exchange: string; tradingType: TradingType }[] =
    await platform.database.query(
      `SELECT DISTINCT coalesce(p.listed_symbol, p.symbol) AS symbol, a.exchange, a.trading_type AS "tradingType"
     FROM lots l JOIN trade_pairs p ON p.id = l.trade_pair_id
     JOIN exchange_accounts a ON a.id = $2 AND a.trading_type = p.trading_type
     WHERE l.strategy_id = $1 AND l.copier_id IS NULL AND l.open_amount > 0`,
      [strategyId, exchangeAccountId],
    );
  const [first] = rows;
  if (first === undefined) return noBookMids();
  const { exchange, tradingType } = first;
  const requests = rows.map(({ symbol }) => {
    const mappedSymbol = symbolMap[symbol] ?? null;
    const choice = { exchange, accountTradingType: tradingType, quoteAliases, mappedSymbol };
    return pairRequestOf({ ...choice, hasLot: false, lotSymbol: null }, { symbol, tradingType });
  });
  const chosen = await choosePairs(platform.database.manager, tradingType, requests);
  const symbols = [...new Set(chosen.flatMap((pair) => pair?.symbol ?? []))];
  if (symbols.length === 0) return noBookMids();
  const owner = { userId, accountId: exchangeAccountId };
  const mids = await callWorker(platform, 'trade_pair.book_mids', { exchange, symbols }, owner).catch(
    (error: unknown) => {
      throw error instanceof CallTimeout ? notStarted(error) : error;
    },
  );
  return new Map(symbols.map((symbol) => [bookKey({ exchange, symbol }), mids[symbol] ?? null]));
}

const RETRY_AFTER_SECONDS = 5;

const notStarted = (cause: CallTimeout) =>
  new DomainError(
    'service_unavailable',
    'The order books for copy_existing cannot be read now, so the copier was not started. Repeat the request, or start without copy_existing.',
    [],
    { cause, retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
