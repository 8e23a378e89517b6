import type { CredentialsReport } from '@trading-automation/exchanges';
import type { Actor } from '../../operations/index.js';

import { generateSealingKeyPair, Opener, Sealer } from '../../sealing/index.js';
import { CoreUnderTest } from '../../testing/index.js';
import { CredentialsSealer, ExchangeAccountsService } from '../exchange-accounts.service.js';
import { VenueCatalogue } from '../venue-catalogue.service.js';
import { serveWorkerCalls } from '../worker-calls.js';

export const PAPER = {
  id: 'paper',
  name: 'Paper Exchange',
  tradingTypes: ['spot'],
  stages: { spot: 'STABLE' },
  credentialForm: { secret: 'HMAC_SECRET', hasPassphrase: false, permissions: {} },
  isCertified: true,
} as const;

const VALID_CREDENTIALS: CredentialsReport = {
  tradingTypes: ['spot'],
  canTrade: true,
  canWithdraw: false,
  venueAccountId: '42',
};

/** A credentials test that the worker received, with the opened credentials. */
interface RecordedTest {
  readonly opened: string;
  readonly exchange: string;
  readonly trading_type: string;
}

/** A test environment with exchange accounts, and a worker that replies with the report that the test sets. */
export class AccountsUnderTest {
  /** The actor of the current test. */
  actor!: Actor;
  /** Returns the exchange's report about credentials. */
  report: () => CredentialsReport | Promise<CredentialsReport> = () => VALID_CREDENTIALS;
  recordedTests: RecordedTest[] = [];
  private worker: { stop(): Promise<void> } | undefined;

  private constructor(
    readonly core: CoreUnderTest,
    readonly accounts: ExchangeAccountsService,
    readonly catalogue: VenueCatalogue,
    /** The opener with which the worker opens sealed credentials. */
    readonly opener: Opener,
  ) {}

  static async open(): Promise<AccountsUnderTest> {
    const core = await CoreUnderTest.open();
    const { platform, lists, commands } = core;
    const keys = await generateSealingKeyPair();
    const credentialsSealer = new CredentialsSealer(await Sealer.for(keys));
    const env = new AccountsUnderTest(
      core,
      new ExchangeAccountsService({ platform, lists, commands, credentialsSealer }),
      new VenueCatalogue(platform),
      await Opener.with([keys]),
    );
    await env.catalogue.publish([PAPER]);
    await env.serve();
    return env;
  }

  private async serve(): Promise<void> {
    this.worker = serveWorkerCalls(
      await this.core.openSecondPlatform(),
      {
        'exchange_account.test': async ({ sealed, context, exchange, trading_type }) => {
          this.recordedTests.push({
            opened: await this.opener.open(sealed, context),
            exchange,
            trading_type,
          });
          return this.report();
        },
      },
      () => undefined,
    );
  }

  async close(): Promise<void> {
    await this.worker?.stop();
    await this.core.close();
  }

  /** Prepares the next test: a new actor, valid credentials and no recorded calls. */
  async reset(): Promise<void> {
    this.actor = await this.core.actor();
    this.report = () => VALID_CREDENTIALS;
    this.recordedTests = [];
  }

  /** Returns the actor's stored accounts, removed ones included. */
  rows(): Promise<Record<string, unknown>[]> {
    return this.core.rows('SELECT * FROM exchange_accounts WHERE user_id = $1', this.actor.userId);
  }
}
