/**
 * Judges the orders of former owners when this worker takes accounts over.
 *
 * 1. Until the orders of an account were looked up once, no new entry is sent. Exits do not wait. An order that was not
 *    found holds nothing back, like any order without a response.
 * 2. Each order is looked up by its client order id at once. An account has few orders in flight at a time, so this costs
 *    less than the lists of its open orders and fills.
 * 3. An order that the exchange knows is stored, with its fills: without them, no copier follows it. Orders whose response
 *    was stored, but not their fills, are looked up as well. They hold nothing back, and never delay the others. A copy that it does not know may still arrive, so it is looked up again
 *    once it cannot. Then it is sent again under the same id, or ends if its signal is too old; core decides. A user's own
 *    order is never sent again, and the scheduled checks judge it, as they do if the exchange does not respond or cannot prove
 *    absence.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnedAccount } from '@trading-automation/core/exchange-accounts';
import type { InFlightOrder, TradeExecution } from '@trading-automation/core/trades';
import { type Backoff, backoffMs } from '@trading-automation/runtime/backoff';
import pLimit from 'p-limit';
import type { TradeOrders } from '../exchange/trade-orders.js';

/** The maximum number of accounts that are judged concurrently. */
const CONCURRENCY = 16;
/** The maximum number of looks for one order whose look-up fails. */
const LOOKS_MAX = 5;
/** The maximum number of accounts whose missing fills are read concurrently. */
const FILL_READ_CONCURRENCY = 8;
const LOOK_BACKOFF: Backoff = { firstMs: 500, maxMs: 4_000 };

export class Takeover {
  /** The fences of the accounts that are judged or being judged. */
  private fences: ReadonlyMap<string, string> = new Map();
  private readonly notLookedUp = new Set<string>();
  private readonly running = new Set<Promise<void>>();
  /** The first looks of the accounts that are being judged. */
  private readonly firstLooks = new Map<string, Promise<unknown>>();
  private readonly stopping = new AbortController();
  private readonly limit = pLimit(CONCURRENCY);
  private readonly limitFillReads = pLimit(FILL_READ_CONCURRENCY);

  constructor(
    private readonly execution: TradeExecution,
    private readonly orders: TradeOrders,
    /** Called for an account that may have orders to send. */
    private readonly onMaySend: (accountId: string) => void,
    private readonly onError: (error: unknown) => void,
  ) {
    // Each account that waits for its second look listens.
    setMaxListeners(0, this.stopping.signal);
  }

  /** Whether the orders of the account's former owner were looked up. */
  mayEnter({ accountId, fence }: OwnedAccount): boolean {
    return this.fences.get(accountId) === fence && !this.notLookedUp.has(accountId);
  }

  /**
   * Judges the accounts that this worker took over since the last call. Entries of accounts without an order in
   * flight may be sent when this returns; the others follow in the background.
   */
  async setAccounts(owned: ReadonlyMap<string, OwnedAccount>): Promise<void> {
    const taken = [...owned.values()].filter(({ accountId, fence }) => this.fences.get(accountId) !== fence);
    for (const { accountId } of taken) this.notLookedUp.add(accountId);
    this.fences = new Map([...owned.values()].map(({ accountId, fence }) => [accountId, fence]));
    for (const accountId of this.notLookedUp)
      if (!this.fences.has(accountId)) this.notLookedUp.delete(accountId);
    if (taken.length === 0) return;
    const orders = await this.findOrders(taken);
    for (const account of taken) {
      const inFlight = orders.get(account.accountId) ?? [];
      const unanswered = inFlight.filter(({ isAcknowledged }) => !isAcknowledged);
      if (unanswered.length === 0) this.letEnter(account);
      else this.start(this.judgeAccount(account, unanswered));
      const acknowledged = inFlight.filter(({ isAcknowledged }) => isAcknowledged);
      if (acknowledged.length > 0)
        this.start(this.limitFillReads(() => this.readFills(account, acknowledged)));
    }
  }

  /**
   * Resolves when each order that the account's former owner may have sent was looked up once. Most orders are stored
   * then, so that the account has no open order any more.
   */
  async untilLookedUp(accountId: string): Promise<void> {
    await this.firstLooks.get(accountId)?.catch(() => undefined);
  }

