/**
 * Submits the unsent orders of this worker's accounts.
 *
 * 1. Each account sends one order at a time, exits first; different accounts send concurrently. An order is claimed
 *    immediately before it is sent, so no claimed order waits behind another. The next order follows as soon as the
 *    response arrives, or the stream or a look-up confirms the order: a lost response holds nothing up. A busy database
 *    does not slow an account down, but only a few of its responses may wait to be stored.
 * 2. Unsent orders are read and claimed for many accounts together, so the copies of one signal cost only a few
 *    statements. While two batches are being claimed, new wake-ups and free accounts wait for the next batch.
 * 3. An order is sent once: only after core has stored a claim of the account's owner, and only by the process that
 *    made the claim. A missing or inconclusive response is not a failure: the check of open trades probes the order.
 * 4. An order is not sent if its claim is too old. This process may have stalled, and another one may have sent the
 *    order meanwhile. The exchange may accept a client order id that it has seen before.
 * 5. After a takeover, entries of an account wait until the orders of its former owner were looked up; exits do not. Both
 *    wait for the account's stream for a short time.
 * 6. A wake-up may be lost; `sweep` finds unsent orders without one.
 */
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { OwnedAccount } from '@trading-automation/core/exchange-accounts';
import {
  type ClaimedSubmission,
  SEND_DEADLINE_MS,
  type TradeExecution,
  type UnsentTrade,
} from '@trading-automation/core/trades';
import { ExchangeError } from '@trading-automation/exchanges';
import { type Backoff, backoffMs } from '@trading-automation/runtime/backoff';
import { errorLogger } from '../error-logger.js';
import type { OpenAccount } from '../exchange/account-clients.js';
import type { ExchangeAccounts } from '../exchange/exchange-accounts.js';
import { toOrderFailure } from '../exchange/order-failure.js';
import type { OrderUpdateWriter } from '../streams/order-update-writer.js';

/** The maximum number of accounts per batch. */
const BATCH_ACCOUNTS_MAX = 200;
/**
 * The maximum number of concurrent claims. More would only spread the same accounts over more transactions. Claims are
 * not queued with `p-limit`, because the content of a claim is decided when it starts.
 */
const CLAIM_CONCURRENCY = 2;
/** Of each account, the order to send and one more, which shows that the account has to be checked again. */
const UNSENT_PER_ACCOUNT = 2;
/**
 * The maximum number of an account's orders without a stored response when its next order is sent. After a takeover, each
 * of them has to be looked up.
 */
const UNSTORED_MAX = 2;
/** The maximum number of accounts in progress. */
const BUSY_MAX = 1_000;
/**
 * How often the database is read for a confirmation that another worker's look-up stored. The first look-up is 5 s
 * after the order was sent.
 */
const CONFIRMATION_POLL_MS = 1_000;
/** How long an account submits no orders after its exchange was unreachable or limited the rate. */
const ACCOUNT_BACKOFF: Backoff = { firstMs: 250, maxMs: 5_000, jitter: 0.5 };

interface ReadyOrder {
  readonly trade: UnsentTrade;
  readonly owned: OwnedAccount;
  readonly open: OpenAccount;
}

interface ClaimedOrder {
  readonly ready: ReadyOrder;
  readonly submission: ClaimedSubmission;
  /** The value of `performance.now()` just before the claim was stored. */
  readonly claimedAtMs: number;
}

export class OrderSubmitter {
  private readonly waiting = new Set<string>();
  private readonly busy = new Set<string>();
  private readonly failures = new Map<string, number>();
  private readonly backoffTimers = new Set<NodeJS.Timeout>();
  private readonly batches = new Set<Promise<void>>();
  /** By account: its orders whose response has not arrived or is not stored yet. */
  private readonly unstored = new Map<string, Set<Promise<void>>>();
  private claimsInProgress = 0;
  private scheduledBatch: NodeJS.Immediate | undefined;
  private isStopped = false;

  private readonly onError: (error: unknown) => void;

  constructor(
    private readonly execution: TradeExecution,
    private readonly accounts: ExchangeAccounts,
    private readonly orderUpdates: OrderUpdateWriter,
    /** Whether new orders of the account may be sent, or only exits, or none. */
    private readonly maySend: (account: OwnedAccount, isExit: boolean) => boolean = () => true,
  ) {
    this.onError = errorLogger('order_submission.failed', 'Could not submit an order.', accounts.logger);
  }

  /** Schedules a check of these accounts for unsent orders. */
  wake(accountIds: Iterable<string>): void {
    const owned = this.accounts.owned();
    for (const id of accountIds) if (owned.has(id)) this.waiting.add(id);
    this.scheduleClaims();
  }

  /** Finds unsent orders whose wake-up was lost. */
  async sweep(): Promise<void> {
    const unsent = await this.execution.findUnsent([...this.accounts.owned().keys()], 1);
    this.wake(new Set(unsent.map(({ accountId }) => accountId)));
  }

