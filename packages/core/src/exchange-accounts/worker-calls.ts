/** The calls from the APIs to the trading worker, with their inputs and replies. */
import {
  type Decimal,
  DomainError,
  ERRORS,
  type ErrorCode,
  type ExchangeCredentials,
  type TradingType,
} from '@trading-automation/contracts';
import type { CredentialsReport } from '@trading-automation/exchanges';
import { CallRefused, callProcess, serveCalls } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';

export interface WorkerCalls {
  /** Tests credentials at their exchange. `sealed` contains them, and can only be opened with the same `context`. */
  'exchange_account.test': {
    input: { exchange: string; trading_type: TradingType; sealed: string; context: string };
    reply: CredentialsReport;
  };
  /** Reads an account's balances; replies when they are stored. */
  'exchange_account.sync': { input: { account_id: string }; reply: null };
  /**
   * Reads the middle between the best prices of each pair's order book; null where a side has no orders or the exchange
   * does not respond.
   */
  'trade_pair.book_mids': {
    input: { exchange: string; symbols: readonly string[] };
    reply: Readonly<Record<string, Decimal | null>>;
  };
  /** Cancels the open part of a trade; replies when its state is stored. */
  'trade.cancel': { input: { trade_id: string }; reply: null };
}

export type WorkerCallName = keyof WorkerCalls;

const TIMEOUT_MS = 10_000;

/** Calls the trading worker. @throws {DomainError} the worker's error @throws {CallTimeout} without a reply in 10 s */
export async function callWorker<Name extends WorkerCallName>(
  { database, listener }: Platform,
  name: Name,
  input: WorkerCalls[Name]['input'],
): Promise<WorkerCalls[Name]['reply']> {
  try {
    const bytes = Buffer.from(JSON.stringify(input));
    const reply = await callProcess({
      dataSource: database,
      listener,
      name,
      input: bytes,
      timeoutMs: TIMEOUT_MS,
    });
    return JSON.parse(Buffer.from(reply).toString());
  } catch (error) {
    if (error instanceof CallRefused && Object.hasOwn(ERRORS, error.code))
      throw new DomainError(error.code as ErrorCode, error.message);
    throw error;
  }
}

/** Serialises credentials for sealing. */
export function serializeCredentials({ api_key, api_secret, passphrase }: ExchangeCredentials): string {
  return JSON.stringify({ apiKey: api_key, apiSecret: api_secret, passphrase });
}

/** Returns the context with which the credentials of a stored account are sealed. */
export function credentialsContext(accountId: string): string {
  return `exchange_account/${accountId}`;
}

/** Serves calls of one name in the trading worker. A `DomainError` that `handle` throws is passed to the caller. */
export function serveWorkerCall<Name extends WorkerCallName>(
  { database, listener }: Platform,
  name: Name,
  handle: (input: WorkerCalls[Name]['input'], signal: AbortSignal) => Promise<WorkerCalls[Name]['reply']>,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  return serveCalls({
    dataSource: database,
    listener,
    name,
    onError,
    handle: async (bytes, { signal }) => {
      try {
        const reply = await handle(JSON.parse(Buffer.from(bytes).toString()), signal);
        return Buffer.from(JSON.stringify(reply));
      } catch (error) {
        if (error instanceof DomainError) throw new CallRefused(error.code, error.message);
        throw error;
      }
    },
  });
}
