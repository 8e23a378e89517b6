import type { ExchangeAccount, TradePair, TradePairsListQuery } from '@trading-automation/sdk';

type Searchable = Pick<TradePair, 'symbol' | 'trading_type' | 'is_active'>;

/** What one account can trade: the pairs of an exchange with one trading type. */
export type Market = Required<Pick<TradePairsListQuery, 'exchange' | 'trading_type'>>;

/** Returns the market of an account. */
export const marketOf = ({
  exchange_name,
  trading_type,
}: Pick<ExchangeAccount, 'exchange_name' | 'trading_type'>): Market => ({
  exchange: exchange_name,
  // A type that this version does not know is refused by the API.
  trading_type: trading_type as Market['trading_type'],
});

const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Returns the first pairs that are traded. Exchanges list many that are not. */
export async function firstTraded<P extends Searchable>(pairs: AsyncIterable<P>, max: number): Promise<P[]> {
  const traded: P[] = [];
  for await (const pair of pairs) {
    if (pair.is_active) traded.push(pair);
    if (traded.length === max) break;
  }
  return traded;
}

/** By symbol, and spot before margin. */
export const searchOrder = (a: Searchable, b: Searchable): number =>
  a.symbol.localeCompare(b.symbol) || Number(isMargin(a)) - Number(isMargin(b));

const isMargin = ({ trading_type }: Searchable) => trading_type === 'margin';

/**
 * Of found pairs, returns those whose symbol begins with what was typed. `isNamed`: those whose whole base asset was typed;
 * otherwise the others.
 */
export function pairsBeginningWith<P extends Searchable>(
  found: readonly P[],
  text: string,
  isNamed: boolean,
): P[] {
  const typed = plain(text);
  return found.filter(
    ({ symbol }) =>
      plain(symbol).startsWith(typed) && typed.startsWith(plain(symbol.split('/')[0] ?? '')) === isNamed,
  );
}

type Account = Pick<ExchangeAccount, 'exchange_name' | 'trading_type' | 'is_active'>;

/** Returns the markets of the active accounts, each once. */
export function marketsOf(accounts: readonly Account[]): Market[] {
  const markets = new Map<string, Market>();
  for (const account of accounts)
    if (account.is_active) markets.set(`${account.exchange_name} ${account.trading_type}`, marketOf(account));
  return [...markets.values()];
}
