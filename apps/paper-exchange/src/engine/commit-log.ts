import type { Account, Order, PublicTrade, Report } from './order.js';
import type { OrderList } from './order-list.js';
import { ID_BLOCK, type State, type StateRecord, storeFill, storeOrder } from './state.js';
import type { MarketSpec } from './symbols.js';

/**
 * The interval at which the last prices are journaled, so that a crash loses little of their movement. The trades of
 * the house (the built-in market maker) are not journaled.
 */
const CHECKPOINT_EVERY_MS = 10_000;

/** The changes of one commit, for the listeners. */
export interface Commit {
  readonly reports: readonly Report[];
  readonly trades: readonly PublicTrade[];
  /** The order lists of which a leg changed. */
  readonly lists: readonly OrderList[];
  /** The markets whose depth may have changed. */
  readonly symbols: ReadonlySet<string>;
  /** The assets whose balance changed, by the id of the account. */
  readonly balances: ReadonlyMap<string, readonly string[]>;
}

export interface CommitLogOptions {
  readonly state: State;
  readonly now: () => number;
  /**
   * Makes a record durable. If it throws, every later change is rejected, because the state in memory is newer than the
   * state on disk.
   */
  readonly persist: (record: StateRecord) => void;
}

/** Collects the changes of an operation, and makes them durable before it passes them to the listeners. */
export class CommitLog {
  private readonly listeners: ((commit: Commit) => void)[] = [];
  private readonly preparing: ((reports: readonly Report[]) => void)[] = [];
  private reports: Report[] = [];
  private trades: PublicTrade[] = [];
  private symbols = new Set<string>();
  private lists = new Set<OrderList>();
  /** Orders that changed without a report, such as a trailing stop that followed the price. */
  private silent = new Set<Order>();
  private reservedIds = { order: 0, trade: 0 };
  private readonly depthVersions = new Map<string, number>();
  private persistedAt: number;
  private isBroken = false;

  constructor(private readonly options: CommitLogOptions) {
    this.persistedAt = options.now();
  }

  /** Registers a listener, which is called after each committed change, in order. It must not throw. */
  onCommit(listener: (commit: Commit) => void): void {
    this.listeners.push(listener);
  }

  /** Registers a listener, which may change balances as a consequence of the reports of a commit. */
  beforeCommit(listener: (reports: readonly Report[]) => void): void {
    this.preparing.push(listener);
  }

  /** Increases with every change that may have affected the book of this market. */
  depthVersion(spec: MarketSpec): number {
    return this.depthVersions.get(spec.id) ?? 1;
  }

  assertNotBroken(): void {
    if (this.isBroken)
      throw new Error('The journal could not be written. No change is accepted until a restart.');
  }

  addTrade(trade: PublicTrade): void {
    this.trades.push(trade);
  }

  addSymbol(symbol: string): void {
    this.symbols.add(symbol);
  }

  addSilentChange(order: Order): void {
    this.silent.add(order);
  }

  addReport(report: Report): void {
    const { state } = this.options;
    const { listId } = report.order;
    state.putOrder(report.order);
    this.reports.push({ ...report, order: { ...report.order } });
    const list = listId === undefined ? undefined : state.list(listId);
    if (list !== undefined) this.lists.add(list);
  }

  commit(accounts: readonly Account[] = []): void {
    const { state, now } = this.options;
    for (const prepare of this.preparing) prepare(this.reports);
    const rows = state.ledger.takeChanged();
    const loans = state.loans.takeChanged();
    const { reports, trades, symbols, silent } = this;
    const lists = [...this.lists];
    this.reports = [];
    this.trades = [];
    this.symbols = new Set();
    if (lists.length > 0) this.lists = new Set();
    if (silent.size > 0) this.silent = new Set();
    for (const symbol of symbols) this.depthVersions.set(symbol, (this.depthVersions.get(symbol) ?? 1) + 1);
    const isDue = this.reserveIds() || now() - this.persistedAt >= CHECKPOINT_EVERY_MS;
    const isNeeded = reports.length > 0 || accounts.length > 0 || silent.size > 0 || loans !== undefined;
    if (isNeeded || isDue) {
      const orders = new Map([...silent].map((order) => [order.id, order]));
      for (const { order } of reports) orders.set(order.id, order);
      this.persist({
        ...(accounts.length > 0 ? { accounts } : {}),
        orders: [...orders.values()].map(storeOrder),
        fills: reports.flatMap(({ fill }) => (fill === undefined ? [] : [storeFill(fill)])),
        ...(lists.length > 0 ? { lists } : {}),
        balances: rows,
        ...(loans === undefined ? {} : { loans }),
        ...(accounts.length > 0 || isDue ? { issued: state.ledger.dumpIssued() } : {}),
        lastTicks: Object.fromEntries(state.lastTicks),
        nextIds: this.reservedIds,
      });
    }
    const commit = { reports, trades, lists, symbols, balances: assetsByAccount(rows) };
    for (const listener of this.listeners) listener(commit);
  }

  private persist(record: StateRecord): void {
    try {
      this.options.persist(record);
      this.persistedAt = this.options.now();
    } catch (cause) {
      this.isBroken = true;
      throw new Error('The journal could not be written.', { cause });
    }
  }

  /** Reserves the next block of ids if the last one is used up. Returns whether it did, so that it is journaled. */
  private reserveIds(): boolean {
    const { nextOrderId: order, nextTradeId: trade } = this.options.state;
    if (order < this.reservedIds.order && trade < this.reservedIds.trade) return false;
    this.reservedIds = { order: order + ID_BLOCK, trade: trade + ID_BLOCK };
    return true;
  }
}

function assetsByAccount(
  rows: readonly (readonly [string, string, string, string])[],
): Map<string, string[]> {
  const result = new Map<string, string[]>();
  for (const [account, asset] of rows) result.set(account, [...(result.get(account) ?? []), asset]);
  return result;
}
