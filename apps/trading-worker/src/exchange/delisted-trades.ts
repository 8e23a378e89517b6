import type { TradeExecution } from '@trading-automation/core/trades';
import { ExchangeError, type OrderLookup } from '@trading-automation/exchanges';

/**
 * Looks up the order of a trade whose pair the exchange no longer lists, and ends the trade unless the exchange has the
 * order. If the exchange does not respond, the next reconciliation looks again: one pair must not stop the account's.
 *
 * Where a look-up needs no market, the exchange may respond with the order, under a market that the client does not know.
 * The response cannot be used (`bad_answer`), and no later one could be. So the order counts as gone: its pair has been
 * missing for an hour, and if the pair returns with the order still open, reconciliation cancels the order.
 */
export async function probeDelisted(
  execution: TradeExecution,
  tradeId: string,
  order: { refresh(): Promise<OrderLookup['outcome']> },
): Promise<void> {
  if (await isGone(order)) await execution.endDelisted(tradeId);
}

async function isGone(order: { refresh(): Promise<OrderLookup['outcome']> }): Promise<boolean> {
  try {
    return (await order.refresh()) !== 'FOUND';
  } catch (error) {
    if (!(error instanceof ExchangeError) || error.outcome === 'fatal') throw error;
    return error.outcome === 'rejected' || error.code === 'bad_answer';
  }
}
