import { chunksOf, pushTo } from './collections.js';
import type { FuturesRecord } from './futures/futures-records.js';
import { FuturesState } from './futures/futures-state.js';
import { type BalanceRow, Ledger } from './ledger.js';
import { Loans, type LoansRecord } from './margin/loans.js';
import { type Account, type Fill, isOpen, type Order } from './order.js';
import { isListOpen, type OrderList } from './order-list.js';

/**
 * The result of one committed change. It contains new values and no differences, so applying a record twice has the
 * same effect as applying it once. A snapshot consists of records of the whole state. Records are stored as JSON, with
 * bigints as strings.
 */
export interface StateRecord {
  readonly accounts?: readonly Account[];
  readonly orders?: readonly StoredOrder[];
  readonly fills?: readonly StoredFill[];
  readonly lists?: readonly OrderList[];
  readonly balances?: readonly BalanceRow[];
  readonly issued?: readonly (readonly [asset: string, amount: string])[];
  readonly lastTicks?: Readonly<Record<string, number>>;
  /** All ids from these on are unused. A restart continues from them. */
  readonly nextIds?: { readonly order: number; readonly trade: number };
  readonly futures?: FuturesRecord;
  readonly loans?: LoansRecord;
}

type Stored<T> = { [K in keyof T]: T[K] extends bigint | undefined ? string : T[K] };
type StoredOrder = Stored<Order>;
type StoredFill = Stored<Fill>;

/**
 * The number of ids that are reserved at once in the journal. Trades of the house therefore need no journal line of
 * their own, and no id is ever used twice.
 */
export const ID_BLOCK = 10_000;

/**
 * All state that must survive a restart. It grows with the orders and fills of users, which are never deleted. It
 * contains the balances of the house, but not its orders and trades.
 */
export class State {
  readonly ledger = new Ledger();
  readonly futures = new FuturesState();
  readonly loans = new Loans();
  readonly lastTicks = new Map<string, number>();
  nextOrderId = 1;
  nextTradeId = 1;
  nextListId = 1;
  private readonly accountsByKey = new Map<string, Account>();
  private readonly feeAssets = new Map<string, string>();
  private readonly orders = new Map<number, Order>();
  private readonly ordersByAccount = new Map<string, Order[]>();
  private readonly openByAccount = new Map<string, Map<number, Order>>();
  private readonly newestByClientId = new Map<string, Order>();
  private readonly lists = new Map<number, OrderList>();
  private readonly listsByAccount = new Map<string, OrderList[]>();
  private readonly fillsByAccount = new Map<string, Fill[]>();
  private readonly fillsByOrder = new Map<number, Fill[]>();

  accountByKey(apiKey: string): Account | undefined {
    return this.accountsByKey.get(apiKey);
  }

  /** Returns the asset in which the account pays its fees; undefined if it pays in the received asset. */
  feeAssetOf(accountId: string): string | undefined {
    return this.feeAssets.get(accountId);
  }

  accountCount(): number {
    return this.accountsByKey.size;
  }

  order(id: number): Order | undefined {
    return this.orders.get(id);
  }

  /** The number of orders on spot and futures, which grows like the size of a snapshot. */
  orderCount(): number {
    return this.orders.size + this.futures.orderCount();
  }

  /** Returns the newest order with this client order id. The id may be used again after its order is closed. */
  orderByClientId(accountId: string, symbol: string, clientOrderId: string): Order | undefined {
    return this.newestByClientId.get(`${accountId} ${symbol} ${clientOrderId}`);
  }

  /** Returns all orders of the account, oldest first. */
  ordersOf(accountId: string): readonly Order[] {
    return this.ordersByAccount.get(accountId) ?? [];
  }

  openOrdersOf(accountId: string): Order[] {
    return [...(this.openByAccount.get(accountId)?.values() ?? [])];
  }

  /** Returns the open orders of all accounts, oldest first. */
  openOrders(): Order[] {
    return [...this.openByAccount.values()].flatMap((open) => [...open.values()]).sort((a, b) => a.id - b.id);
  }

  fillsOf(accountId: string): readonly Fill[] {
    return this.fillsByAccount.get(accountId) ?? [];
  }

  /** Returns the fills of the order, oldest first. */
  fillsOfOrder(order: Order): readonly Fill[] {
    return this.fillsByOrder.get(order.id) ?? [];
  }

  /** Returns all order lists of the account, oldest first. */
  listsOf(accountId: string): readonly OrderList[] {
    return this.listsByAccount.get(accountId) ?? [];
  }

  list(id: number): OrderList | undefined {
    return this.lists.get(id);
  }

