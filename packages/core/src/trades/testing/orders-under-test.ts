import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';
import { inTransaction, newUuid } from '@trading-automation/persistence';
import type { Ownership } from '../../exchange-accounts/index.js';
import type { Actor } from '../../operations/index.js';
import { CoreUnderTest, countStatements, type RecordIds } from '../../testing/index.js';
import type { ClaimedSubmission } from '../claim-submissions.js';
import { type NewCopyTrade, placeCopies } from '../copy-orders.js';
import { TradeExecution } from '../trade-execution.service.js';

type Row = Record<string, unknown>;
type CopyOverrides = Partial<Omit<NewCopyTrade, 'order'>> & {
  readonly order?: Partial<NewCopyTrade['order']>;
};

/** A test environment with a leader that has one fill, a copier of the leader, and a worker that owns both accounts. */
export class OrdersUnderTest {
  readonly execution: TradeExecution;
  /** The user of the copier, whose trades the tests read. */
  actor!: Actor;
  account!: RecordIds;
  copierId!: string;
  private leader!: Actor;
  leaderAccount!: RecordIds;
  strategyId!: string;
  private sourceTradeId!: string;
  private sourceFillId!: string;
  private sequence = 0;

  private constructor(
    readonly core: CoreUnderTest,
    readonly pair: RecordIds,
  ) {
    this.execution = new TradeExecution(core.platform);
  }

  static async open(): Promise<OrdersUnderTest> {
    const core = await CoreUnderTest.open();
    return new OrdersUnderTest(core, await core.pair());
  }

  close(): Promise<void> {
    return this.core.close();
  }

  /** Creates a new leader and a new copier, unrelated to the earlier ones. */
  async reset(): Promise<void> {
    const { core } = this;
    [this.actor, this.leader] = [await core.actor(), await core.actor()];
    this.account = await this.newAccount(this.actor);
    this.leaderAccount = await this.newAccount(this.leader);
    this.strategyId = newUuid();
    await core.rows(
      `INSERT INTO strategies (id, user_id, exchange_account_id, name, visibility, status)
       VALUES ($1, $2, $3, 'led', 'PUBLIC', 'ACTIVE')`,
      this.strategyId,
      this.leader.userId,
      this.leaderAccount.uuid,
    );
    this.copierId = await this.newCopier(this.account);
    [this.sourceTradeId, this.sourceFillId] = [newUuid(), newUuid()];
    await core.rows(
      `INSERT INTO trades (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type, client_order_id,
         origin, type, side, reduce_only, time_in_force, amount, filled_amount, reserved_asset, reserved_amount,
         status, look_at, strategy_id)
       VALUES ($1, $2, $3, $4, 'BTC/USDT', 'spot', 'source', 'STRATEGY', 'MARKET', 'BUY', false, 'GTC', 1, 1, 'USDT', 0,
         'FILLED', 'infinity', $5)`,
      this.sourceTradeId,
      this.leader.userId,
      this.leaderAccount.uuid,
      this.pair.uuid,
      this.strategyId,
    );
    await core.rows(
      `INSERT INTO fills (id, trade_id, exchange_account_id, symbol, exchange_fill_id, price, amount, fee_amount,
         fee_currency, liquidity, executed_at)
       VALUES ($1, $2, $3, 'BTC/USDT', 'source', 100, 1, 0, 'USDT', 'TAKER', '2026-01-01T00:00:00Z')`,
      this.sourceFillId,
      this.sourceTradeId,
      this.leaderAccount.uuid,
    );
  }

  /** Creates an account that the worker of this test owns. */
  async newAccount(
    actor: Actor,
    free?: Readonly<Record<string, string>>,
    more?: Parameters<CoreUnderTest['account']>[2],
  ): Promise<RecordIds> {
    const account = await this.core.account(actor, free, more);
    await this.core.rows(
      'INSERT INTO account_owners (account_id, worker, fence) VALUES ($1, $2, 1)',
      account.uuid,
      WORKER,
    );
    return account;
  }

  async newCopier(account: RecordIds): Promise<string> {
    const id = newUuid();
    await this.core.rows(
      `INSERT INTO copiers (id, user_id, strategy_id, exchange_account_id, name, status, sizing_mode, sizing_value,
         max_signal_age_ms, on_breach, below_minimum, copy_existing, started_at)
       VALUES ($1, (SELECT user_id FROM exchange_accounts WHERE id = $3), $2, $3, 'copier', 'ACTIVE', 'MULTIPLIER', 1,
         60000, 'CLOSE_ONLY', 'SKIP', false, clock_timestamp())`,
      id,
      this.strategyId,
      account.uuid,
    );
    return id;
  }

