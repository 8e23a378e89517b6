import { DomainError } from '@trading-automation/contracts';
import type { WorkerCalls } from '@trading-automation/core/exchange-accounts';
import type { Opener } from '@trading-automation/core/sealing';
import { type CredentialsReport, ExchangeError } from '@trading-automation/exchanges';
import type { Venues } from './venues.js';

/** Tests credentials that are not stored. */
export class CredentialsTester {
  constructor(
    private readonly venues: Venues,
    private readonly opener: Opener,
  ) {}

  /** @throws {DomainError} `exchange_credentials_rejected`, `exchange_unavailable` */
  async test(input: WorkerCalls['exchange_account.test']['input']): Promise<CredentialsReport> {
    const credentials = JSON.parse(await this.opener.open(input.sealed, input.context));
    try {
      const client = this.venues.get(input.exchange).connect(credentials, input.trading_type);
      try {
        return await client.testCredentials();
      } finally {
        await client.close();
      }
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      throw new DomainError(
        error.code === 'credentials_rejected' ? 'exchange_credentials_rejected' : 'exchange_unavailable',
      );
    }
  }
}
