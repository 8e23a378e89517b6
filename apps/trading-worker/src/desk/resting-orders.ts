import type { TradeExecution, TradeToWork } from '@trading-automation/core/trades';
import type { VenueOrder } from '@trading-automation/exchanges';
import type { AccountClients } from './account-clients.js';

/** Where one list of open orders costs no more than looking for each of them. */
const WORTH_A_LIST = 2;

/**
 * Looks at orders that rest, many with one question: the exchange's list of what is open. An order that is in it as it
 * was needs nothing more; whatever is missing from it or has moved needs a look of its own.
 */
export class RestingOrders {
  constructor(
    private readonly execution: TradeExecution,
    private readonly clients: AccountClients,
  ) {}

  /** Of these trades, those that still need a look of their own. Failures are told, and looked at again soon. */
  async sift(ids: readonly string[], onError: (error: unknown) => void): Promise<readonly string[]> {
    const trades = await this.execution.findMany(ids);
    // At once: an exchange that is slow to answer holds up no other's orders.
    const sifted = await Promise.all(groupByBook(trades).map((group) => this.siftGroup(group, onError)));
    return sifted.flat();
  }

  private async siftGroup(
    group: readonly TradeToWork[],
    onError: (error: unknown) => void,
  ): Promise<string[]> {
    const [first] = group;
    if (first === undefined || group.length < WORTH_A_LIST) return group.map(({ id }) => id);
    try {
      return await this.siftBook(first, group);
    } catch (error) {
      onError(error);
      await Promise.all(group.map(({ id }) => this.execution.lookAgainSoon(id)));
      return [];
    }
  }

  private async siftBook(
    { accountId, symbol }: TradeToWork,
    group: readonly TradeToWork[],
  ): Promise<string[]> {
    const { client } = await this.clients.open(accountId);
    const open = new Map<string, VenueOrder>();
    for (const order of await client.fetchOpenOrders(symbol)) open.set(order.venueClientOrderId, order);
    const moved: string[] = [];
    for (const trade of group) {
      const order = open.get(trade.venueClientOrderId ?? '');
      if (order !== undefined && order.filledAmount === trade.filledAmount) {
        await this.execution.storeOrder(trade.id, order, []);
      } else moved.push(trade.id);
    }
    return moved;
  }
}

const isResting = (trade: TradeToWork) => trade.isAcknowledged && !trade.isCancelAsked && trade.isOpen;

/** Resting orders by account and symbol; every other trade by itself. */
function groupByBook(trades: readonly TradeToWork[]): TradeToWork[][] {
  const groups = new Map<string, TradeToWork[]>();
  for (const trade of trades) {
    const key = isResting(trade) ? `${trade.accountId} ${trade.symbol}` : trade.id;
    groups.set(key, [...(groups.get(key) ?? []), trade]);
  }
  return [...groups.values()];
}