  ownershipOf = (account: RecordIds = this.account): Ownership => ({
    accountId: account.uuid,
    worker: WORKER,
    fence: '1',
  });

  /** Returns a copy with an IOC order that buys 1 BTC at a limit of 100 USDT. The order may be sent for an hour. */
  newCopy(overrides: CopyOverrides = {}): NewCopyTrade {
    this.sequence += 1;
    const id = newUuid();
    const { order, ...rest } = overrides;
    return {
      id,
      userId: this.actor.userId,
      accountId: this.account.uuid,
      pairId: this.pair.uuid,
      symbol: 'BTC/USDT',
      tradingType: 'spot',
      copierId: this.copierId,
      copiedStrategyId: this.strategyId,
      sourceTradeId: this.sourceTradeId,
      sourceFillId: this.sourceFillId,
      clientOrderId: `copy-${this.sequence}`,
      reservedAsset: 'USDT',
      requestedAmount: '1.004',
      intent: 'OPEN',
      positionSide: null,
      copy: {
        signalAt: new Date('2026-01-01T00:00:00.000Z'),
        receivedAt: new Date('2026-01-01T00:00:00.020Z'),
        referencePrice: '99',
        arrivalPrice: null,
        ratio: '0.5',
        maskedRatio: null,
        maskedAmount: null,
        sequence: this.sequence,
      },
      resendUntil: new Date(Date.now() + 3_600_000),
      ...rest,
      order: {
        type: 'LIMIT',
        side: 'BUY',
        timeInForce: 'IOC',
        price: '100',
        amount: '1',
        reduceOnly: false,
        reserved: '100',
        ...order,
      },
    };
  }

  /** Places a copy and returns its uuid. */
  async placeCopy(overrides: CopyOverrides = {}): Promise<string> {
    const copy = this.newCopy(overrides);
    await inTransaction(this.core.platform.database, (tx) => placeCopies(tx, [copy]));
    return copy.id;
  }

  /** Claims the submission of one trade; returns null if its order must not be sent. */
  async claimSubmission(id: string): Promise<ClaimedSubmission | null> {
    const [claimed] = await this.execution.claimSubmissions(this.ownershipOf(), [
      { id, venueClientOrderId: `venue-${id}` },
    ]);
    return claimed ?? null;
  }

  /** Moves the submission of the trade `byMs` into the past. */
  async backdateSubmission(id: string, byMs: number): Promise<void> {
    await this.core.rows(
      "UPDATE trades SET submitted_at = submitted_at - $2 * interval '1 millisecond' WHERE id = $1",
      id,
      byMs,
    );
  }

  storedTrade(id: string): Promise<Row> {
    return this.core.row('SELECT * FROM trades WHERE id = $1', id);
  }

  /** Returns the number of SQL statements that `work` executes. */
  countStatements(work: () => Promise<unknown>): Promise<number> {
    return countStatements(this.core.platform.database, work);
  }

  async eventTypes(): Promise<string[]> {
    return (await this.core.events(this.actor.userId)).map(({ type }) => type);
  }
}

const WORKER = 'worker of the test';

export const venueOrderOf = (id: string, overrides: Partial<VenueOrder> = {}): VenueOrder => ({
  exchangeOrderId: `order-${id}`,
  venueClientOrderId: `venue-${id}`,
  symbol: 'BTC/USDT',
  status: 'OPEN',
  side: 'BUY',
  type: 'LIMIT',
  timeInForce: 'IOC',
  price: '100',
  amount: '1',
  filledAmount: '0',
  createdAt: new Date(),
  updatedAt: new Date(),
  ...overrides,
});

export const venueFillOf = (
  id: string,
  name: string,
  amount: string,
  overrides: Partial<VenueFill> = {},
): VenueFill => ({
  exchangeFillId: `${id}-${name}`,
  exchangeOrderId: `order-${id}`,
  symbol: 'BTC/USDT',
  side: 'BUY',
  price: '100',
  amount,
  fee: { amount: '0', currency: 'USDT' },
  liquidity: 'TAKER',
  executedAt: new Date(),
  ...overrides,
});