  /** Resolves when no account is being judged. */
  async drain(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  /** Stops judging; the scheduled checks judge the remaining orders. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.drain();
  }

  private async findOrders(accounts: readonly OwnedAccount[]): Promise<Map<string, InFlightOrder[]>> {
    const orders = new Map<string, InFlightOrder[]>();
    try {
      const found = await this.execution.findInFlightOrders(accounts.map(({ accountId }) => accountId));
      for (const order of found) orders.set(order.accountId, [...(orders.get(order.accountId) ?? []), order]);
    } catch (error) {
      this.onError(error);
    }
    return orders;
  }

  private start(judging: Promise<void>): void {
    const work = judging.catch(this.onError).finally(() => this.running.delete(work));
    this.running.add(work);
  }

  /** Looks orders up whose fills are missing. What a look does not find, the comparison of the account finds. */
  private async readFills(
    { accountId, fence }: OwnedAccount,
    orders: readonly InFlightOrder[],
  ): Promise<void> {
    for (const order of orders) {
      if (this.stopping.signal.aborted || this.fences.get(accountId) !== fence) return;
      await this.look(order, performance.now());
    }
  }

  private letEnter({ accountId, fence }: OwnedAccount): void {
    if (this.fences.get(accountId) !== fence) return;
    this.notLookedUp.delete(accountId);
    this.onMaySend(accountId);
  }

  private async judgeAccount(account: OwnedAccount, orders: readonly InFlightOrder[]): Promise<void> {
    const { accountId, fence } = account;
    const { signal } = this.stopping;
    const takenAtMs = performance.now();
    const lookForAll = async (wanted: readonly InFlightOrder[]) => {
      const absent: InFlightOrder[] = [];
      for (const order of wanted) {
        if (signal.aborted || this.fences.get(accountId) !== fence) return [];
        if (!(await this.look(order, takenAtMs))) absent.push(order);
      }
      return absent;
    };
    const firstLook = this.limit(() => lookForAll(orders));
    this.firstLooks.set(accountId, firstLook);
    const absent = await firstLook.finally(() => {
      if (this.firstLooks.get(accountId) === firstLook) this.firstLooks.delete(accountId);
      this.letEnter(account);
    });
    if (absent.length === 0) return;
    const certainAtMs = takenAtMs + Math.max(...absent.map(({ certainInMs }) => certainInMs ?? 0));
    // Timers may end up to 1 ms early.
    const waitMs = Math.max(0, certainAtMs - performance.now()) + 1;
    await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
    await this.limit(() => lookForAll(absent));
    this.onMaySend(accountId);
  }

  /** Looks an order up. Returns false if it was not found and has to be looked up again once it can no longer arrive. */
  private async look(
    { id, begunAt, certainInMs, isAcknowledged }: InFlightOrder,
    takenAtMs: number,
  ): Promise<boolean> {
    const { signal } = this.stopping;
    for (let attempt = 1; !signal.aborted; attempt++) {
      const isCertain = certainInMs !== null && performance.now() - takenAtMs >= certainInMs;
      try {
        const trade = await this.execution.find(id);
        if (trade === null || !trade.isOpen || !trade.isSubmitted) return true;
        // A look-up by the pair fails; the comparison of the account judges the order.
        if (trade.isPairDelisted) return true;
        if (trade.isAcknowledged && !isAcknowledged) return true;
        const order = await this.orders.open(trade, 'resume');
        const outcome = await order.refresh();
        if (outcome === 'FOUND') return true;
        if (outcome === 'NOT_KNOWN' || certainInMs === null) {
          await this.leaveToChecks(id);
          return true;
        }
        if (isCertain) await this.execution.storeCertainAbsence(id, begunAt);
        return isCertain;
      } catch (error) {
        // What is missing of an acknowledged order is found by the comparison, too.
        if (attempt === LOOKS_MAX || isAcknowledged) {
          await this.leaveToChecks(id);
          throw error;
        }
        await sleep(backoffMs(LOOK_BACKOFF, attempt), undefined, { signal, ref: false }).catch(
          () => undefined,
        );
      }
    }
    return true;
  }

  /** Makes the next check of an order due soon; the dead worker may have claimed it. */
  private leaveToChecks(id: string): Promise<void> {
    return this.execution.recheckSoon(id);
  }
}
