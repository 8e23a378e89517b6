import { canonicalDecimal, type Decimal } from '@trading-automation/contracts';
import { allColumns, hydrate, queryPrepared, type Tx } from '@trading-automation/persistence';
import { isOurs } from './origins.js';
import { TradeEntity } from './trade.entity.js';
import { isTerminal } from './trade.rules.js';

/** The fields of a trade that the worker needs to act on it. */
export interface TradeForExecution {
  readonly id: string;
  readonly accountId: string;
  readonly symbol: string;
  /** Whether the exchange no longer lists the pair, so that its client may know no such symbol. */
  readonly isPairDelisted: boolean;
  readonly clientOrderId: string;
  /** Whether the product placed its order. */
  readonly isOurs: boolean;
  readonly venueClientOrderId: string | null;
  readonly exchangeOrderId: string | null;
  /** When the submission was claimed; null if it was not. */
  readonly submittedAt: Date | null;
  readonly isSubmitted: boolean;
  readonly isAcknowledged: boolean;
  readonly isCancelRequested: boolean;
  readonly isOpen: boolean;
  readonly filledAmount: Decimal;
}

const FIND = allColumns(
  TradeEntity,
  't',
  (columns) => `
  SELECT ${columns}, EXISTS (
      SELECT FROM trade_pairs p WHERE p.id = t.trade_pair_id AND p.inactive_reason = 'DELISTED') AS is_pair_delisted
  FROM trades t WHERE t.id = ANY ($1)`,
);

/** Returns the trades in any order, without those that do not exist. */
export async function tradesForExecution(
  tx: Tx,
  ids: readonly string[],
): Promise<readonly TradeForExecution[]> {
  const rows = await queryPrepared<Record<string, unknown> & { readonly is_pair_delisted: boolean }>(
    tx,
    FIND(tx.connection),
    [ids],
  );
  const trades = hydrate(tx.connection, TradeEntity, rows);
  return rows.map(({ is_pair_delisted }, i) => toTradeForExecution(trades[i]!, is_pair_delisted));
}

function toTradeForExecution(trade: TradeEntity, isPairDelisted: boolean): TradeForExecution {
  return {
    id: trade.id,
    accountId: trade.exchangeAccountId,
    symbol: trade.symbol,
    isPairDelisted,
    clientOrderId: trade.clientOrderId,
    isOurs: isOurs(trade.origin),
    venueClientOrderId: trade.venueClientOrderId,
    exchangeOrderId: trade.exchangeOrderId,
    submittedAt: trade.submittedAt,
    isSubmitted: trade.submittedAt !== null,
    isAcknowledged: trade.acknowledgedAt !== null,
    isCancelRequested: trade.subStatus === 'PENDING_CANCEL',
    isOpen: !isTerminal(trade.status),
    filledAmount: canonicalDecimal(trade.filledAmount),
  };
}
