/** Opens a practice account at the paper exchange and links it to the profile's account. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Client, ExchangeAccount, TradePair } from '@trading-automation/sdk';
import type { Fetch } from '../environment.js';
import { Failure, UsageError } from '../failures.js';

const EXCHANGE = 'paper';
const POLL_INTERVAL_MS = 100;
const SYNC_MAX_MS = 60_000;

export const PRACTICE_TYPES = [
  'spot',
  'margin',
  'perpetual',
] as const satisfies readonly TradePair['trading_type'][];
export type PracticeType = (typeof PRACTICE_TYPES)[number];

type Api = Pick<Client<'string'>, 'exchanges' | 'tradePairs'>;

/** Returns the active paper account with this trading type and name or, if `name` is undefined, any; undefined if none exists. */
export async function practiceAccountOf(
  api: Api,
  tradingType: PracticeType,
  name: string | undefined,
  signal: AbortSignal,
): Promise<ExchangeAccount<'string'> | undefined> {
  for await (const account of api.exchanges.list({ limit: 100 }, { signal }))
    if (isPractice(account, tradingType) && (name === undefined || account.account_name === name))
      return account;
  return undefined;
}

const isPractice = (
  { exchange_name, trading_type, is_active }: ExchangeAccount<'string'>,
  tradingType: PracticeType,
) => exchange_name === EXCHANGE && trading_type === tradingType && is_active;

/** Opens an account with these balances, one set for each part of it, through the admin API of the paper exchange. */
export async function openPaperAccount(
  fetch: Fetch,
  paperURL: string,
  balances: Readonly<Record<'spot' | 'margin' | 'futures', Readonly<Record<string, string>>>>,
  signal: AbortSignal,
): Promise<{ readonly api_key: string; readonly api_secret: string }> {
  const address = `${paperURL.replace(/\/+$/, '')}/admin/accounts`;
  let response: Response;
  try {
    response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        balances: balances.spot,
        margin_balances: balances.margin,
        futures_balances: balances.futures,
      }),
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    const { cause } = error as { cause?: { code?: string } };
    throw new Failure(
      `No response from the paper exchange at ${paperURL}: ${cause?.code ?? (error as Error).message}.`,
    );
  }
  if (!response.ok)
    throw new Failure(`The paper exchange did not open an account: it responded with ${response.status}.`);
  const { api_key, api_secret } = (await response.json()) as { api_key: string; api_secret: string };
  return { api_key, api_secret };
}

/** Links the account and waits until its balances and the exchange's pairs of its trading type are available. */
export async function linkPaperAccount(
  api: Api,
  { name, tradingType }: { readonly name: string; readonly tradingType: PracticeType },
  credentials: { readonly api_key: string; readonly api_secret: string },
  signal: AbortSignal,
): Promise<ExchangeAccount<'string'>> {
  const { id } = await api.exchanges.create(
    { exchange: EXCHANGE, account_name: name, trading_type: tradingType, credentials },
    { signal },
  );
  const account = await pollUntilSynced(
    () => api.exchanges.get(id, { signal }),
    ({ last_sync_at }) => last_sync_at !== null && last_sync_at !== undefined,
    signal,
  );
  await pollUntilSynced(
    () => api.tradePairs.list({ exchange: EXCHANGE, trading_type: tradingType, limit: 1 }, { signal }),
    ({ data }) => data.length > 0,
    signal,
  );
  return account;
}

async function pollUntilSynced<T>(
  read: () => Promise<T>,
  isReady: (value: T) => boolean,
  signal: AbortSignal,
): Promise<T> {
  const deadline = performance.now() + SYNC_MAX_MS;
  for (;;) {
    const value = await read();
    if (isReady(value)) return value;
    if (performance.now() > deadline)
      throw new Failure(
        'The account is linked, but its balances or the pairs of its exchange are not available yet. Check that the trading worker is running.',
      );
    await wait(POLL_INTERVAL_MS, undefined, { signal });
  }
}

/** Parses balances such as `USDT=100000`. @throws {UsageError} if one has another form */
export function balancesOf(assignments: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    assignments.map((text) => {
      const [, currency, amount] = /^([A-Z0-9]{1,20})=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
      if (currency === undefined || amount === undefined)
        throw new UsageError(`--balance must be like USDT=100000; got ${JSON.stringify(text)}.`);
      return [currency, amount];
    }),
  );
}
