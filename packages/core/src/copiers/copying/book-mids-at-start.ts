/** Reads the order books for a start that copies the strategy's open lots. */
import { DomainError } from '@trading-automation/contracts';
import { CallTimeout } from '@trading-automation/persistence';
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
 * @throws {DomainError} `service_unavailable` if no worker reads them in time. The start has changed nothing then, so that
 *   the same request can be repeated.
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
  const mids = await callWorker(platform, 'trade_pair.book_mids', { exchange, symbols }, owner).catch(
    (error: unknown) => {
      throw error instanceof CallTimeout ? notStarted(error) : error;
    },
  );
  return (symbol) => new Map([[exchange, mids[symbol] ?? null]]);
}

const RETRY_AFTER_SECONDS = 5;

const notStarted = (cause: CallTimeout) =>
  new DomainError(
    'service_unavailable',
    'The order books for copy_existing cannot be read now, so the copier was not started. Repeat the request, or start without copy_existing.',
    [],
    { cause, retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