  /** Stops claiming orders. Claimed orders are still sent. */
  halt(): void {
    this.isStopped = true;
    for (const timer of this.backoffTimers) clearTimeout(timer);
  }

  /** Resolves when no batch is in progress. */
  async drain(): Promise<void> {
    while (this.batches.size + this.unstored.size > 0 || this.scheduledBatch !== undefined) {
      await nextIteration();
      await Promise.all([...this.batches, ...[...this.unstored.values()].flatMap((orders) => [...orders])]);
    }
  }

  /** Wake-ups of the same iteration of the event loop share one batch. */
  private scheduleClaims(): void {
    this.scheduledBatch ??= setImmediate(() => {
      this.scheduledBatch = undefined;
      this.startBatches();
    });
  }

  private startBatches(): void {
    while (!this.isStopped && this.claimsInProgress < CLAIM_CONCURRENCY) {
      const ids = this.nextAccounts();
      if (ids.length === 0) return;
      const batch = this.runBatch(ids)
        .catch(this.onError)
        .finally(() => this.batches.delete(batch));
      this.batches.add(batch);
    }
  }

  private nextAccounts(): string[] {
    const ids: string[] = [];
    for (const id of this.waiting) {
      if (ids.length === BATCH_ACCOUNTS_MAX || this.busy.size >= BUSY_MAX) break;
      if (this.busy.has(id)) continue;
      this.waiting.delete(id);
      this.busy.add(id);
      ids.push(id);
    }
    return ids;
  }

  /** Submits one order for each of these accounts. An account is busy until its order is confirmed. */
  private async runBatch(ids: readonly string[]): Promise<void> {
    const unfinished = new Set(ids);
    try {
      const claimed = await this.claimOnePerAccount(ids);
      const claimedIds = new Set(claimed.map(({ ready }) => ready.owned.accountId));
      const finish = (id: string) => {
        unfinished.delete(id);
        this.release(id);
      };
      // Accounts without an order do not wait for the others.
      for (const id of ids) if (!claimedIds.has(id)) finish(id);
      const sending = claimed.map((each) =>
        this.send(each).finally(() => finish(each.ready.owned.accountId)),
      );
      for (const outcome of await Promise.allSettled(sending))
        if (outcome.status === 'rejected') this.onError(outcome.reason);
    } finally {
      for (const id of unfinished) this.release(id);
    }
  }

  private async claimOnePerAccount(ids: readonly string[]): Promise<ClaimedOrder[]> {
    this.claimsInProgress++;
    try {
      const unsent = await this.execution.findUnsent(ids, UNSENT_PER_ACCOUNT);
      return await this.claimAll(await this.open(this.firstOfEach(unsent)));
    } finally {
      this.claimsInProgress--;
      this.scheduleClaims();
    }
  }

  /** Makes the account available again, after a backoff if its exchange failed. */
  private release(accountId: string): void {
    const failures = this.failures.get(accountId) ?? 0;
    const makeAvailable = () => {
      this.busy.delete(accountId);
      this.scheduleClaims();
    };
    if (failures === 0 || this.isStopped) {
      makeAvailable();
      return;
    }
    const timer = setTimeout(
      () => {
        this.backoffTimers.delete(timer);
        makeAvailable();
      },
      backoffMs(ACCOUNT_BACKOFF, failures),
    );
    timer.unref();
    this.backoffTimers.add(timer);
  }

  /** Returns the first order of each account, exits first. Accounts with more orders are checked again. */
  private firstOfEach(unsent: readonly UnsentTrade[]): UnsentTrade[] {
    const first = new Map<string, UnsentTrade>();
    const owned = this.accounts.owned();
    for (const trade of unsent) {
      const account = owned.get(trade.accountId);
      if (account !== undefined && !this.maySend(account, trade.isExit)) continue;
      if (first.has(trade.accountId)) this.waiting.add(trade.accountId);
      else first.set(trade.accountId, trade);
    }
    return [...first.values()];
  }

  private async open(trades: readonly UnsentTrade[]): Promise<ReadyOrder[]> {
    const ownedAccounts = this.accounts.owned();
    const opened = await Promise.all(
      trades.map(async (trade): Promise<ReadyOrder | null> => {
        const owned = ownedAccounts.get(trade.accountId);
        if (owned === undefined) return null;
        try {
          return { trade, owned, open: await this.accounts.clients.openOwned(owned) };
        } catch (error) {
          await this.handleOpenError(trade, error);
          return null;
        }
      }),
    );
    return opened.filter((ready) => ready !== null);
  }

  /** Fails an order that can never be sent. If it may be sent later, it stays unsent, and the sweep finds it. */
  private async handleOpenError(trade: UnsentTrade, error: unknown): Promise<void> {
    const { execution, onError } = this;
    if (error instanceof ExchangeError && error.outcome === 'fatal')
      await execution.failUnsent(trade.id, toOrderFailure(error)).catch(onError);
    else onError(error);
  }

