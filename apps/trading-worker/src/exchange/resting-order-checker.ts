import type { OrderReport, TradeExecution, TradeForExecution } from '@trading-automation/core/trades';
import type { VenueOrder } from '@trading-automation/exchanges';
import type { AccountClients } from './account-clients.js';

/** Where one list of open orders costs no more than looking for each of them. */
const LIST_CALL_MIN_ORDERS = 2;
/** How long an order that was seen to rest is left alone while its account is heard of: news of it come by themselves. */
const SKIP_MS = 300_000;
const SEEN_MAX = 100_000;

/**
 * Looks at orders that rest, many with one question: the exchange's list of what is open. An order that is in it as it
 * was needs nothing more; whatever is missing from it or has moved needs a look of its own.
 */
export class RestingOrderChecker {
  private readonly skipUntilMs = new Map<string, number>();

  constructor(
    private readonly execution: TradeExecution,
    private readonly clients: AccountClients,
    private readonly isLive: (accountId: string) => boolean = () => false,
  ) {}

  /** Of these trades, those that still need a look of their own. Failures are told, and looked at again soon. */
  async filterChanged(ids: readonly string[], onError: (error: unknown) => void): Promise<readonly string[]> {
    const trades = await this.execution.findMany(ids);
    const due = trades.filter((trade) => !this.isSkipped(trade));
    // At once: an exchange that is slow to answer holds up no other's orders.
    const sifted = await Promise.all(
      groupByAccountAndSymbol(due).map((group) => this.filterGroup(group, onError)),
    );
    return sifted.flat();
  }

  /** The order was found open and as it was. */
  markResting(tradeId: string): void {
    this.skipUntilMs.delete(tradeId);
    this.skipUntilMs.set(tradeId, performance.now() + SKIP_MS);
    const [oldest] = this.skipUntilMs.keys();
    if (this.skipUntilMs.size > SEEN_MAX && oldest !== undefined) this.skipUntilMs.delete(oldest);
  }

  private isSkipped(trade: TradeForExecution): boolean {
    const untilMs = this.skipUntilMs.get(trade.id) ?? 0;
    return isResting(trade) && this.isLive(trade.accountId) && performance.now() < untilMs;
  }

  private async filterGroup(
    group: readonly TradeForExecution[],
    onError: (error: unknown) => void,
  ): Promise<string[]> {
    const [first] = group;
    if (first === undefined || group.length < LIST_CALL_MIN_ORDERS) return group.map(({ id }) => id);
    try {
      return await this.filterByOpenOrders(first, group);
    } catch (error) {
      onError(error);
      await Promise.all(group.map(({ id }) => this.execution.recheckSoon(id)));
      return [];
    }
  }

  private async filterByOpenOrders(
    { accountId, symbol }: TradeForExecution,
    group: readonly TradeForExecution[],
  ): Promise<string[]> {
    const { client } = await this.clients.open(accountId);
    const open = new Map<string, VenueOrder>();
    for (const order of await client.fetchOpenOrders(symbol)) open.set(order.exchangeOrderId, order);
    const moved: string[] = [];
    const reports: OrderReport[] = [];
    for (const trade of group) {
      // What rests was told of: others' client order ids may be used again, or be none.
      const order = open.get(trade.exchangeOrderId ?? '');
      if (order !== undefined && order.filledAmount === trade.filledAmount)
        reports.push({ tradeId: trade.id, order, fills: [] });
      else moved.push(trade.id);
    }
    await this.execution.storeOrders(reports);
    for (const { tradeId } of reports) this.markResting(tradeId);
    return moved;
  }
}

const isResting = (trade: TradeForExecution) =>
  trade.isAcknowledged && !trade.isCancelRequested && trade.isOpen;

/** Resting orders by account and symbol; every other trade by itself. */
function groupByAccountAndSymbol(trades: readonly TradeForExecution[]): TradeForExecution[][] {
  const groups = new Map<string, TradeForExecution[]>();
  for (const trade of trades) {
    const key = isResting(trade) ? `${trade.accountId} ${trade.symbol}` : trade.id;
    groups.set(key, [...(groups.get(key) ?? []), trade]);
  }
  return [...groups.values()];
}
