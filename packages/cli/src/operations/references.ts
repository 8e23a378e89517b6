/** Resolves accounts by name and pairs by symbol. */
import type { Client, ExchangeAccount, TradePair, TradePairsListQuery } from '@trading-automation/sdk';
import type { Context } from '../context.js';
import { NotFound, UsageError } from '../failures.js';

type Account = ExchangeAccount<'string'>;

const ACCOUNT_ID = /^exa_/;
const PAIR_ID = /^tpr_/;

/**
 * Returns the account with this id or name; without either, the only account of the user. If the user has several, `pair`
 * selects the only one that can trade it.
 * @throws {NotFound} if no account matches
 * @throws {UsageError} if several accounts match
 */
export async function accountOf(
  { signal }: Pick<Context, 'signal'>,
  client: Client<'string'>,
  idOrName: string | undefined,
  pair?: string,
): Promise<Account> {
  if (idOrName !== undefined && ACCOUNT_ID.test(idOrName)) return client.exchanges.get(idOrName, { signal });
  const found: Account[] = [];
  for await (const account of client.exchanges.list({ limit: 100 }, { signal }))
    if (idOrName === undefined || account.account_name === idOrName) found.push(account);
  const matches =
    idOrName === undefined && pair !== undefined && found.length > 1
      ? await tradersOf({ signal }, client, found, pair)
      : found;
  const [account, another] = matches;
  if (account === undefined) throw noAccount(idOrName);
  if (another === undefined) return account;
  const names = matches.map(({ account_name, id }) => `${account_name} (${id})`).join(', ');
  throw idOrName === undefined
    ? new UsageError('You have more than one exchange account.', `Select one with --account: ${names}`)
    : new UsageError(`More than one account is named ${idOrName}.`, `Pass the id: ${names}`);
}

/** Returns the accounts that can trade the pair; all of them if none can. */
async function tradersOf(
  { signal }: Pick<Context, 'signal'>,
  client: Client<'string'>,
  accounts: readonly Account[],
  pair: string,
): Promise<readonly Account[]> {
  const known = PAIR_ID.test(pair) ? await client.tradePairs.get(pair, { signal }) : undefined;
  const traders = accounts.filter(({ exchange_name, trading_type }) =>
    known === undefined
      ? (trading_type === 'perpetual') === pair.includes(':')
      : exchange_name === known.exchange && trading_type === known.trading_type,
  );
  return traders.length === 0 ? accounts : traders;
}

/**
 * Returns the id of a pair, given by its id or by its symbol at the account's exchange. Without an account, the symbol must be
 * traded in one way only by the user's accounts.
 *
 * @throws {NotFound | UsageError}
 */
export async function pairOfUser(
  context: Pick<Context, 'signal'>,
  client: Client<'string'>,
  idOrSymbol: string,
  account?: Account,
): Promise<string> {
  if (PAIR_ID.test(idOrSymbol)) return idOrSymbol;
  if (account !== undefined) return pairIdOf(context, client, idOrSymbol, account);
  const accounts: Account[] = [];
  for await (const each of client.exchanges.list({ limit: 100 }, context)) accounts.push(each);
  const traders = new Map(
    (await tradersOf(context, client, accounts, idOrSymbol)).map((each) => [
      `${each.exchange_name} (${each.trading_type})`,
      each,
    ]),
  );
  const [trader, another] = traders.values();
  if (trader === undefined) throw noAccount(undefined);
  if (another === undefined) return pairIdOf(context, client, idOrSymbol, trader);
  const names = [...traders.keys()].join(', ');
  throw new UsageError(`You have accounts at several markets: ${names}.`, 'Select one with --account.');
}

function noAccount(name: string | undefined): NotFound {
  return name === undefined
    ? new NotFound('You have no exchange account yet.', 'Connect one with `svc exchanges add`.')
    : new NotFound(`No account is named ${name}.`, 'List the accounts with `svc exchanges list`.');
}

/** Returns the id of a pair, given by its id or by its symbol at the account's exchange. @throws {NotFound} */
export async function pairIdOf(
  { signal }: Pick<Context, 'signal'>,
  client: Client<'string'>,
  idOrSymbol: string,
  { exchange_name, trading_type }: Pick<Account, 'exchange_name' | 'trading_type'>,
): Promise<string> {
  if (PAIR_ID.test(idOrSymbol)) return idOrSymbol;
  const query: TradePairsListQuery = {
    exchange: exchange_name,
    // A type that this version does not know is refused by the API.
    trading_type: trading_type as TradePairsListQuery['trading_type'],
    symbol: idOrSymbol,
    limit: 1,
  };
  const { data } = await client.tradePairs.list(query, { signal });
  // An order must not be for another pair, whatever the API returns.
  const pair = data.find((each) => isNamed(each, idOrSymbol) && each.trading_type === trading_type);
  if (pair !== undefined) return pair.id;
  throw new NotFound(
    `${exchange_name} does not trade ${idOrSymbol} (${trading_type}).`,
    `List its pairs with \`svc pairs list --exchange ${exchange_name} --all\`.`,
  );
}

/** Whether the pair has this symbol, in upper or lower case. */
export const isNamed = (pair: Pick<TradePair, 'symbol'>, symbol: string): boolean =>
  pair.symbol.toUpperCase() === symbol.toUpperCase();
