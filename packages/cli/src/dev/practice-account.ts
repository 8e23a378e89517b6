/** A practice account: opened at the paper exchange, and linked to the profile's account. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Client, ExchangeAccount } from '@trading-automation/sdk';
import type { Fetch } from '../environment.js';
import { Failure, UsageError } from '../failures.js';

const EXCHANGE = 'paper';
const POLL_INTERVAL_MS = 100;
const READY_MAX_MS = 60_000;

type Api = Pick<Client<'string'>, 'exchanges' | 'tradePairs'>;

/** The linked paper account of a name, or any; undefined where there is none that works. */
export async function practiceAccountOf(
  api: Api,
  name: string | undefined,
  signal: AbortSignal,
): Promise<ExchangeAccount<'string'> | undefined> {
  for await (const account of api.exchanges.list({ limit: 100 }, { signal }))
    if (isPractice(account) && (name === undefined || account.account_name === name)) return account;
  return undefined;
}

const isPractice = ({ exchange_name, is_active }: ExchangeAccount<'string'>) =>
  exchange_name === EXCHANGE && is_active;

/** Opens an account with these balances at the paper exchange, by its own controls. */
export async function openPaperAccount(
  fetch: Fetch,
  paperURL: string,
  balances: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ readonly api_key: string; readonly api_secret: string }> {
  const address = `${paperURL.replace(/\/+$/, '')}/admin/accounts`;
  let answer: Response;
  try {
    answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ balances }),
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    const { cause } = error as { cause?: { code?: string } };
    throw new Failure(
      `The paper exchange does not answer at ${paperURL}: ${cause?.code ?? (error as Error).message}.`,
    );
  }
  if (!answer.ok) throw new Failure(`The paper exchange opened no account: it answered ${answer.status}.`);
  const { api_key, api_secret } = (await answer.json()) as { api_key: string; api_secret: string };
  return { api_key, api_secret };
}

/** Links the account, and waits until its balances and the exchange's pairs are known. */
export async function linkPaperAccount(
  api: Api,
  name: string,
  credentials: { readonly api_key: string; readonly api_secret: string },
  signal: AbortSignal,
): Promise<ExchangeAccount<'string'>> {
  const { id } = await api.exchanges.create(
    { exchange: EXCHANGE, account_name: name, trading_type: 'spot', credentials },
    { signal },
  );
  const account = await pollUntil(
    () => api.exchanges.get(id, { signal }),
    ({ last_sync_at }) => last_sync_at !== null && last_sync_at !== undefined,
    signal,
  );
  await pollUntil(
    () => api.tradePairs.list({ exchange: EXCHANGE, limit: 1 }, { signal }).toArray({ limit: 1 }),
    ({ length }) => length > 0,
    signal,
  );
  return account;
}

async function pollUntil<T>(
  read: () => Promise<T>,
  isReady: (value: T) => boolean,
  signal: AbortSignal,
): Promise<T> {
  const deadline = performance.now() + READY_MAX_MS;
  for (;;) {
    const value = await read();
    if (isReady(value)) return value;
    if (performance.now() > deadline)
      throw new Failure(
        'The account is linked, and its balances are still not known: is the trading worker running?',
      );
    await wait(POLL_INTERVAL_MS, undefined, { signal });
  }
}

/** The balances in `USDT=100000` texts. */
export function balancesOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const [, currency, amount] = /^([A-Z0-9]{1,20})=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
      if (currency === undefined || amount === undefined)
        throw new UsageError(`--balance is like USDT=100000, and is ${JSON.stringify(text)}.`);
      return [currency, amount];
    }),
  );
}
