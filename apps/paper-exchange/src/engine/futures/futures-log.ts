import type { PublicTrade } from '../order.js';
import type { MarketSpec } from '../symbols.js';
import type { Funding } from './contract-state.js';
import { type FuturesAccount, isSystem, storeFuturesAccount } from './futures-account.js';
import type { AccountReason, FuturesEvent } from './futures-events.js';
import { accountEvent } from './futures-events.js';
import {
  type AlgoOrder,
  type FuturesFill,
  type FuturesOrder,
  type FuturesReport,
  type Income,
  isOpenOrder,
} from './futures-order.js';
import { type FuturesRecord, storeFuturesFill, storeFuturesOrder, storeIncome } from './futures-records.js';
import { type FuturesState, ID_BLOCK } from './futures-state.js';

/** The interval at which prices are journaled, so that a crash loses little of their movement. */
const CHECKPOINT_EVERY_MS = 10_000;

/** The changes of one commit, for the listeners. */
export interface FuturesCommit {
  readonly trades: readonly PublicTrade[];
  /** The contracts whose depth may have changed. */
  readonly symbols: ReadonlySet<string>;
  /** The events of users, in the order in which they happened. */
  readonly events: readonly FuturesEvent[];
}

export interface FuturesLogOptions {
  readonly state: FuturesState;
  readonly now: () => number;
  /** Makes a record durable. If it throws, every later change is rejected. */
  readonly persist: (record: FuturesRecord) => void;
}

/** Collects the changes of an operation, and makes them durable before it passes them to the listeners. */
export class FuturesLog {
  private readonly listeners: ((commit: FuturesCommit) => void)[] = [];
  private events: FuturesEvent[] = [];
  private trades: PublicTrade[] = [];
  private symbols = new Set<string>();
  private accounts = new Set<FuturesAccount>();
  private orders = new Map<number, FuturesOrder>();
  private algoOrders = new Map<number, AlgoOrder>();
  private fills: FuturesFill[] = [];
  private incomes: Income[] = [];
  private fundings: Funding[] = [];
  private isContractChanged = false;
  private readonly depthVersions = new Map<string, number>();
  private reservedTradeId = 0;
  private persistedAt: number;
  private isBroken = false;

  constructor(private readonly options: FuturesLogOptions) {
    this.persistedAt = options.now();
  }

  /** Registers a listener, which is called after each committed change, in order. It must not throw. */
  onCommit(listener: (commit: FuturesCommit) => void): void {
    this.listeners.push(listener);
  }

  /** Increases with every change that may have affected the book of this contract. */
  depthVersion(spec: MarketSpec): number {
    return this.depthVersions.get(spec.id) ?? 1;
  }

  /** Returns the time of the exchange in Unix milliseconds. */
  now(): number {
    return this.options.now();
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

  /** Marks the contracts as changed in a way that must survive a restart at once. */
  addContractChange(): void {
    this.isContractChanged = true;
  }

  addReport({ execution, order, fill }: FuturesReport): void {
    this.options.state.putOrder(order);
    this.orders.set(order.id, order);
    if (fill !== undefined) {
      this.options.state.addFill(fill);
      this.fills.push(fill);
    }
    const report = { execution, order: { ...order }, ...(fill === undefined ? {} : { fill }) };
    this.events.push({ kind: 'order', accountId: order.accountId, report });
    if (!isOpenOrder(order)) this.finishAlgo(order);
  }

  /** Finishes the conditional order that placed a closed order. */
  private finishAlgo(order: FuturesOrder): void {
    const algo = order.algoId === undefined ? undefined : this.options.state.algoOrder(order.algoId);
    if (algo?.status !== 'TRIGGERED' || algo.orderId !== order.id) return;
    algo.status = 'FINISHED';
    algo.updatedAt = order.updatedAt;
    this.addAlgo(algo);
  }

  addAlgo(order: AlgoOrder): void {
    this.options.state.putAlgoOrder(order);
    this.algoOrders.set(order.id, order);
    this.events.push({ kind: 'algo', accountId: order.accountId, order: { ...order } });
  }

  /** Stores a trailing order whose best price changed. Users get no event. */
  addSilentAlgo(order: AlgoOrder): void {
    this.algoOrders.set(order.id, order);
  }

  /** Stores an account. A user also gets an event with its wallet and these positions. */
  addAccount(account: FuturesAccount, reason: AccountReason, symbols: readonly string[], change = 0n): void {
    this.accounts.add(account);
    if (!isSystem(account.id))
      this.events.push(accountEvent(this.options.state, account, { reason, symbols, change }));
  }

  /** Stores an account without an event. */
  touch(account: FuturesAccount): void {
    this.accounts.add(account);
  }

  addEvent(event: FuturesEvent): void {
    this.events.push(event);
  }

  addIncome(income: Omit<Income, 'id' | 'at'>): void {
    if (income.amount === 0n || isSystem(income.accountId)) return;
    const row = { ...income, id: this.options.state.nextIds.income++, at: this.options.now() };
    this.options.state.addIncome(row);
    this.incomes.push(row);
  }

  addFunding(funding: Funding): void {
    this.options.state.contracts.addFunding(funding);
    this.fundings.push(funding);
    this.isContractChanged = true;
  }

  commit(): void {
    const { trades, symbols, events } = this;
    const record = this.takeRecord();
    for (const symbol of symbols) this.depthVersions.set(symbol, (this.depthVersions.get(symbol) ?? 1) + 1);
    if (record !== undefined) this.persist(record);
    const commit = { trades, symbols, events };
    for (const listener of this.listeners) listener(commit);
  }

  /** Empties the collected changes. Returns the record to persist; undefined if nothing changed. */
  private takeRecord(): FuturesRecord | undefined {
    const { state } = this.options;
    const { orders, algoOrders, accounts, fills, incomes, fundings } = this;
    const isDue = this.reserveIds() || this.options.now() - this.persistedAt >= CHECKPOINT_EVERY_MS;
    const rowCount = orders.size + algoOrders.size + accounts.size + incomes.length + fundings.length;
    const isNeeded = isDue || this.isContractChanged || rowCount > 0;
    this.clear();
    if (!isNeeded) return undefined;
    return {
      accounts: [...accounts].map(storeFuturesAccount),
      orders: [...orders.values()].map(storeFuturesOrder),
      algoOrders: [...algoOrders.values()],
      fills: fills.map(storeFuturesFill),
      incomes: incomes.map(storeIncome),
      fundings,
      contracts: state.contracts.all(),
      lastTicks: Object.fromEntries(state.lastTicks),
      deposited: state.deposited.toString(),
      nextIds: { ...state.nextIds, trade: this.reservedTradeId },
    };
  }

  private clear(): void {
    this.events = [];
    this.trades = [];
    this.symbols = new Set();
    this.accounts = new Set();
    this.orders = new Map();
    this.algoOrders = new Map();
    this.fills = [];
    this.incomes = [];
    this.fundings = [];
    this.isContractChanged = false;
  }

  private persist(record: FuturesRecord): void {
    try {
      this.options.persist(record);
      this.persistedAt = this.options.now();
    } catch (cause) {
      this.isBroken = true;
      throw new Error('The journal could not be written.', { cause });
    }
  }

  /** Reserves the next block of trade ids if the last one is used up. Returns whether it did. */
  private reserveIds(): boolean {
    const { trade } = this.options.state.nextIds;
    if (trade < this.reservedTradeId) return false;
    this.reservedTradeId = trade + ID_BLOCK;
    return true;
  }
}
