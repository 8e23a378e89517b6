import type { AccountRights } from '@trading-automation/core/exchange-accounts';
import { ExchangeError } from '@trading-automation/exchanges';
import type { AccountStreams } from '../streams/account-streams.js';
import type { AccountClients } from './account-clients.js';

/** Accounts whose rights are read in one run. They are read rarely, and nothing waits for them. */
const BATCH = 50;

/**
 * Reads the rights of credentials and the kind of their accounts again: each day, and on perpetuals after each connection of the
 * stream, because the position mode may have changed before.
 */
export class KeyRights {
  constructor(
    private readonly rights: AccountRights,
    private readonly clients: AccountClients,
    private readonly streams: Pick<AccountStreams, 'takeConnected'>,
  ) {}

  /** Reads the rights of the accounts that are due, among these. */
  async readDue(accountIds: readonly string[]): Promise<void> {
    await this.rights.requestOfPerpetuals(this.streams.takeConnected('rights'));
    for (const id of await this.rights.claimDue(accountIds, BATCH)) await this.read(id);
  }

  /** An account whose exchange does not respond is read again later; one whose credentials are rejected is deactivated. */
  private async read(accountId: string): Promise<void> {
    const open = await this.clients.open(accountId).catch(ignoreExchangeError);
    if (open === undefined) return;
    try {
      const report = await open.client.as('rotation').testCredentials();
      await this.rights.store(accountId, open.account.credentialsSealed, report);
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      await this.clients.onExchangeError(open.account, error);
    }
  }
}

function ignoreExchangeError(error: unknown): undefined {
  if (!(error instanceof ExchangeError)) throw error;
  return undefined;
}
