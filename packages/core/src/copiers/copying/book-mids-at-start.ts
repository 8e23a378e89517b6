/** Reads the order books for a start that copies the strategy's open lots. */

import { callWorker } from '../../exchange-accounts/index.js';
import type { Platform } from '../../platform/index.js';
import type { BookMids } from './copy-planner.service.js';

/** Returns the middle of a symbol's order book on the copier's exchange. */
export type BookMidsBySymbol = (symbol: string) => BookMids;

export const NO_BOOK_MIDS: BookMidsBySymbol = () => new Map();

interface StartingCopier {
  readonly userId: string;
  readonly strategyId: string | null;
  readonly exchangeAccountId: string;
}

/**
 * Reads the order books of the pairs in which the strategy holds open lots.
 *
 * @throws {DomainError} if no worker can read them
 */
export async function readBookMidsAtStart(
  platform: Platform,
  { userId, strategyId, exchangeAccountId }: StartingCopier,
): Promise<BookMidsBySymbol> {
  const rows: { symbol: string; exchange: string }[] = await platform.database.query(
    `SELECT DISTINCT p.symbol, a.exchange FROM lots l JOIN trade_pairs p ON p.id = l.trade_pair_id
     CROSS JOIN exchange_accounts a
     WHERE l.strategy_id = $1 AND l.copier_id IS NULL AND l.open_amount > 0 AND a.id = $2`,
    [strategyId, exchangeAccountId],
  );
  const [first] = rows;
  if (first === undefined) return NO_BOOK_MIDS;
  const { exchange } = first;
  const symbols = rows.map(({ symbol }) => symbol);
  const owner = { userId, accountId: exchangeAccountId };
  const mids = await callWorker(platform, 'trade_pair.book_mids', { exchange, symbols }, owner);
  return (symbol) => new Map([[exchange, mids[symbol] ?? null]]);
}
