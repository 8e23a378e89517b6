/** Gate's account streams: https://www.gate.com/docs/developers/apiv4/ws/en/ */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { currentCredentials } from '../../ccxt/call.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import type { OwnStreamProtocol, StepResponse, StreamReport } from '../../ccxt/declaration.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { AssetBalance } from '../../port.js';
import { fetchUserId } from './account.js';
import { DECIMAL_SIZES } from './client.js';
import { parsePosition, readFuturesFill, readFuturesOrder, toPosition } from './futures-records.js';
import { amount, milliseconds } from './lists.js';
import { readSpotFill, readSpotOrder } from './spot-records.js';

export interface StreamAddresses {
  readonly spot: string;
  readonly swap: { readonly usdt: string };
}

export function addressesOf(ccxt: CcxtClient): StreamAddresses {
  return ccxt.urls.api as unknown as StreamAddresses;
}

/** Returns the exchange's time in seconds. */
const secondsNow = (ccxt: CcxtClient): number => Math.floor(venueTime(ccxt).getTime() / 1_000);

const ALL = '!all';
/** The code of an error with which the exchange rejects a signature or a key. */
const AUTHENTICATION_FAILED = 4;

const response = z.object({
  event: z.enum(['subscribe', 'unsubscribe']),
  error: z.object({ code: z.number() }).nullish(),
});

/** Returns whether the exchange accepted a subscription; undefined for any other message. */
export function responseOf(message: unknown): StepResponse | undefined {
  const { data } = response.safeParse(message);
  if (data === undefined) return undefined;
  if (data.error == null) return { isAccepted: true };
  const isRefused = data.error.code === AUTHENTICATION_FAILED;
  // The errors of the streams have other codes than those of the calls.
  const label = isRefused ? 'INVALID_SIGNATURE' : 'INVALID_PARAM_VALUE';
  return { isAccepted: false, status: isRefused ? 401 : 400, rejection: { label } };
}

/** Each subscription is signed. */
function subscription(ccxt: CcxtClient, channel: string, payload: readonly string[] | undefined): object {
  const { apiKey = '', apiSecret = '' } = currentCredentials() ?? {};
  const time = secondsNow(ccxt);
  const signed = `channel=${channel}&event=subscribe&time=${time}`;
  const signature = createHmac('sha512', apiSecret).update(signed).digest('hex');
  return {
    time,
    channel,
    event: 'subscribe',
    ...(payload && { payload }),
    auth: { method: 'api_key', KEY: apiKey, SIGN: signature },
  };
}

const event = z.object({
  channel: z.string(),
  event: z.literal('update'),
  time_ms: milliseconds,
  result: z.array(z.unknown()),
});
type StreamEvent = z.output<typeof event>;

type ReadEvent = (ccxt: CcxtClient, event: StreamEvent) => readonly StreamReport[];

const readerOf = (read: ReadEvent) => (ccxt: CcxtClient, message: unknown) => {
  const { data } = event.safeParse(message);
  return data === undefined ? [] : read(ccxt, data);
};

/** @param balances the channel of the account whose balance orders use */
export function spotAccountStream(balances: 'spot.balances' | 'spot.cross_balances'): OwnStreamProtocol {
  const read = readerOf((ccxt, { channel, result, time_ms: at }) => {
    if (channel === balances) return [balanceReport(ccxt, result, at)];
    return result.flatMap((record) =>
      channel === 'spot.orders'
        ? orderReport(readSpotOrder(ccxt, record))
        : fillReport(readSpotFill(ccxt, record)),
    );
  });
  return {
    kind: 'OWN',
    weight: 1,
    plan: async ({ ccxt }) => ({
      url: addressesOf(ccxt).spot,
      steps: [
        subscription(ccxt, 'spot.orders', [ALL]),
        subscription(ccxt, 'spot.usertrades', [ALL]),
        subscription(ccxt, balances, undefined),
      ],
    }),
    responseOf,
    open: ({ ccxt }) => ({ read: (message) => read(ccxt, message) }),
  };
}

const FUTURES_CHANNELS = ['orders', 'usertrades', 'balances', 'positions'] as const;

const readFutures = readerOf((ccxt, { channel, result, time_ms: at }) => {
  switch (channel) {
    case 'futures.orders':
      return result.flatMap((record) => orderReport(readFuturesOrder(ccxt, record)));
    case 'futures.usertrades':
      return result.flatMap((record) => fillReport(readFuturesFill(ccxt, record)));
    case 'futures.balances':
      return [walletReport(result, at)];
    case 'futures.positions':
      return [
        { kind: 'positions', positions: result.map((each) => toPosition(ccxt, parsePosition(each))), at },
      ];
    default:
      return [];
  }
});

export const futuresAccountStream: OwnStreamProtocol = {
  kind: 'OWN',
  weight: 1,
  connectHeaders: DECIMAL_SIZES,
  plan: async ({ ccxt }) => {
    // The channels of futures name the user.
    const payload = [await fetchUserId(ccxt), ALL];
    const steps = FUTURES_CHANNELS.map((name) => subscription(ccxt, `futures.${name}`, payload));
    return { url: addressesOf(ccxt).swap.usdt, steps };
  },
  responseOf,
  open: ({ ccxt }) => ({ read: (message) => readFutures(ccxt, message) }),
};

function orderReport(order: ReturnType<typeof readSpotOrder>): readonly StreamReport[] {
  return order === undefined ? [] : [{ kind: 'order', order }];
}

function fillReport(fill: ReturnType<typeof readSpotFill>): readonly StreamReport[] {
  return fill === undefined ? [] : [{ kind: 'fill', fill }];
}

const balance = z.object({ currency: z.string().min(1), available: amount, freeze: amount });

function balanceReport(ccxt: CcxtClient, records: readonly unknown[], at: Date): StreamReport {
  const balances: Record<string, AssetBalance> = {};
  for (const record of records) {
    const { currency, available, freeze } = parseResponse(balance, record);
    balances[ccxt.safeCurrencyCode(currency)] = { free: available, locked: freeze };
  }
  return { kind: 'balances', balances, at };
}

const wallet = z.object({ balance: amount });

/** Several changes of the wallet may be in one message; the last one has the balance after all of them. */
function walletReport(records: readonly unknown[], at: Date): StreamReport {
  const { balance: free } = parseResponse(wallet, records.at(-1));
  return { kind: 'balances', balances: { USDT: { free, locked: '0' } }, at };
}
