import { chunksOf, pushTo } from '../collections.js';
import { ContractStates } from './contract-state.js';
import {
  type FuturesAccount,
  newFuturesAccount,
  readFuturesAccount,
  storeFuturesAccount,
  walletOf,
} from './futures-account.js';
import {
  type AlgoOrder,
  type FuturesFill,
  type FuturesOrder,
  type Income,
  isOpenOrder,
} from './futures-order.js';
import {
  type FuturesRecord,
  readFuturesFill,
  readFuturesOrder,
  readIncome,
  storeFuturesFill,
  storeFuturesOrder,
  storeIncome,
} from './futures-records.js';
import { unrealizedOf } from './margin.rules.js';

/**
 * The number of trade ids that are reserved at once in the journal. Trades of the house therefore need no journal line
 * of their own, and no id is ever used twice.
 */
export const ID_BLOCK = 10_000;

/** All state of the futures that must survive a restart. Orders, fills and incomes of users are never deleted. */
export class FuturesState {
  readonly contracts = new ContractStates();
  /** The prices of the last trades. */
  readonly lastTicks = new Map<string, number>();
  /** In units of 10^-8 USDT. */
  deposited = 0n;
  readonly nextIds = { order: 1, trade: 1, algo: 1, income: 1 };
  private readonly accounts = new Map<string, FuturesAccount>();
  private readonly orders = new Map<number, FuturesOrder>();
  private readonly algoOrders = new Map<number, AlgoOrder>();
  private readonly ordersByAccount = new Map<string, FuturesOrder[]>();
  private readonly openByAccount = new Map<string, Map<number, FuturesOrder>>();
  private readonly newestByClientId = new Map<string, FuturesOrder>();
  private readonly algoByAccount = new Map<string, AlgoOrder[]>();
  private readonly fillsByAccount = new Map<string, FuturesFill[]>();
  private readonly incomesByAccount = new Map<string, Income[]>();

  /** Returns the futures side of an account. It is created, with an empty wallet, at the first call. */
  account(id: string): FuturesAccount {
    let account = this.accounts.get(id);
    if (account === undefined) {
      account = newFuturesAccount(id);
      this.accounts.set(id, account);
    }
    return account;
  }

  allAccounts(): Iterable<FuturesAccount> {
    return this.accounts.values();
  }

  order(id: number): FuturesOrder | undefined {
    return this.orders.get(id);
  }

  orderCount(): number {
    return this.orders.size + this.algoOrders.size;
  }

  /** Returns the newest order with this client order id. The id may be used again after its order is closed. */
  orderByClientId(accountId: string, symbol: string, clientOrderId: string): FuturesOrder | undefined {
    return this.newestByClientId.get(`${accountId} ${symbol} ${clientOrderId}`);
  }

  /** Returns all orders of the account, oldest first. */
  ordersOf(accountId: string): readonly FuturesOrder[] {
    return this.ordersByAccount.get(accountId) ?? [];
  }

  openOrdersOf(accountId: string, symbol?: string): FuturesOrder[] {
    const open = [...(this.openByAccount.get(accountId)?.values() ?? [])];
    return symbol === undefined ? open : open.filter((order) => order.symbol === symbol);
  }

  /** Returns the open orders of all accounts, oldest first. */
  openOrders(): FuturesOrder[] {
    return [...this.openByAccount.values()].flatMap((open) => [...open.values()]).sort((a, b) => a.id - b.id);
  }

  algoOrder(id: number): AlgoOrder | undefined {
    return this.algoOrders.get(id);
  }

  /** Returns all conditional orders of the account, oldest first. */
  algoOrdersOf(accountId: string): readonly AlgoOrder[] {
    return this.algoByAccount.get(accountId) ?? [];
  }

  openAlgoOrders(): AlgoOrder[] {
    return [...this.algoOrders.values()].filter(({ status }) => status === 'NEW');
  }

  fillsOf(accountId: string): readonly FuturesFill[] {
    return this.fillsByAccount.get(accountId) ?? [];
  }

  incomesOf(accountId: string): readonly Income[] {
    return this.incomesByAccount.get(accountId) ?? [];
  }

