/**
 * Sends what waits to be sent on the accounts of this worker.
 *
 * 1. One order of an account at a time, exits first; different accounts side by side. An order is begun right before it
 *    is sent, so that nothing that was begun waits behind another.
 * 2. What waits is read and begun for many accounts at once: the copies of one signal cost a few statements. While a
 *    few rounds are being begun, what is told of and what gets free gathers for the next.
 * 3. An order is sent once: after core has written so for the owner of the account, and never by anybody who finds it
 *    written. No answer, or one that says nothing, is not a failure: the exchange is asked by the looks at open trades.
 * 4. What was begun a while ago is not sent any more: a process can stand still at any step, and the exchange may take
 *    an order whose id it has seen before.
 * 5. A wake-up is a hint: `sweep` finds what nobody told of.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OwnedAccount } from '@trading-automation/core/exchange-accounts';
import type { ClaimedSubmission, TradeExecution, UnsentTrade } from '@trading-automation/core/trades';
import { ExchangeError } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { AccountClients, OpenAccount } from '../exchange/account-clients.js';
import { toOrderFailure } from '../exchange/order-failure.js';
import type { OrderReconciler } from '../exchange/order-reconciler.js';
import { type Backoff, backoffMs } from '../streams/backoff.js';

export interface OrderSubmitterDependencies {
  readonly execution: TradeExecution;
  readonly clients: AccountClients;
  readonly orderReconciler: OrderReconciler;
  /** The accounts of this worker at this moment. */
  readonly ownedAccounts: () => ReadonlyMap<string, OwnedAccount>;
  readonly logger: Logger;
  readonly onError: (error: unknown) => void;
}

/** Accounts whose orders are begun together. */
const ROUND_MAX = 200;
/** Rounds that are being begun at once; more would only share out the same accounts among more transactions. */
const ROUNDS_AT_ONCE = 2;
const UNSENT_MAX = 1_000;
/** Accounts that are at work at once. */
const BUSY_MAX = 1_000;
/**
 * How long after it was begun an order may still be handed to the exchange's client. Some seconds later it is looked
 * for in vain often enough to be sent again, by another worker if need be.
 */
const SEND_DEADLINE_MS = 3_000;
/** How long an account rests after an exchange that could not be reached, or had enough. */
const ACCOUNT_BACKOFF: Backoff = { firstMs: 250, maxMs: 5_000 };

interface ReadyOrder {
  readonly trade: UnsentTrade;
  readonly owned: OwnedAccount;
  readonly open: OpenAccount;
}

interface ClaimedOrder {
  readonly ready: ReadyOrder;
  readonly submission: ClaimedSubmission;
  /** By the monotonic clock, since before anybody could see it begun. */
  readonly claimedAtMs: number;
}

export class OrderSubmitter {
  private readonly waiting = new Set<string>();
  private readonly busy = new Set<string>();
  private readonly failures = new Map<string, number>();
  private readonly backoffTimers = new Set<NodeJS.Timeout>();
  private readonly rounds = new Set<Promise<void>>();
  private claiming = 0;
  private soon: NodeJS.Immediate | undefined;
  private isStopped = false;

  constructor(private readonly parts: OrderSubmitterDependencies) {}

  /** These accounts may have something to send. */
  wake(accountIds: Iterable<string>): void {
    const mine = this.parts.ownedAccounts();
    for (const id of accountIds) if (mine.has(id)) this.waiting.add(id);
    this.scheduleClaims();
  }

  /** Looks for what nobody told of. */
  async sweep(): Promise<void> {
    const unsent = await this.parts.execution.findUnsent([...this.parts.ownedAccounts().keys()], UNSENT_MAX);
    this.wake(new Set(unsent.map(({ accountId }) => accountId)));
  }

  /** Begins nothing any more; what was begun goes on. */
  halt(): void {
    this.isStopped = true;
    for (const rest of this.backoffTimers) clearTimeout(rest);
  }

  /** Resolves when nothing is at work. */
  async drain(): Promise<void> {
    while (this.rounds.size > 0 || this.soon !== undefined) {
      await nextTurn();
      await Promise.all(this.rounds);
    }
  }

  /** What is told of in this turn of the event loop is begun together. */
  private scheduleClaims(): void {
    this.soon ??= setImmediate(() => {
      this.soon = undefined;
      this.startBatches();
    });
  }

  private startBatches(): void {
    while (!this.isStopped && this.claiming < ROUNDS_AT_ONCE) {
      const ids = this.nextAccounts();
      if (ids.length === 0) return;
      const round = this.runBatch(ids)
        .catch(this.parts.onError)
        .finally(() => this.rounds.delete(round));
      this.rounds.add(round);
    }
  }

  private nextAccounts(): string[] {
    const ids: string[] = [];
    for (const id of this.waiting) {
      if (ids.length === ROUND_MAX || this.busy.size >= BUSY_MAX) break;
      if (this.busy.has(id)) continue;
      this.waiting.delete(id);
      this.busy.add(id);
      ids.push(id);
    }
    return ids;
  }

