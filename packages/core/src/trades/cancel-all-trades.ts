/**
 * The transaction of the emergency stop: requests the cancellation of every open trade of a user.
 *
 * 1. It locks the accounts first, as placing a trade does, so that no trade is placed while the stop runs. The stop
 *    covers every trade that was committed before it, and no trade that is placed after it.
 * 2. A trade whose submission no worker has claimed ends here and is never sent. For any other trade the request is
 *    stored. If its order is acknowledged, its next check is due now. The trading worker cancels the order even if the
 *    caller disconnects.
 */
import type { Trade } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { In } from 'typeorm';
import { lockAccountsOf } from '../exchange-accounts/index.js';
import { TradeEntity } from './trade.entity.js';
import { viewTrade } from './trade.view.js';
import { cancelUnsent } from './trade-changes.js';
import { notifyAccountWork, requestCancellations } from './trades.queries.js';

const OPEN = In(['PENDING', 'PARTIALLY_FILLED']);

/** A trade that was open when its cancellation was requested; ids are uuids. */
export interface CancelRequestedTrade {
  readonly id: string;
  readonly accountId: string;
  /** Whether the exchange must cancel the order. */
  readonly isSent: boolean;
}

/**
 * Requests the cancellation of every open trade of the user. If the cancellation of a trade was requested before, this
 * only makes the trade's next check due.
 */
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
  /** Trades that were filled or failed before they could be cancelled. */
  readonly endedOtherwise: readonly Trade[];
  /** All trades of the user that are open now, whether or not their cancellation was requested. */
  readonly stillOpen: readonly Trade[];
}

/** Returns the trades with these ids by their current status, and all other open trades of the user. */
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
