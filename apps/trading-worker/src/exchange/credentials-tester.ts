import { DomainError } from '@trading-automation/contracts';
import { shareUsedUp, type WorkerCalls } from '@trading-automation/core/exchange-accounts';
import { type CredentialsReport, ExchangeError } from '@trading-automation/exchanges';
import type { Venues } from './venues.js';

/** Tests credentials before they are stored. */
export class CredentialsTester {
  constructor(private readonly venues: Venues) {}

  /** @throws {DomainError} `exchange_credentials_rejected`, `exchange_unavailable`, `rate_limited` */
  async test(
    input: WorkerCalls['exchange_account.test']['input'],
    userId: string | undefined,
  ): Promise<CredentialsReport> {
    try {
      const client = await this.venues.connect(input.exchange, input, input.trading_type, { userId });
      try {
        return await client.as('user').testCredentials();
      } finally {
        await client.close();
      }
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      if (error.retryInMs !== undefined) throw shareUsedUp(error.retryInMs);
      throw new DomainError(
        error.code === 'credentials_rejected' ? 'exchange_credentials_rejected' : 'exchange_unavailable',
      );
    }
  }
}
