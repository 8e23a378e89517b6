import type { ReconcileAction } from '@trading-automation/core/trades';
import {
  type ExchangeClient,
  ExchangeError,
  type PositionReport,
  type VenueFill,
  type VenueOrder,
} from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { FundingReader } from '../exchange/funding-reader.js';
import type { OrderReconciler } from '../exchange/order-reconciler.js';
import type { PositionSync } from '../exchange/position-sync.js';

type Action = ReconcileAction<VenueOrder, VenueFill>;

/** Carries out the actions of a reconciliation that need the exchange. Core stores the results. */
export class ReconcileActions {
  constructor(
    private readonly orderReconciler: OrderReconciler,
    private readonly positions: Pick<PositionSync, 'complete'>,
    private readonly interest: Pick<FundingReader, 'readNow'>,
    private readonly logger: Logger,
  ) {}

  /** Reads the orders and fills that the comparison lacks, and cancels orders that must not continue. */
  async resolve(client: ExchangeClient, actions: readonly Action[]): Promise<readonly Action[]> {
    const resolved: Action[] = [];
    for (const action of actions) {
      if (action.kind === 'identify') {
        const { symbol, exchangeOrderId } = action;
        const order = await client.findOrderByExchangeId({ symbol, exchangeOrderId });
        const isForced = action.fills.some(({ cause }) => cause !== undefined);
        // The exchange may change a position without an order, for example when it settles a delisted market.
        if (order === null && isForced) resolved.push(action);
        else if (order === null)
          this.logger.error(
            { event: 'fill.unmatched', symbol, exchange_order_id: exchangeOrderId },
            'The exchange reported a fill but does not find its order.',
          );
        else resolved.push(await withAllFills(client, order, action.fills));
      } else if (action.kind === 'adopt') {
        resolved.push(await withAllFills(client, action.order, action.fills));
      } else {
        resolved.push(action);
        if (action.kind === 'cancel') resolved.push(...(await cancelWithFills(client, action.order)));
      }
    }
    return resolved;
  }

  /** Stores the account's positions, and reads their margin and leverage. */
  completePositions(accountId: string, client: ExchangeClient, report: PositionReport | null): Promise<void> {
    return this.positions.complete(accountId, client, report);
  }

  /** Reads and stores the account's interest. @throws {ExchangeError} if it cannot be read */
  readInterest(accountId: string): Promise<void> {
    return this.interest.readNow(accountId);
  }

  /** Probes the orders whose state the comparison could not determine. */
  async probe(client: ExchangeClient, actions: readonly Action[]): Promise<void> {
    for (const action of actions)
      if (action.kind === 'probe') await this.orderReconciler.probe(client, action.tradeId);
  }
}

/** Returns the adoption of an order with all of its fills, also those from before the reconciled period. */
async function withAllFills(
  client: ExchangeClient,
  order: VenueOrder,
  known: readonly VenueFill[],
): Promise<Action> {
  const { symbol, exchangeOrderId } = order;
  const fills = order.filledAmount === '0' ? known : await client.fetchFills({ symbol, exchangeOrderId });
  return { kind: 'adopt', order, fills };
}

/**
 * Cancels an order and returns its report with all fills: earlier comparisons may have missed some, for example while the
 * exchange did not list the pair.
 */
async function cancelWithFills(client: ExchangeClient, order: VenueOrder): Promise<readonly Action[]> {
  await cancel(client, order);
  return order.filledAmount === '0' ? [] : [await withAllFills(client, order, [])];
}

async function cancel(client: ExchangeClient, { symbol, venueClientOrderId }: VenueOrder): Promise<void> {
  try {
    await client.cancelOrder({ symbol, venueClientOrderId });
  } catch (error) {
    // The order has already ended.
    if (!(error instanceof ExchangeError) || error.outcome !== 'rejected') throw error;
  }
}
