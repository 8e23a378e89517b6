/** The built paper exchange under test, which runs in another process, with each of its trading types. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TradingType } from '@trading-automation/contracts';
import { createVenue, venueConfig } from '../src/ccxt/index.js';
import type { ExchangeCredentials, ForcedCause } from '../src/index.js';
import { declarationOf } from '../src/venues/index.js';
import type { ForcedClose, TradedVenueUnderTest } from './conformance-fixture.js';
import type { WeatherVenueUnderTest } from './suite-weather.js';

const VENUE = 'paper';
const ADAPTER = 'binance';
const builtEntryUrl = new URL('../../../apps/paper-exchange/dist/index.js', import.meta.url).href;
const hostProgram = new URL('./paper-exchange-host.mjs', import.meta.url).pathname;
const CONTRACT = 'BTC/USDT:USDT';
/** A mark price at which a long position of 0.5 from 60,000 with 10,000 of margin is liquidated. */
const LIQUIDATING_MARK_PRICE = '40000';

/** What differs between the trading types. */
const PRODUCTS = {
  spot: {
    balancesField: 'balances',
    symbols: ['BTC/USDT', 'ETH/USDT'],
    rules: { priceTick: '0.01', amountStep: '0.00001', minAmount: '0.00001', minNotional: '10' },
  },
  margin: {
    balancesField: 'margin_balances',
    symbols: ['BTC/USDT', 'ETH/USDT'],
    rules: { priceTick: '0.01', amountStep: '0.00001', minAmount: '0.00001', minNotional: '10' },
  },
  perpetual: {
    balancesField: 'futures_balances',
    symbols: [CONTRACT, 'ETH/USDT:USDT'],
    rules: { priceTick: '0.1', amountStep: '0.001', minAmount: '0.001', minNotional: '50' },
  },
} as const satisfies Record<TradingType, object>;

export type PaperExchangeUnderTest = WeatherVenueUnderTest & TradedVenueUnderTest;

/**
 * Runs a process for the exchanges of a test file. Returns a function that opens a built paper exchange in it, without a
 * simulated market: only users trade.
 */
export function setupPaperExchanges(
  tradingType: TradingType,
): (timeoutMs?: number) => Promise<PaperExchangeUnderTest> {
  let host: ChildProcess;
  let calls = 0;
  beforeAll(async () => {
    host = fork(hostProgram, [builtEntryUrl], { execArgv: [], env: { PATH: process.env.PATH } });
    await once(host, 'message');
  });
  afterAll(() => host.kill('SIGKILL'));

  /** Sends a request to the process that runs the exchanges. Rejects if that process ends. */
  const callHost = (message: { open: object } | { close: string }): Promise<{ url?: string }> => {
    const id = ++calls;
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error('the process of the paper exchanges has ended'));
      const onMessage = (response: unknown) => {
        const { id: responseId, url } = response as { id: number; url?: string };
        if (responseId !== id) return;
        host.off('message', onMessage).off('exit', onExit);
        resolve(url === undefined ? {} : { url });
      };
      host.on('message', onMessage).once('exit', onExit);
      host.send({ id, ...message });
    });
  };

  return async (timeoutMs = 10_000) => {
    const directory = mkdtempSync(join(tmpdir(), 'conformance-'));
    const { url = '' } = await callHost({
      open: {
        DATA_DIR: directory,
        MARKET: 'off',
        SCHEDULED_PAYMENTS: 'off',
        // The suites expect the same fee from makers and takers of every trading type.
        FUTURES_MAKER_PPM: '1000',
        FUTURES_TAKER_PPM: '1000',
      },
    });
    const close = async () => {
      await callHost({ close: url });
      rmSync(directory, { recursive: true });
    };
    return subjectAt(url, tradingType, { timeoutMs, close });
  };
}

interface SubjectOptions {
  readonly timeoutMs: number;
  readonly close: () => Promise<void>;
}