  private async claimAll(ready: readonly ReadyOrder[]): Promise<ClaimedOrder[]> {
    if (ready.length === 0) return [];
    const claimedAtMs = performance.now();
    const claimed = await this.execution.claimSubmissions(
      ready.map(({ owned }) => owned),
      ready.map(({ trade, open }) => ({
        id: trade.id,
        venueClientOrderId: open.venue.clientOrderIdFor(
          `${trade.accountId}/${trade.clientOrderId}`,
          open.account.tradingType,
        ),
      })),
    );
    const byId = new Map(claimed.map((submission) => [submission.id, submission]));
    return ready.flatMap((each) => {
      const submission = byId.get(each.trade.id);
      return submission === undefined ? [] : [{ ready: each, submission, claimedAtMs }];
    });
  }

  /** Sends an order. Returns once the exchange has responded, or once the order is confirmed otherwise. */
  private async send(claimed: ClaimedOrder): Promise<void> {
    const { execution, orderUpdates } = this;
    const { logger } = this.accounts;
    const {
      ready: { trade, open },
      submission: { order },
      claimedAtMs,
    } = claimed;
    const { account } = open;
    if (performance.now() - claimedAtMs > SEND_DEADLINE_MS) {
      // This process has stalled, so other workers may have probed the order and sent it again.
      logger.warn(
        { event: 'order_claim.expired', trade_id: trade.id },
        'The order was claimed too long ago and is not sent.',
      );
      await execution.markUnknown([trade.id]);
      return;
    }
    orderUpdates.registerOrder(account.id, order.venueClientOrderId, trade.id);
    const confirmation = this.watchConfirmation(account.id, order.venueClientOrderId, trade.id);
    const unstored = this.unstored.get(account.id) ?? new Set();
    this.unstored.set(account.id, unstored);
    const stored = this.place(claimed, () => {
      if (unstored.size <= UNSTORED_MAX) confirmation.confirm();
    }).finally(() => {
      unstored.delete(stored);
      if (unstored.size === 0) this.unstored.delete(account.id);
    });
    unstored.add(stored);
    try {
      await Promise.race([stored, confirmation.confirmed]);
    } finally {
      confirmation.stop();
    }
  }

  /** Watches for a stored confirmation of an order by the stream, or by a look-up of any worker. */
  private watchConfirmation(accountId: string, venueClientOrderId: string, tradeId: string) {
    let confirm: () => void = () => undefined;
    const confirmed = new Promise<void>((resolve) => {
      confirm = resolve;
    });
    const unsubscribe = this.orderUpdates.onConfirmation(accountId, venueClientOrderId, confirm);
    const poll = setInterval(() => {
      this.execution.find(tradeId).then((trade) => {
        if (trade?.isAcknowledged === true || trade?.isOpen === false) confirm();
      }, this.onError);
    }, CONFIRMATION_POLL_MS);
    poll.unref();
    return {
      confirmed,
      confirm,
      stop: () => {
        clearInterval(poll);
        unsubscribe();
      },
    };
  }

  /** Sends a registered order, calls `onAccepted` if the exchange accepts it, and stores the response. Never rejects. */
  private async place(claimed: ClaimedOrder, onAccepted: () => void): Promise<void> {
    await this.placeAndStore(claimed, onAccepted).catch(this.onError);
  }

  private async placeAndStore(
    { ready: { trade, open }, submission, claimedAtMs }: ClaimedOrder,
    onAccepted: () => void,
  ): Promise<void> {
    const { execution, accounts, orderUpdates } = this;
    const { logger } = accounts;
    const { account, client } = open;
    const { order, begunAt, mayResubmit } = submission;
    // An order that may be sent again must not arrive after it was found absent.
    const options = mayResubmit ? { sendByMs: claimedAtMs + SEND_DEADLINE_MS } : {};
    try {
      const placed = await client.placeOrder(order, options);
      this.failures.delete(account.id);
      onAccepted();
      await orderUpdates.storePlaced(account.id, client, placed);
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      const { outcome, code } = error;
      logger.warn(
        { event: 'order.unconfirmed', trade_id: trade.id, outcome, code },
        'The exchange did not confirm the order.',
      );
      if (outcome === 'retryable') this.failures.set(account.id, (this.failures.get(account.id) ?? 0) + 1);
      else this.failures.delete(account.id);
      if (outcome === 'unknown' || code === 'duplicate_client_order_id') {
        await execution.markUnknown([trade.id]);
        return;
      }
      // The order certainly had no effect. Core decides whether to send it again.
      await execution.storeRejection(trade.id, toOrderFailure(error), begunAt);
      await accounts.clients.onExchangeError(account, error);
    }
  }
}
