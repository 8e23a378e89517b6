/** The supervisors of this worker's accounts, one for each account. */

import type { OwnedAccount } from '@trading-automation/core/exchange-accounts';
import pLimit from 'p-limit';
import type { ExchangeAccounts } from '../exchange/exchange-accounts.js';
import type { AccountReconciler } from './account-reconciler.js';
import { AccountSession } from './account-session.js';
import { AccountSupervisor, SUPERVISOR_TIMES, type SupervisorTimes } from './account-supervisor.js';
import type { StreamRecorder } from './stream-recorder.js';

/** The number of concurrent repairs; each costs a few calls to the exchange. */
const REPAIR_CONCURRENCY = 16;

export class AccountSupervisors {
  private readonly limitRepairs = pLimit(REPAIR_CONCURRENCY);
  private isStopped = false;

  constructor(
    private readonly accounts: ExchangeAccounts,
    private readonly reconciler: AccountReconciler,
    private readonly recorder: StreamRecorder,
    private readonly times: Partial<SupervisorTimes> = {},
  ) {}

  /** Supervises exactly these accounts from now on; accounts with changed credentials are restarted. */
  setAccounts(owned: ReadonlyMap<string, OwnedAccount>): void {
    const { streams } = this.accounts;
    const obsolete = streams.accounts().filter((account) => {
      const now = owned.get(account.accountId);
      return now === undefined || !now.isActive || !isSame(now, account);
    });
    streams.remove(obsolete.map(({ accountId }) => accountId));
    if (this.isStopped) return;
    for (const account of owned.values()) {
      if (account.isActive && !streams.has(account.accountId)) this.start(account);
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.accounts.streams.stop();
  }

  private start(account: OwnedAccount): void {
    const { clients, streams } = this.accounts;
    const session = new AccountSession(account, clients, this.reconciler, this.recorder);
    const times = { ...SUPERVISOR_TIMES, ...this.times };
    streams.add(new AccountSupervisor({ session, limitRepairs: this.limitRepairs, times }));
  }
}

/** An account with another fence was owned by another worker meanwhile and is a new account. */
const isSame = (a: OwnedAccount, b: OwnedAccount) =>
  a.credentialsHash === b.credentialsHash && a.fence === b.fence;
