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
import type { BegunSubmission, TradeExecution, UnsentTrade } from '@trading-automation/core/trades';
import { ExchangeError } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { AccountClients, OpenAccount } from '../desk/account-clients.js';
import { failureOf } from '../desk/failures.js';
import type { TradeDesk } from '../desk/trade-desk.js';
import { type Backoff, backoffMs } from '../streams/backoff.js';

export interface SubmissionsParts {
  readonly execution: TradeExecution;
  readonly clients: AccountClients;
  readonly trades: TradeDesk;
  /** The accounts of this worker at this moment. */
  readonly mine: () => ReadonlyMap<string, OwnedAccount>;
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
const SENT_WITHIN_MS = 3_000;
/** How long an account rests after an exchange that could not be reached, or had enough. */
const REST: Backoff = { firstMs: 250, maxMs: 5_000 };

interface Ready {
  readonly trade: UnsentTrade;
  readonly owned: OwnedAccount;
  readonly open: OpenAccount;
}

interface Begun {
  readonly ready: Ready;
  readonly submission: BegunSubmission;
  /** By the monotonic clock, since before anybody could see it begun. */
  readonly sinceMs: number;
}

export class Submissions {
  private readonly waiting = new Set<string>();
  private readonly busy = new Set<string>();
  private readonly failures = new Map<string, number>();
  private readonly rests = new Set<NodeJS.Timeout>();
  private readonly rounds = new Set<Promise<void>>();
  private beginning = 0;
  private soon: NodeJS.Immediate | undefined;
  private isStopped = false;

  constructor(private readonly parts: SubmissionsParts) {}

  /** These accounts may have something to send. */
  wake(accountIds: Iterable<string>): void {
    const mine = this.parts.mine();
    for (const id of accountIds) if (mine.has(id)) this.waiting.add(id);
    this.beginSoon();
  }

  /** Looks for what nobody told of. */
  async sweep(): Promise<void> {
    const unsent = await this.parts.execution.takeUnsent([...this.parts.mine().keys()], UNSENT_MAX);
    this.wake(new Set(unsent.map(({ accountId }) => accountId)));
  }

  /** Begins nothing any more; what was begun goes on. */
  halt(): void {
    this.isStopped = true;
    for (const rest of this.rests) clearTimeout(rest);
  }

  /** Resolves when nothing is at work. */
  async settle(): Promise<void> {
    while (this.rounds.size > 0 || this.soon !== undefined) {
      await nextTurn();
      await Promise.all(this.rounds);
    }
  }

  /** What is told of in this turn of the event loop is begun together. */
  private beginSoon(): void {
    this.soon ??= setImmediate(() => {
      this.soon = undefined;
      this.begin();
    });
  }

  private begin(): void {
    while (!this.isStopped && this.beginning < ROUNDS_AT_ONCE) {
      const ids = this.nextAccounts();
      if (ids.length === 0) return;
      const round = this.round(ids)
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
  private async round(ids: readonly string[]): Promise<void> {
    const atWork = new Set(ids);
    try {
      const begun = await this.beginOneOfEach(ids);
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

  private async beginOneOfEach(ids: readonly string[]): Promise<Begun[]> {
    this.beginning++;
    try {
      const unsent = await this.parts.execution.takeUnsent(ids, UNSENT_MAX);
      // An account with very many leaves no place for the others: they are asked for again.
      if (unsent.length === UNSENT_MAX) for (const id of ids) this.waiting.add(id);
      return await this.beginAll(await this.open(this.firstOfEach(unsent)));
    } finally {
      this.beginning--;
      this.beginSoon();
    }
  }

  /** The account can be taken up again; at once, unless its exchange needs a rest. */
  private release(accountId: string): void {
    const failures = this.failures.get(accountId) ?? 0;
    const goOn = () => {
      this.busy.delete(accountId);
      this.beginSoon();
    };
    if (failures === 0 || this.isStopped) {
      goOn();
      return;
    }
    const rest = setTimeout(
      () => {
        this.rests.delete(rest);
        goOn();
      },
      backoffMs(REST, failures, Math.random()),
    );
    rest.unref();
    this.rests.add(rest);
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

  private async open(trades: readonly UnsentTrade[]): Promise<Ready[]> {
    const mine = this.parts.mine();
    const opened = await Promise.all(
      trades.map(async (trade): Promise<Ready | null> => {
        const owned = mine.get(trade.accountId);
        if (owned === undefined) return null;
        try {
          return { trade, owned, open: await this.parts.clients.openAs(owned) };
        } catch (error) {
          await this.refuse(trade, error);
          return null;
        }
      }),
    );
    return opened.filter((ready) => ready !== null);
  }

  /** What can't be sent for good has failed; what can't be sent for now is found by the sweep. */
  private async refuse(trade: UnsentTrade, error: unknown): Promise<void> {
    const { execution, onError } = this.parts;
    if (error instanceof ExchangeError && error.outcome === 'fatal')
      await execution.refuseUnsent(trade.id, failureOf(error)).catch(onError);
    else onError(error);
  }

  private async beginAll(ready: readonly Ready[]): Promise<Begun[]> {
    if (ready.length === 0) return [];
    const sinceMs = performance.now();
    const begun = await this.parts.execution.beginSubmissions(
      ready.map(({ owned }) => owned),
      ready.map(({ trade, open }) => ({
        id: trade.id,
        venueClientOrderId: open.venue.clientOrderIdFor(`${trade.accountId}/${trade.clientOrderId}`),
      })),
    );
    const byId = new Map(begun.map((submission) => [submission.id, submission]));
    return ready.flatMap((each) => {
      const submission = byId.get(each.trade.id);
      return submission === undefined ? [] : [{ ready: each, submission, sinceMs }];
    });
  }

  private async send({ ready: { trade, open }, submission, sinceMs }: Begun): Promise<void> {
    const { execution, clients, trades, logger } = this.parts;
    const { account, client } = open;
    const { order, begunAt } = submission;
    if (performance.now() - sinceMs > SENT_WITHIN_MS) {
      // This process stood still: others may have looked for the order, and sent it again.
      logger.warn({ trade_id: trade.id }, 'begun too long ago to be sent');
      await execution.storeUnknown([trade.id]);
      return;
    }
    trades.expect(account.id, order.venueClientOrderId, trade.id);
    try {
      const placed = await client.placeOrder(order);
      this.failures.delete(account.id);
      await trades.absorbPlaced(account.id, client, placed);
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      const { outcome, code } = error;
      logger.warn({ trade_id: trade.id, outcome, code }, 'order not confirmed');
      if (outcome === 'retryable') this.failures.set(account.id, (this.failures.get(account.id) ?? 0) + 1);
      else this.failures.delete(account.id);
      if (outcome === 'unknown' || code === 'duplicate_client_order_id') {
        await execution.storeUnknown([trade.id]);
        return;
      }
      // It certainly had no effect. Whether it may be sent again is core's to say.
      await execution.storeRefusal(trade.id, failureOf(error), begunAt);
      await clients.onRefusal(account, error);
    }
  }
}
