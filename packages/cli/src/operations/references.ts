/** Accounts and pairs by what people call them: a name, a symbol, or the only one there is. */
import type { Client, ExchangeAccount } from '@trading-automation/sdk';
import type { Context } from '../context.js';
import { NotFound, UsageError } from '../failures.js';

type Account = ExchangeAccount<'string'>;

const ACCOUNT_ID = /^exa_/;
const PAIR_ID = /^tpr_/;

/**
 * The account by its id or its name; without either the only one.
 * @throws {NotFound} @throws {UsageError} where more than one is meant
 */
export async function accountOf(
  { signal }: Pick<Context, 'signal'>,
  client: Client<'string'>,
  given: string | undefined,
): Promise<Account> {
  if (given !== undefined && ACCOUNT_ID.test(given)) return client.exchanges.get(given, { signal });
  const found: Account[] = [];
  for await (const account of client.exchanges.list({ limit: 100 }, { signal }))
    if (given === undefined || account.account_name === given) found.push(account);
  const [account, another] = found;
  if (account === undefined) throw noAccount(given);
  if (another === undefined) return account;
  const names = found.map(({ account_name, id }) => `${account_name} (${id})`).join(', ');
  throw given === undefined
    ? new UsageError('You have more than one exchange account.', `Say which with --account: ${names}`)
    : new UsageError(`More than one account is called ${given}.`, `Give its id: ${names}`);
}

function noAccount(given: string | undefined): NotFound {
  return given === undefined
    ? new NotFound('You have no exchange account yet.', 'Connect one with `svc exchanges add`.')
    : new NotFound(`No account is called ${given}.`, 'See `svc exchanges list`.');
}

/** The id of a pair, by its symbol at the account's exchange and in its kind of trading. @throws {NotFound} */
export async function pairIdOf(
  { signal }: Pick<Context, 'signal'>,
  client: Client<'string'>,
  given: string,
  { exchange_name, trading_type }: Pick<Account, 'exchange_name' | 'trading_type'>,
): Promise<string> {
  if (PAIR_ID.test(given)) return given;
  const symbol = given.toUpperCase();
  const query = { exchange: exchange_name, sort: 'symbol', order: 'asc', limit: 100 } as const;
  for await (const pair of client.tradePairs.list(query, { signal }))
    if (pair.symbol.toUpperCase() === symbol && pair.trading_type === trading_type) return pair.id;
  throw new NotFound(
    `${exchange_name} trades no ${given} (${trading_type}).`,
    `See \`svc pairs list --exchange ${exchange_name} --all\`.`,
  );
}
