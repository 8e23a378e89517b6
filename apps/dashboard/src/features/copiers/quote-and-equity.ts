/** The currency in which an account probably trades, and what it has of it. */
import type { ExchangeAccount } from '@trading-automation/sdk';

const QUOTES = ['USDT', 'USDC', 'USD', 'EUR'] as const;

/** The balance is used as the equity: other assets that the account holds are not valued here. */
export function quoteAndEquity(account: ExchangeAccount<'string'> | undefined): {
  readonly quote: string;
  readonly equity: string | undefined;
} {
  const quote = QUOTES.find((asset) => account?.balance[asset] !== undefined) ?? 'USDT';
  return { quote, equity: account?.balance[quote] };
}