function subjectAt(
  url: string,
  tradingType: TradingType,
  { timeoutMs, close }: SubjectOptions,
): PaperExchangeUnderTest {
  const { balancesField, symbols, rules } = PRODUCTS[tradingType];
  const venue = createVenue(
    venueConfig.parse({
      id: VENUE,
      name: 'Paper',
      adapter: ADAPTER,
      tradingTypes: [tradingType],
      url,
      timeoutMs,
    }),
  );
  const admin = adminAt(url);
  return {
    venue,
    tradingType,
    traits: {
      placement: 'STATE',
      spotFeeIn: 'RECEIVED',
      postOnlyThatTakes: 'REFUSED',
      reportsPermissions: true,
      clientOrderIds: 'UNIQUE_AMONG_OPEN',
      ...(tradingType === 'perpetual' && { fokThatDoesNotFill: 'REFUSED' }),
      // A connection of its own pairs the orders and fills of its account.
      passesFillsOnce: tradingType !== 'spot',
      initialLeverage: 20,
      chargesInterestAtOnce: true,
    },
    symbol: symbols[0],
    otherSymbol: symbols[1],
    rules,
    orderTypes: declarationOf(ADAPTER)?.tradingTypes[tradingType]?.orderTypes ?? [],
    timeoutMs,
    openAccount: async (balances) => {
      const { BTC: _, ...settled } = balances;
      const held = tradingType === 'perpetual' ? settled : balances;
      const keys = await admin('POST', 'accounts', { [balancesField]: held });
      const { api_key, api_secret } = keys as { api_key: string; api_secret: string };
      return { apiKey: api_key, apiSecret: api_secret };
    },
    setMarkPrice: async (price) => setMarkPrice(admin, price),
    payFunding: async (rate) => void (await admin('POST', 'funding', { symbol: CONTRACT, rate })),
    chargeInterest: async () => void (await admin('POST', 'interest', {})),
    forceClose: async ({ apiKey }, { cause }) => forceClose(admin, apiKey, cause),
    changeAccount: async ({ apiKey }, { isHedged }) =>
      void (await admin('POST', 'accounts/position-mode', { api_key: apiKey, dual: isHedged === true })),
    weather: async (settings) => void (await admin('PUT', 'weather', settings)),
    cutStreams: async () => void (await admin('POST', 'streams/disconnect', {})),
    close: async () => {
      await venue.close();
      await close();
    },
  };
}

type Admin = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => Promise<unknown>;

function adminAt(url: string): Admin {
  return async (method, path, body) => {
    const response = await fetch(`${url}/admin/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`/admin/${path} returned ${response.status}: ${await response.text()}`);
    return response.json();
  };
}

/** Fixes the mark price. The quotes of the exchange, which a new price brings, are removed: only users trade. */
async function setMarkPrice(admin: Admin, price: string): Promise<void> {
  const ticks = Math.round(Number(price) * 10) / 10;
  await admin('POST', 'market', { symbol: CONTRACT, price: ticks, mark_price: price });
  await admin('PUT', 'book', { symbol: CONTRACT, bids: [], asks: [] });
}

/** Closes the position of an account, as the exchange does: completely, and at the mark price. */
async function forceClose(
  admin: Admin,
  apiKey: ExchangeCredentials['apiKey'],
  cause: ForcedCause,
): Promise<ForcedClose> {
  if (cause === 'LIQUIDATION') await setMarkPrice(admin, LIQUIDATING_MARK_PRICE);
  else if (cause === 'ADL') await admin('POST', 'adl', { api_key: apiKey, symbol: CONTRACT });
  else await admin('POST', 'listing', { symbol: CONTRACT, listed: false });
  const { liquidations } = (await admin('GET', `ledger?api_key=${apiKey}`)) as {
    liquidations: readonly ForcedClose[];
  };
  const forced = liquidations.at(-1);
  if (forced === undefined) throw new Error('the exchange closed nothing');
  return { amount: forced.amount, price: forced.price };
}
