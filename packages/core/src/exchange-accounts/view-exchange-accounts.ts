import type { ExchangeAccount } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { currentBalances } from './current-balances.queries.js';
import type { ExchangeAccountEntity } from './exchange-account.entity.js';
import { exchangeAccountView } from './exchange-account.view.js';

/** Returns the public records of accounts with their current balances, in input order. */
export async function viewExchangeAccounts(
  tx: Tx,
  accounts: readonly ExchangeAccountEntity[],
): Promise<ExchangeAccount[]> {
  const balances = await currentBalances(
    tx,
    accounts.map(({ id }) => id),
  );
  return accounts.map((account) => exchangeAccountView(account, balances.get(account.id) ?? {}));
}

/** Returns the public record of an account with its current balances. */
export async function viewExchangeAccount(tx: Tx, account: ExchangeAccountEntity): Promise<ExchangeAccount> {
  const [view] = await viewExchangeAccounts(tx, [account]);
  return view!;
}
