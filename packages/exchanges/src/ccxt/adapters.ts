/**
 * What differs from exchange to exchange, as data. An exchange is offered once it has an entry here and passes the
 * conformance suite; ccxt alone is not taken as a proof that an order can be found again by its client order id.
 */
import { readDecimal, type TradingType } from '@trading-automation/contracts';
import { binance } from 'ccxt';
import { z } from 'zod';
import type { CredentialsReport } from '../port.js';
import { type ClientLibrary, harden, type LibraryOptions, librarySettings } from './client-library.js';
import { AnswerSenseless, type Refusals } from './failures.js';

/** How one trading type is asked for. */
export interface TradingMode {
  /** ccxt's options of a client that trades this. */
  readonly options: Readonly<Record<string, unknown>>;
  /** ccxt's kind of market. */
  readonly market: 'spot' | 'margin' | 'swap';
  /** Added to each call about orders. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** A client, and what the adapter asks of it beyond ccxt's unified calls. */
export interface OpenedClient {
  readonly library: ClientLibrary;
  inspectCredentials(): Promise<CredentialsReport>;
}

export interface Adapter {
  readonly tradingTypes: Readonly<Partial<Record<TradingType, TradingMode>>>;
  /** The prefix and hexadecimal digits both fit the exchange's alphabet. */
  readonly clientOrderId: { readonly prefix: string; readonly length: number };
  /** ccxt's options that load the markets of these trading types. */
  marketOptions(types: readonly TradingType[]): Readonly<Record<string, unknown>>;
  readonly fixedOptions: Readonly<Record<string, unknown>>;
  readonly refusals: Refusals;
  /** The most fills of one answer, and how to ask for those after one. */
  readonly fills: { readonly pageSize: number; after(fillId: string): Readonly<Record<string, unknown>> };
  /** Whether this is an answer about balances at all: ccxt reads anything else as an empty account. */
  isBalanceAnswer(info: unknown): boolean;
  open(options: LibraryOptions): OpenedClient;
}

const binanceAccount = z.object({
  canTrade: z.boolean(),
  balances: z.array(z.unknown()),
  uid: z.union([z.string(), z.number()]).optional(),
});
const binanceKey = z.object({ enableSpotAndMarginTrading: z.boolean(), enableWithdrawals: z.boolean() });

/** https://developers.binance.com/docs/binance-spot-api-docs */
const binanceAdapter: Adapter = {
  tradingTypes: { spot: { options: { defaultType: 'spot' }, market: 'spot', params: {} } },
  clientOrderId: { prefix: 'ta', length: 36 },
  marketOptions: () => ({ fetchMarkets: { types: ['spot'] }, fetchMargins: false }),
  // After one good call ccxt takes refused credentials for a rate limit.
  fixedOptions: { hasAlreadyAuthenticatedSuccessfully: false },
  refusals: [
    { answer: /Duplicate order sent/, code: 'duplicate_client_order_id' },
    { answer: /insufficient balance/, code: 'insufficient_balance' },
    { answer: /would immediately match|would trigger immediately/, code: 'would_not_fit_book' },
    { answer: /"code"\s*:\s*"?-2010\b/, code: 'refused' },
  ],
  fills: { pageSize: 1_000, after: (fillId) => ({ fromId: String(BigInt(fillId) + 1n) }) },
  isBalanceAnswer: (info) => binanceAccount.safeParse(info).success,
  open: (options) => {
    const exchange = new binance(librarySettings(options));
    return {
      library: harden(exchange as unknown as ClientLibrary, options),
      inspectCredentials: async () => {
        const account = expectAnswer(binanceAccount, await exchange.privateGetAccount());
        const key = expectAnswer(binanceKey, await exchange.sapiGetAccountApiRestrictions());
        return {
          tradingTypes: ['spot'],
          canTrade: account.canTrade && key.enableSpotAndMarginTrading,
          canWithdraw: key.enableWithdrawals,
          venueAccountId: account.uid === undefined ? undefined : String(account.uid),
        };
      },
    };
  },
};

export const ADAPTERS: ReadonlyMap<string, Adapter> = new Map([['binance', binanceAdapter]]);

export function adapterOf(id: string): Adapter | undefined {
  return ADAPTERS.get(id);
}

/** @throws {AnswerSenseless} where an answer hasn't the expected form */
export function expectAnswer<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new AnswerSenseless(
    `unreadable: ${parsed.error.issues.map(({ path }) => path.join('.')).join(', ')}`,
  );
}

/** A number of an answer, in canonical form. */
export const exact = z.string().transform((text, context) => {
  const read = readDecimal(text);
  if ('value' in read) return read.value;
  context.addIssue({ code: 'custom', message: read.problem });
  return z.NEVER;
});
