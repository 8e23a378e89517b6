import type { OrderReport, TradeExecution, TradeForExecution } from '@trading-automation/core/trades';
import type { VenueOrder } from '@trading-automation/exchanges';
import type { AccountClients } from './account-clients.js';

/** From this number of orders on, the list of open orders costs no more than a probe of each order. */
const LIST_CALL_MIN_ORDERS = 2;
/** How long a resting order is not checked again while its account has a live stream, which would report changes. */
const SKIP_MS = 300_000;
const SKIPPED_MAX = 100_000;

/**
 * Checks resting orders in bulk: one request lists the open orders of an account and symbol. An order that is unchanged
 * in the list needs no further check. An order that is missing from the list or has new fills needs its own check.
 */
export class RestingOrderChecker {
  private readonly skipUntilMs = new Map<string, number>();

  constructor(
    private readonly execution: TradeExecution,
    private readonly clients: AccountClients,
    private readonly isLive: (accountId: string) => boolean = () => false,
  ) {}

  /**
   * Returns the ids of the trades that still need their own check. If a request fails, `onError` gets the error, and
   * the trades of that account and symbol are checked again soon.
   */
  async filterChanged(ids: readonly string[], onError: (error: unknown) => void): Promise<readonly string[]> {
    const trades = await this.execution.findMany(ids);
    const due = trades.filter((trade) => !this.isSkipped(trade));
    // The groups are checked concurrently, so that a slow exchange does not delay the orders at other exchanges.
    const remaining = await Promise.all(
      groupByAccountAndSymbol(due).map((group) => this.filterGroup(group, onError)),
    );
    return remaining.flat();
  }

  /** Records that the order is open and unchanged. */
  markResting(tradeId: string): void {
    this.skipUntilMs.delete(tradeId);
    this.skipUntilMs.set(tradeId, performance.now() + SKIP_MS);
    const [oldest] = this.skipUntilMs.keys();
    if (this.skipUntilMs.size > SKIPPED_MAX && oldest !== undefined) this.skipUntilMs.delete(oldest);
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
    // The orders of a delisted pair cannot be listed by its symbol.
    if (first === undefined || first.isPairDelisted || group.length < LIST_CALL_MIN_ORDERS)
      return group.map(({ id }) => id);
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
    const changed: string[] = [];
    const reports: OrderReport[] = [];
    for (const trade of group) {
      // Compare by exchange order id, because client order ids of external orders may be reused or absent.
      const order = open.get(trade.exchangeOrderId ?? '');
      if (order !== undefined && order.filledAmount === trade.filledAmount)
        reports.push({ tradeId: trade.id, order, fills: [] });
      else changed.push(trade.id);
    }
    await this.execution.storeOrders(reports);
    for (const { tradeId } of reports) this.markResting(tradeId);
    return changed;
  }
}

const isResting = (trade: TradeForExecution) =>
  trade.isAcknowledged && !trade.isCancelRequested && trade.isOpen;

/** Groups resting orders by account and symbol. Every other trade is its own group. */
function groupByAccountAndSymbol(trades: readonly TradeForExecution[]): TradeForExecution[][] {
  const groups = new Map<string, TradeForExecution[]>();
  for (const trade of trades) {
    const key = isResting(trade) ? `${trade.accountId} ${trade.symbol}` : trade.id;
    groups.set(key, [...(groups.get(key) ?? []), trade]);
  }
  return [...groups.values()];
}
