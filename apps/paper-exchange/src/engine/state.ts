import { type BalanceRow, Ledger } from './ledger.js';
import { type Account, type Fill, isOpen, type Order } from './order.js';

/**
 * What one committed change leaves behind: absolute values only, so that applying a record twice is the same as
 * once, and a snapshot is simply one record of everything. JSON, bigints as strings.
 */
export interface StateRecord {
  readonly accounts?: readonly Account[];
  readonly orders?: readonly StoredOrder[];
  readonly fills?: readonly StoredFill[];
  readonly balances?: readonly BalanceRow[];
  readonly issued?: readonly (readonly [asset: string, amount: string])[];
  readonly lastTicks?: Readonly<Record<string, number>>;
  /** Ids below these may have been given out; a restart goes on from them. */
  readonly nextIds?: { readonly order: number; readonly trade: number };
}

type Stored<T> = { [K in keyof T]: T[K] extends bigint ? string : T[K] };
type StoredOrder = Stored<Order>;
type StoredFill = Stored<Fill>;

/** Ids are reserved in blocks of this many, so that trades of the house alone need no journal line and still never repeat one. */
export const ID_BLOCK = 10_000;

/** Everything that must survive a restart. */
export class State {
  readonly ledger = new Ledger();
  readonly lastTicks = new Map<string, number>();
  nextOrderId = 1;
  nextTradeId = 1;
  private readonly accountsByKey = new Map<string, Account>();
  private readonly orders = new Map<number, Order>();
  private readonly ordersByAccount = new Map<string, Order[]>();
  private readonly openByAccount = new Map<string, Map<number, Order>>();
  private readonly fillsByAccount = new Map<string, Fill[]>();
  private readonly fillIds = new Set<string>();

  accountByKey(apiKey: string): Account | undefined {
    return this.accountsByKey.get(apiKey);
  }

  accountCount(): number {
    return this.accountsByKey.size;
  }

  order(id: number): Order | undefined {
    return this.orders.get(id);
  }

  /** All orders of the account, oldest first. */
  ordersOf(accountId: string): readonly Order[] {
    return this.ordersByAccount.get(accountId) ?? [];
  }

  openOrdersOf(accountId: string): Order[] {
    return [...(this.openByAccount.get(accountId)?.values() ?? [])];
  }

  /** Open orders of everybody, oldest first. */
  openOrders(): Order[] {
    return [...this.openByAccount.values()].flatMap((open) => [...open.values()]).sort((a, b) => a.id - b.id);
  }

  fillsOf(accountId: string): readonly Fill[] {
    return this.fillsByAccount.get(accountId) ?? [];
  }

  /** What has executed of the order, oldest first. Quick for an order that has just traded. */
  fillsOfOrder(order: Order): Fill[] {
    const fills: Fill[] = [];
    const all = this.fillsOf(order.accountId);
    for (let at = all.length - 1, left = order.executedLots; left > 0 && at >= 0; at -= 1) {
      const fill = all[at];
      if (fill?.orderId !== order.id) continue;
      fills.unshift(fill);
      left -= fill.lots;
    }
    return fills;
  }

  addAccount(account: Account): void {
    this.accountsByKey.set(account.apiKey, account);
  }

  putOrder(order: Order): void {
    if (!this.orders.has(order.id)) pushTo(this.ordersByAccount, order.accountId, order);
    this.orders.set(order.id, order);
    const open = this.openByAccount.get(order.accountId) ?? new Map<number, Order>();
    this.openByAccount.set(order.accountId, open);
    if (isOpen(order)) open.set(order.id, order);
    else open.delete(order.id);
  }

  addFill(fill: Fill): void {
    const key = `${fill.id} ${fill.orderId}`;
    if (this.fillIds.has(key)) return;
    this.fillIds.add(key);
    pushTo(this.fillsByAccount, fill.accountId, fill);
  }

  apply(record: StateRecord): void {
    for (const account of record.accounts ?? []) this.addAccount(account);
    for (const stored of record.orders ?? []) {
      const order = readOrder(stored);
      const known = this.orders.get(order.id);
      this.putOrder(known === undefined ? order : Object.assign(known, order));
    }
    for (const stored of record.fills ?? []) this.addFill(readFill(stored));
    this.ledger.restore(record.balances ?? [], record.issued ?? []);
    for (const [symbol, ticks] of Object.entries(record.lastTicks ?? {})) this.lastTicks.set(symbol, ticks);
    this.nextOrderId = Math.max(this.nextOrderId, record.nextIds?.order ?? 0);
    this.nextTradeId = Math.max(this.nextTradeId, record.nextIds?.trade ?? 0);
  }

  dump(): StateRecord {
    return {
      accounts: [...this.accountsByKey.values()],
      orders: [...this.orders.values()].map(storeOrder),
      fills: [...this.fillsByAccount.values()].flat().map(storeFill),
      ...this.ledger.dump(),
      lastTicks: Object.fromEntries(this.lastTicks),
      nextIds: { order: this.nextOrderId + ID_BLOCK, trade: this.nextTradeId + ID_BLOCK },
    };
  }
}

export function storeOrder(order: Order): StoredOrder {
  return {
    ...order,
    quoteOrderQty: order.quoteOrderQty.toString(),
    executedQuote: order.executedQuote.toString(),
    locked: order.locked.toString(),
  };
}

export function storeFill(fill: Fill): StoredFill {
  return { ...fill, quote: fill.quote.toString(), fee: fill.fee.toString() };
}

function readOrder(stored: StoredOrder): Order {
  return {
    ...stored,
    quoteOrderQty: BigInt(stored.quoteOrderQty),
    executedQuote: BigInt(stored.executedQuote),
    locked: BigInt(stored.locked),
  };
}

function readFill(stored: StoredFill): Fill {
  return { ...stored, quote: BigInt(stored.quote), fee: BigInt(stored.fee) };
}

function pushTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