  /** One order for each of these accounts, which are busy until theirs is stored. */
  private async runBatch(ids: readonly string[]): Promise<void> {
    const atWork = new Set(ids);
    try {
      const begun = await this.claimOnePerAccount(ids);
      const busy = new Set(begun.map((each) => each.ready.owned.accountId));
      const letGo = (id: string) => {
        atWork.delete(id);
        this.release(id);
      };
      // Who has nothing to send does not wait for those who have.
      for (const id of ids) if (!busy.has(id)) letGo(id);
      const sending = begun.map((each) => this.send(each).finally(() => letGo(each.ready.owned.accountId)));
      for (const outcome of await Promise.allSettled(sending))
        if (outcome.status === 'rejected') this.parts.onError(outcome.reason);
    } finally {
      for (const id of atWork) this.release(id);
    }
  }

  private async claimOnePerAccount(ids: readonly string[]): Promise<ClaimedOrder[]> {
    this.claiming++;
    try {
      const unsent = await this.parts.execution.findUnsent(ids, UNSENT_MAX);
      // An account with very many leaves no place for the others: they are asked for again.
      if (unsent.length === UNSENT_MAX) for (const id of ids) this.waiting.add(id);
      return await this.claimAll(await this.open(this.firstOfEach(unsent)));
    } finally {
      this.claiming--;
      this.scheduleClaims();
    }
  }

  /** The account can be taken up again; at once, unless its exchange needs a rest. */
  private release(accountId: string): void {
    const failures = this.failures.get(accountId) ?? 0;
    const goOn = () => {
      this.busy.delete(accountId);
      this.scheduleClaims();
    };
    if (failures === 0 || this.isStopped) {
      goOn();
      return;
    }
    const rest = setTimeout(
      () => {
        this.backoffTimers.delete(rest);
        goOn();
      },
      backoffMs(ACCOUNT_BACKOFF, failures, Math.random()),
    );
    rest.unref();
    this.backoffTimers.add(rest);
  }

  /** In their order, which is exits first; who has more is asked for again. */
  private firstOfEach(unsent: readonly UnsentTrade[]): UnsentTrade[] {
    const first = new Map<string, UnsentTrade>();
    for (const trade of unsent) {
      if (first.has(trade.accountId)) this.waiting.add(trade.accountId);
      else first.set(trade.accountId, trade);
    }
    return [...first.values()];
  }

  private async open(trades: readonly UnsentTrade[]): Promise<ReadyOrder[]> {
    const mine = this.parts.ownedAccounts();
    const opened = await Promise.all(
      trades.map(async (trade): Promise<ReadyOrder | null> => {
        const owned = mine.get(trade.accountId);
        if (owned === undefined) return null;
        try {
          return { trade, owned, open: await this.parts.clients.openOwned(owned) };
        } catch (error) {
          await this.handleOpenError(trade, error);
          return null;
        }
      }),
    );
    return opened.filter((ready) => ready !== null);
  }

  /** What can't be sent for good has failed; what can't be sent for now is found by the sweep. */
  private async handleOpenError(trade: UnsentTrade, error: unknown): Promise<void> {
    const { execution, onError } = this.parts;
    if (error instanceof ExchangeError && error.outcome === 'fatal')
      await execution.failUnsent(trade.id, toOrderFailure(error)).catch(onError);
    else onError(error);
  }

  private async claimAll(ready: readonly ReadyOrder[]): Promise<ClaimedOrder[]> {
    if (ready.length === 0) return [];
    const claimedAtMs = performance.now();
    const begun = await this.parts.execution.claimSubmissions(
      ready.map(({ owned }) => owned),
      ready.map(({ trade, open }) => ({
        id: trade.id,
        venueClientOrderId: open.venue.clientOrderIdFor(`${trade.accountId}/${trade.clientOrderId}`),
      })),
    );
    const byId = new Map(begun.map((submission) => [submission.id, submission]));
    return ready.flatMap((each) => {
      const submission = byId.get(each.trade.id);
      return submission === undefined ? [] : [{ ready: each, submission, claimedAtMs }];
    });
  }

  private async send({ ready: { trade, open }, submission, claimedAtMs }: ClaimedOrder): Promise<void> {
    const { execution, clients, orderReconciler, logger } = this.parts;
    const { account, client } = open;
    const { order, begunAt } = submission;
    if (performance.now() - claimedAtMs > SEND_DEADLINE_MS) {
      // This process stood still: others may have looked for the order, and sent it again.
      logger.warn({ trade_id: trade.id }, 'begun too long ago to be sent');
      await execution.markUnknown([trade.id]);
      return;
    }
    orderReconciler.registerOrder(account.id, order.venueClientOrderId, trade.id);
    try {
      const placed = await client.placeOrder(order);
      this.failures.delete(account.id);
      await orderReconciler.storePlaced(account.id, client, placed);
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      const { outcome, code } = error;
      logger.warn({ trade_id: trade.id, outcome, code }, 'order not confirmed');
      if (outcome === 'retryable') this.failures.set(account.id, (this.failures.get(account.id) ?? 0) + 1);
      else this.failures.delete(account.id);
      if (outcome === 'unknown' || code === 'duplicate_client_order_id') {
        await execution.markUnknown([trade.id]);
        return;
      }
      // It certainly had no effect. Whether it may be sent again is core's to say.
      await execution.storeRejection(trade.id, toOrderFailure(error), begunAt);
      await clients.onExchangeError(account, error);
    }
  }
}