  legsOf(list: OrderList): Order[] {
    return list.orderIds.flatMap((id) => this.orders.get(id) ?? []);
  }

  isListOpen(list: OrderList): boolean {
    return isListOpen(this.legsOf(list));
  }

  /** Adds a list, unless it was already added. */
  addList(list: OrderList): void {
    if (this.lists.has(list.id)) return;
    this.lists.set(list.id, list);
    pushTo(this.listsByAccount, list.accountId, list);
    this.nextListId = Math.max(this.nextListId, list.id + 1);
  }

  /** Adds an account, or replaces the record of the account with the same key. */
  addAccount(account: Account): void {
    this.accountsByKey.set(account.apiKey, account);
    if (account.feeAsset === undefined) this.feeAssets.delete(account.id);
    else this.feeAssets.set(account.id, account.feeAsset);
  }

  putOrder(order: Order): void {
    if (!this.orders.has(order.id)) {
      this.orders.set(order.id, order);
      pushTo(this.ordersByAccount, order.accountId, order);
      this.newestByClientId.set(`${order.accountId} ${order.symbol} ${order.clientOrderId}`, order);
    }
    const open = this.openByAccount.get(order.accountId) ?? new Map<number, Order>();
    this.openByAccount.set(order.accountId, open);
    if (isOpen(order)) open.set(order.id, order);
    else open.delete(order.id);
  }

  /**
   * Adds a fill, unless it was already added. The fills of an order have increasing ids, so a fill is new only if its
   * id is above the last one.
   */
  addFill(fill: Fill): void {
    if ((this.fillsByOrder.get(fill.orderId)?.at(-1)?.id ?? 0) >= fill.id) return;
    pushTo(this.fillsByAccount, fill.accountId, fill);
    pushTo(this.fillsByOrder, fill.orderId, fill);
  }

  apply(record: StateRecord): void {
    for (const account of record.accounts ?? []) this.addAccount(account);
    for (const stored of record.orders ?? []) {
      const order = readOrder(stored);
      const existing = this.orders.get(order.id);
      this.putOrder(existing === undefined ? order : Object.assign(existing, order));
    }
    for (const stored of record.fills ?? []) this.addFill(readFill(stored));
    for (const list of record.lists ?? []) this.addList(list);
    this.ledger.restore(record.balances ?? [], record.issued ?? []);
    for (const [symbol, ticks] of Object.entries(record.lastTicks ?? {})) this.lastTicks.set(symbol, ticks);
    this.nextOrderId = Math.max(this.nextOrderId, record.nextIds?.order ?? 0);
    this.nextTradeId = Math.max(this.nextTradeId, record.nextIds?.trade ?? 0);
    if (record.futures !== undefined) this.futures.apply(record.futures);
    if (record.loans !== undefined) this.loans.apply(record.loans);
  }

  /** Yields the whole state in several records, because the JSON of one record could be too long for a string. */
  *dump(): Generator<StateRecord> {
    const loans = this.loans.dump();
    yield {
      accounts: [...this.accountsByKey.values()],
      ...this.ledger.dump(),
      lastTicks: Object.fromEntries(this.lastTicks),
      nextIds: { order: this.nextOrderId + ID_BLOCK, trade: this.nextTradeId + ID_BLOCK },
      futures: this.futures.head(),
      ...(loans === undefined ? {} : { loans }),
    };
    for (const orders of chunksOf(this.orders.values())) yield { orders: orders.map(storeOrder) };
    for (const lists of chunksOf(this.lists.values())) yield { lists };
    for (const accountFills of this.fillsByAccount.values()) {
      for (const fills of chunksOf(accountFills)) yield { fills: fills.map(storeFill) };
    }
    for (const futures of this.futures.rows()) yield { futures };
  }
}

export function storeOrder({ loan, ...order }: Order): StoredOrder {
  return {
    ...order,
    quoteOrderQty: order.quoteOrderQty.toString(),
    executedQuote: order.executedQuote.toString(),
    locked: order.locked.toString(),
    ...(loan === undefined ? {} : { loan: loan.toString() }),
  };
}

export function storeFill(fill: Fill): StoredFill {
  return { ...fill, quote: fill.quote.toString(), fee: fill.fee.toString() };
}

function readOrder({ loan, ...stored }: StoredOrder): Order {
  return {
    ...stored,
    quoteOrderQty: BigInt(stored.quoteOrderQty),
    executedQuote: BigInt(stored.executedQuote),
    locked: BigInt(stored.locked),
    ...(loan === undefined ? {} : { loan: BigInt(loan) }),
  };
}

function readFill(stored: StoredFill): Fill {
  return { ...stored, quote: BigInt(stored.quote), fee: BigInt(stored.fee) };
}
