/** The supervisors of this worker's accounts, one for each account. */

import type { OwnedAccount } from '@trading-automation/core/exchange-accounts';
import pLimit from 'p-limit';
import type { ExchangeAccounts } from '../exchange/exchange-accounts.js';
import type { AccountReconciler } from './account-reconciler.js';
import { AccountSession } from './account-session.js';
import {
  AccountSupervisor,
  type AwaitedTakeover,
  SUPERVISOR_TIMES,
  type SupervisorTimes,
} from './account-supervisor.js';
import { RepairQueue } from './repair-queue.js';
import type { StreamRecorder } from './stream-recorder.js';

/** The maximum number of accounts that connect concurrently. */
const CONNECT_CONCURRENCY = 16;

export class AccountSupervisors {
  private readonly limitConnects = pLimit(CONNECT_CONCURRENCY);
  private readonly repairs = new RepairQueue();
  private isStopped = false;

  constructor(
    private readonly accounts: ExchangeAccounts,
    private readonly reconciler: AccountReconciler,
    private readonly recorder: StreamRecorder,
    private readonly options: {
      readonly times?: Partial<SupervisorTimes>;
      readonly takeover: AwaitedTakeover;
    },
  ) {}

  /** Supervises exactly these accounts from now on. Restarts the supervision of accounts whose credentials changed. */
  setAccounts(owned: ReadonlyMap<string, OwnedAccount>): void {
    const { streams } = this.accounts;
    const obsolete = streams.accounts().filter((account) => {
      const current = owned.get(account.accountId);
      return current === undefined || !current.isActive || !isSame(current, account);
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
    const times = { ...SUPERVISOR_TIMES, ...this.options.times };
    const { takeover } = this.options;
    const { limitConnects, repairs } = this;
    streams.add(new AccountSupervisor({ session, limitConnects, repairs, times, takeover }));
  }
}

/** Returns whether the credentials and the fence are equal. A new fence means that another worker owned the account. */
const isSame = (a: OwnedAccount, b: OwnedAccount) =>
  a.credentialsHash === b.credentialsHash && a.fence === b.fence;
