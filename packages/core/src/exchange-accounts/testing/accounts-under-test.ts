import type { CredentialsReport } from '@trading-automation/exchanges';
import type { Actor } from '../../operations/index.js';

import { generateSealingKeyPair, Opener, Sealer } from '../../sealing/index.js';
import { CoreUnderTest } from '../../testing/index.js';
import { CredentialsSealer, ExchangeAccountsService } from '../exchange-accounts.service.js';
import { VenueCatalogue } from '../venue-catalogue.service.js';
import { serveWorkerCall } from '../worker-calls.js';

export const PAPER = {
  id: 'paper',
  name: 'Paper Exchange',
  tradingTypes: ['spot'],
  isCertified: true,
} as const;

const GOOD_CREDENTIALS: CredentialsReport = {
  tradingTypes: ['spot'],
  canTrade: true,
  canWithdraw: false,
  venueAccountId: '42',
};

/** What the worker was asked to test, with the credentials as it opened them. */
interface RecordedTest {
  readonly opened: string;
  readonly exchange: string;
  readonly trading_type: string;
}

/** Exchange accounts on one database, and a worker whose exchange says what the test wants. */
export class AccountsUnderTest {
  /** Whose turn it is. */
  actor!: Actor;
  /** What the exchange says of credentials, next and from then on. */
  report: () => CredentialsReport | Promise<CredentialsReport> = () => GOOD_CREDENTIALS;
  recordedTests: RecordedTest[] = [];
  private worker: { stop(): Promise<void> } | undefined;

  private constructor(
    readonly core: CoreUnderTest,
    readonly accounts: ExchangeAccountsService,
    readonly catalogue: VenueCatalogue,
    /** The worker's. */
    readonly opener: Opener,
  ) {}

  static async open(): Promise<AccountsUnderTest> {
    const core = await CoreUnderTest.open();
    const { platform, lists, commands } = core;
    const keys = await generateSealingKeyPair();
    const secrets = new CredentialsSealer(await Sealer.for(keys));
    const the = new AccountsUnderTest(
      core,
      new ExchangeAccountsService({ platform, lists, commands, credentialsSealer: secrets }),
      new VenueCatalogue(platform),
      await Opener.with([keys]),
    );
    await the.catalogue.publish([PAPER]);
    await the.serve();
    return the;
  }

  private async serve(): Promise<void> {
    this.worker = serveWorkerCall(
      await this.core.openSecondPlatform(),
      'exchange_account.test',
      async ({ sealed, context, exchange, trading_type }) => {
        this.recordedTests.push({ opened: await this.opener.open(sealed, context), exchange, trading_type });
        return this.report();
      },
      () => undefined,
    );
  }

  async close(): Promise<void> {
    await this.worker?.stop();
    await this.core.close();
  }

  /** For the next test: somebody new, whose credentials are good, and nothing was asked. */
  async reset(): Promise<void> {
    this.actor = await this.core.actor();
    this.report = () => GOOD_CREDENTIALS;
    this.recordedTests = [];
  }

  /** The actor's accounts as they are stored, removed ones too. */
  rows(): Promise<Record<string, unknown>[]> {
    return this.core.rows('SELECT * FROM exchange_accounts WHERE user_id = $1', this.actor.userId);
  }
}
