/**
 * Everything of a user that is open, cancelled at once: the part of it that is one transaction.
 *
 * 1. Accounts are locked first, as placing a trade does: whatever is being placed is either waited for and covered,
 *    or placed after the stop.
 * 2. A trade that nobody has begun to send ends here and is never sent. The wish to cancel any other is kept in the
 *    trade, and its next look is due: the trading worker carries it out, whoever asked for it is still there or not.
 */
import type { Trade } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { In } from 'typeorm';
import { lockAccountsOf } from '../exchange-accounts/index.js';
import { TradeEntity } from './trade.entity.js';
import { viewTrade } from './trade.view.js';
import { cancelUnsent } from './trade-execution.service.js';
import { notifyAccountWork, requestCancellations } from './trades.queries.js';

const OPEN = In(['PENDING', 'PARTIALLY_FILLED']);

/** A trade that was open; uuids. */
export interface CancelRequestedTrade {
  readonly id: string;
  readonly accountId: string;
  /** Whether the exchange has to be told. */
  readonly isSent: boolean;
}

/** Asks for the cancellation of every open trade of the user; asked for again, it changes nothing but is due at once. */
export async function requestCancelAll(tx: Tx, userId: string): Promise<readonly CancelRequestedTrade[]> {
  await lockAccountsOf(tx, userId);
  const trades = await tx.find(TradeEntity, {
    where: { userId, status: OPEN },
    order: { id: 'ASC' },
    lock: { mode: 'pessimistic_write' },
  });
  const isSent = ({ submittedAt }: TradeEntity) => submittedAt !== null;
  await cancelUnsent(
    tx,
    trades.filter((trade) => !isSent(trade)),
  );
  await requestCancellations(
    tx,
    trades.filter(isSent).map(({ id }) => id),
  );
  await notifyAccountWork(
    tx,
    trades.filter(isSent).map(({ exchangeAccountId }) => exchangeAccountId),
  );
  return trades.map((trade) => ({
    id: trade.id,
    accountId: trade.exchangeAccountId,
    isSent: isSent(trade),
  }));
}

export interface CancelAllResult {
  readonly cancelled: readonly Trade[];
  /** Filled before they could be cancelled, or failed. */
  readonly endedOtherwise: readonly Trade[];
  /** Of those that were asked for, and whatever else is open by now. */
  readonly stillOpen: readonly Trade[];
}

/** How the user's trades stand that were asked to be cancelled. */
export async function readCancelAllResult(
  tx: Tx,
  userId: string,
  ids: readonly string[],
): Promise<CancelAllResult> {
  const trades = await tx.find(TradeEntity, {
    where: [
      { userId, id: In([...ids]) },
      { userId, status: OPEN },
    ],
    order: { id: 'ASC' },
  });
  const viewOf = (...statuses: readonly TradeEntity['status'][]) =>
    trades.filter(({ status }) => statuses.includes(status)).map(viewTrade);
  return {
    cancelled: viewOf('CANCELLED'),
    endedOtherwise: viewOf('FILLED', 'FAILED'),
    stillOpen: viewOf('PENDING', 'PARTIALLY_FILLED'),
  };
}
