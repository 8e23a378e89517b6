import { decodeId, encodeId, type TradeDetail, tradeCreate } from '@trading-automation/contracts';
import { Platform } from '@trading-automation/core';
import { AccountSyncService, credentialsContext } from '@trading-automation/core/exchange-accounts';
import { generateSealingKeyPair, Opener, Sealer } from '@trading-automation/core/sealing';
import { CoreUnderTest, type RecordIds } from '@trading-automation/core/testing';
import { PairCatalogue } from '@trading-automation/core/trade-pairs';
import { Reconciliation, TradeExecution, TradesService } from '@trading-automation/core/trades';
import type { ExchangeCredentials, ExchangeVenue } from '@trading-automation/exchanges';
import { createLogger, type Logger } from '@trading-automation/runtime';
import { AccountOrders } from '../exchange/account-orders.js';
import { ExchangeAccounts } from '../exchange/exchange-accounts.js';
import { ExchangeGateway } from '../exchange/exchange-gateway.js';
import { Venues } from '../exchange/venues.js';
import { AccountReconciler } from '../streams/account-reconciler.js';
import type { SupervisorTimes } from '../streams/account-supervisor.js';
import { AccountSupervisors } from '../streams/account-supervisors.js';
import { ReconcileActions } from '../streams/reconcile-actions.js';
import { StreamRecorder } from '../streams/stream-recorder.js';
import { StreamStates } from '../streams/stream-states.js';
import { ScriptedExchange } from './scripted-exchange.js';

type Actor = Awaited<ReturnType<CoreUnderTest['actor']>>;

/** Runs the gateway on a real database, with an exchange whose responses the test scripts. */
export class GatewayUnderTest {
  readonly logged: string[] = [];
  exchange!: ScriptedExchange;
  gateway!: ExchangeGateway;
  actor!: Actor;
  account!: RecordIds;
  /** The execution of `gateway`. */
  execution!: TradeExecution;

  readonly accountSync: AccountSyncService;
  readonly trades: TradesService;

  private constructor(
    readonly core: CoreUnderTest,
    private readonly pair: RecordIds,
    private readonly sealer: Sealer,
    private readonly opener: Opener,
  ) {
    const { platform, lists, commands } = core;
    this.accountSync = new AccountSyncService(platform);
    this.trades = new TradesService({ platform, lists, commands });
  }

  static async open(): Promise<GatewayUnderTest> {
    const core = await CoreUnderTest.open();
    const keys = await generateSealingKeyPair();
    const [sealer, opener] = [await Sealer.for(keys), await Opener.with([keys])];
    return new GatewayUnderTest(core, await core.pair(), sealer, opener);
  }

  readonly logger: Logger = createLogger('gateway-spec', 'debug', {
    write: (line) => this.logged.push(line),
  });

  /** Creates a new user with a new account, on a new exchange. */
  async reset(): Promise<void> {
    this.exchange = new ScriptedExchange();
    this.logged.length = 0;
    // Deletes the accounts of earlier tests, so that no worker claims them.
    await this.core.rows('DELETE FROM worker_leases');
    await this.core.rows('UPDATE exchange_accounts SET deleted_at = now() WHERE deleted_at IS NULL');
    // With this interval, a supervisor polls the scripted exchange at most once during a test.
    const platform = this.newPlatform();
    this.execution = new TradeExecution(platform);
    this.gateway = this.newGateway({ pollEveryMs: 3_600_000 }, this.exchange, platform, this.execution);
    this.actor = await this.core.actor();
    this.account = await this.core.account(this.actor);
    await this.setCredentials('a secret');
  }

  /** Creates a gateway like that of another worker process. */
  newGateway(
    times: Partial<SupervisorTimes> = {},
    venue: ExchangeVenue = this.exchange,
    platform = this.newPlatform(),
    execution = new TradeExecution(platform),
    streamWaitMs = 0,
  ): ExchangeGateway {
    const { opener, logger, accountSync } = this;
    const venues = new Venues([venue], opener, { userWaitMs: () => 0 });
    const accounts = new ExchangeAccounts(platform, accountSync, venues, logger);
    const orders = new AccountOrders(execution, accounts, logger, streamWaitMs);
    const reconciler = new AccountReconciler(
      new Reconciliation(platform),
      accounts.balances,
      new PairCatalogue(platform),
      new ReconcileActions(orders.reconciler, accounts.positions, accounts.funding, logger),
    );
    const recorder = new StreamRecorder(
      orders.updates,
      accounts.balanceSync,
      accounts.positions,
      new StreamStates(accounts.streams, logger),
    );
    const supervisors = new AccountSupervisors(accounts, reconciler, recorder, {
      times,
      takeover: orders,
    });
    return new ExchangeGateway(accounts, orders, supervisors, logger);
  }

  private newPlatform(): Platform {
    return new Platform('test', this.core.platform.database, this.core.platform.listener);
  }

  /** Submits the unsent orders of the test's account. Returns when the orders are sent and their results stored. */
  async send(gateway = this.gateway): Promise<void> {
    await gateway.renewOwnership();
    gateway.orderSubmitter.wake([this.account.uuid]);
    await gateway.orderSubmitter.drain();
  }

  /** Seals credentials as an API passes them to a worker. */
  sealed(credentials: string | ExchangeCredentials, context: string): Promise<string> {
    const plain = typeof credentials === 'string' ? { apiKey: 'key', apiSecret: credentials } : credentials;
    return this.sealer.seal(JSON.stringify(plain), context);
  }

  /** Stores these credentials for the account. */
  async setCredentials(credentials: string | ExchangeCredentials, { uuid } = this.account): Promise<void> {
    const sealed = await this.sealed(credentials, credentialsContext(uuid));
    await this.core.rows('UPDATE exchange_accounts SET credentials_sealed = $2 WHERE id = $1', uuid, sealed);
  }

  /** Creates another account of the test's user. */
  async anotherAccount(): Promise<RecordIds> {
    const account = await this.core.account(this.actor);
    await this.setCredentials('a secret', account);
    return account;
  }

  /** Creates a trade and returns its uuid, which workers use as its id. */
  async place(more: Record<string, unknown> = {}): Promise<string> {
    const created = await this.trades.create(
      this.actor,
      tradeCreate.parse({
        exchange_account_id: this.account.id,
        trade_pair_id: this.pair.id,
        type: 'LIMIT',
        side: 'BUY',
        price: '100',
        amount: '1',
        ...more,
      }),
    );
    const uuid = decodeId('trd', created.id);
    if (uuid === null) throw new Error('a trade without an id');
    return uuid;
  }

  /** Returns the trade as REST returns it. */
  read(uuid: string): Promise<TradeDetail> {
    return this.trades.get(this.actor, encodeId('trd', uuid));
  }

  /** Backdates the submission of a trade, as if its order had been sent `ms` earlier. */
  async backdateSubmission(uuid: string, ms: number): Promise<void> {
    await this.core.rows(
      "UPDATE trades SET submitted_at = submitted_at - $2 * interval '1 millisecond' WHERE id = $1",
      uuid,
      ms,
    );
  }

  /** Returns the types of the events of the user's trades or accounts, oldest first. */
  async eventTypes(subject: 'trade' | 'exchange'): Promise<string[]> {
    const events = await this.core.events(this.actor.userId);
    return events.map(({ type }) => type).filter((type) => type.startsWith(`${subject}.`));
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await this.core.close();
  }
}
