import type { DueFundingRead, FundingReads, FundingReports } from '@trading-automation/core/funding';
import { ExchangeError } from '@trading-automation/exchanges';
import type { AccountStreams } from '../streams/account-streams.js';
import type { AccountClients, OpenAccount } from './account-clients.js';

/** Accounts whose funding is read in one run. */
const BATCH = 50;

/** Reads the funding payments and interest charges of accounts, and stores them. */
export class FundingReader {
  constructor(
    private readonly reads: FundingReads,
    private readonly reports: FundingReports,
    private readonly clients: AccountClients,
    private readonly streams: Pick<AccountStreams, 'takeConnected' | 'takeFunded'>,
  ) {}

  /**
   * Reads the accounts that are due, among these. Those whose streams have connected, or have reported funding outside
   * the plan, since the last run are due at once.
   */
  async readDue(accountIds: readonly string[]): Promise<void> {
    await this.reads.request(this.streams.takeConnected('funding'));
    await this.reads.requestUnplanned(this.streams.takeFunded());
    for (const read of await this.reads.claimDue(accountIds, BATCH)) await this.read(read);
  }

  /**
   * Reads an account now.
   *
   * @throws {ExchangeError} if the read fails; nothing is stored then
   */
  async readNow(accountId: string): Promise<void> {
    await this.reads.makeDue(accountId);
    for (const read of await this.reads.claimDue([accountId], 1)) {
      await this.store(read, await this.clients.open(accountId));
      await this.reads.complete(read);
    }
  }

  /** An account whose exchange does not respond is read again later; one whose credentials are rejected is deactivated. */
  private async read(read: DueFundingRead): Promise<void> {
    let open: OpenAccount | undefined;
    try {
      open = await this.clients.open(read.accountId);
      await this.store(read, open);
      await this.reads.complete(read);
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      await this.reads.retry(read.accountId);
      if (open !== undefined) await this.clients.onExchangeError(open.account, error);
    }
  }

  private async store({ accountId, tradingType, since }: DueFundingRead, open: OpenAccount): Promise<void> {
    const client = open.client.as('rotation');
    if (tradingType === 'perpetual' && client.positions !== undefined)
      await this.reports.storePayments(accountId, await client.positions.fetchFunding(since));
    if (tradingType === 'margin' && client.loans !== undefined)
      await this.reports.storeCharges(accountId, await client.loans.fetchInterest(since));
  }
}