  /**
   * Returns the wallets and the unrealised profits of all accounts, including those of the exchange. It equals
   * `deposited` after every committed change.
   */
  total(): bigint {
    let total = 0n;
    for (const account of this.accounts.values()) {
      total += walletOf(account);
      for (const [symbol, position] of account.positions)
        total += unrealizedOf(position, this.contracts.of(symbol).mark);
    }
    return total;
  }

  putOrder(order: FuturesOrder): void {
    if (!this.orders.has(order.id)) {
      this.orders.set(order.id, order);
      pushTo(this.ordersByAccount, order.accountId, order);
      this.newestByClientId.set(`${order.accountId} ${order.symbol} ${order.clientOrderId}`, order);
    }
    const open = this.openByAccount.get(order.accountId) ?? new Map<number, FuturesOrder>();
    this.openByAccount.set(order.accountId, open);
    if (isOpenOrder(order)) open.set(order.id, order);
    else open.delete(order.id);
  }

  putAlgoOrder(order: AlgoOrder): void {
    if (this.algoOrders.has(order.id)) return;
    this.algoOrders.set(order.id, order);
    pushTo(this.algoByAccount, order.accountId, order);
  }

  /** Adds a fill, unless it was already added. The fills of an account have increasing ids. */
  addFill(fill: FuturesFill): void {
    if ((this.fillsOf(fill.accountId).at(-1)?.id ?? 0) < fill.id)
      pushTo(this.fillsByAccount, fill.accountId, fill);
  }

  /** Adds an income, unless it was already added. The incomes of an account have increasing ids. */
  addIncome(income: Income): void {
    if ((this.incomesOf(income.accountId).at(-1)?.id ?? 0) < income.id)
      pushTo(this.incomesByAccount, income.accountId, income);
  }

  apply(record: FuturesRecord): void {
    for (const account of record.accounts ?? []) this.accounts.set(account.id, readFuturesAccount(account));
    for (const stored of record.orders ?? []) {
      const order = readFuturesOrder(stored);
      const existing = this.orders.get(order.id);
      this.putOrder(existing === undefined ? order : Object.assign(existing, order));
    }
    for (const stored of record.algoOrders ?? []) {
      const existing = this.algoOrders.get(stored.id);
      if (existing === undefined) this.putAlgoOrder({ ...stored });
      else Object.assign(existing, stored);
    }
    for (const fill of record.fills ?? []) this.addFill(readFuturesFill(fill));
    for (const income of record.incomes ?? []) this.addIncome(readIncome(income));
    for (const contract of record.contracts ?? []) this.contracts.put(contract);
    for (const funding of record.fundings ?? []) this.contracts.addFunding(funding);
    for (const [symbol, ticks] of Object.entries(record.lastTicks ?? {})) this.lastTicks.set(symbol, ticks);
    if (record.deposited !== undefined) this.deposited = BigInt(record.deposited);
    for (const name of ['order', 'trade', 'algo', 'income'] as const)
      this.nextIds[name] = Math.max(this.nextIds[name], record.nextIds?.[name] ?? 0);
  }

  /** Returns what a snapshot holds of the futures, but for the rows of users. */
  head(): FuturesRecord {
    return {
      accounts: [...this.accounts.values()].map(storeFuturesAccount),
      contracts: this.contracts.all(),
      fundings: this.contracts.fundingsOf(),
      lastTicks: Object.fromEntries(this.lastTicks),
      deposited: this.deposited.toString(),
      nextIds: { ...this.nextIds, trade: this.nextIds.trade + ID_BLOCK },
    };
  }

  /** Yields the orders, fills and incomes of users in several records. */
  *rows(): Generator<FuturesRecord> {
    for (const orders of chunksOf(this.orders.values())) yield { orders: orders.map(storeFuturesOrder) };
    for (const algoOrders of chunksOf(this.algoOrders.values())) yield { algoOrders };
    for (const rows of this.fillsByAccount.values())
      for (const fills of chunksOf(rows)) yield { fills: fills.map(storeFuturesFill) };
    for (const rows of this.incomesByAccount.values())
      for (const incomes of chunksOf(rows)) yield { incomes: incomes.map(storeIncome) };
  }
}
