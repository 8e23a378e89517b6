/** BingX's account stream: https://bingx-api.github.io/docs-v3/#/en/Spot/Websocket%20Account%20Data */
import { z } from 'zod';
import { currentCall, currentCredentials } from '../../ccxt/call.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { OwnStreamProtocol, StepResponse, StreamReport, VenueSession } from '../../ccxt/declaration.js';
import { MalformedResponse } from '../../ccxt/failures.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { changedOrder } from '../../ccxt/streams/changed-order.js';
import type { VenueFill } from '../../port.js';
import { fetchBingxBalances, fetchUserId } from './account.js';
import { bingxOrders } from './calls.js';
import { identifier, milliseconds, optionalDecimal, optionalId, paidFee, side } from './fields.js';
import { bingxFills } from './fills.js';
import { termsOf } from './records.js';
import { answerPing, STREAMS_URL, subscription } from './subscriptions.js';

const ORDERS = 'spot.executionReport';
const BALANCES = 'ACCOUNT_UPDATE';

/** A listen key is valid for an hour after its creation or its last extension. */
const KEEP_ALIVE_MS = 30 * 60_000;
const KNOWN_MAX = 10_000;
/** The newest listen key of each API key. A stream with an older one ends with it, and is opened again. */
const listenKeys = new WeakMap<CcxtClient, Map<string, string>>();

const created = z.object({ listenKey: z.string().min(1) });

async function createListenKey(ccxt: CcxtClient): Promise<string> {
  // A listen key needs no signature, so this call checks the secret.
  await fetchUserId(ccxt);
  const response = await callEndpoint(ccxt, 'userAuthPrivatePostUserDataStream', {});
  const { listenKey } = parseResponse(created, response);
  const known = listenKeys.get(ccxt) ?? new Map<string, string>();
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(currentCredentials()?.apiKey ?? '', listenKey);
  listenKeys.set(ccxt, known);
  return listenKey;
}

/** The exchange answers with the status alone: 200 if it has extended the key. */
async function extendListenKey({ ccxt }: VenueSession): Promise<void> {
  const listenKey = listenKeys.get(ccxt)?.get(currentCredentials()?.apiKey ?? '');
  if (listenKey === undefined) throw new MalformedResponse('the listen key is not known');
  try {
    await callEndpoint(ccxt, 'userAuthPrivatePutUserDataStream', { listenKey });
  } catch (error) {
    const { status, body } = currentCall().response ?? {};
    if (!(error instanceof MalformedResponse) || status !== 200 || body !== '') throw error;
  }
}

const response = z.object({ id: z.string(), code: z.number(), msg: z.string().default('') });
const ACCEPTED = 0;
const SYSTEM_BUSY = 100_500;

function responseOf(message: unknown): StepResponse | undefined {
  const { data } = response.safeParse(message);
  if (data === undefined) return undefined;
  const { code, msg } = data;
  if (code === ACCEPTED) return { isAccepted: true };
  return { isAccepted: false, status: code === SYSTEM_BUSY ? 500 : 400, rejection: { code, msg } };
}

export const bingxAccountStream: OwnStreamProtocol = {
  kind: 'OWN',
  weight: 1,
  answerPing,
  keepAlive: { everyMs: KEEP_ALIVE_MS, run: extendListenKey },
  plan: async ({ ccxt }) => ({
    url: `${STREAMS_URL}?listenKey=${await createListenKey(ccxt)}`,
    steps: [ORDERS, BALANCES].map((topic) => subscription('sub', topic)),
  }),
  responseOf,
  open: ({ ccxt }) => ({ read: (message) => read(ccxt, message) }),
};

const event = z.object({
  e: z.string().optional(),
  dataType: z.string().optional(),
  data: z.unknown().optional(),
});

function read(ccxt: CcxtClient, message: unknown): readonly StreamReport[] {
  const { e: type, dataType, data } = parseResponse(event, message);
  if (type === 'listenKeyExpired') throw new MalformedResponse('the listen key has expired');
  if (dataType === ORDERS) return readOrder(ccxt, data);
  return type === BALANCES || dataType === BALANCES ? [balancesChanged] : [];
}

/** The pages contradict each other about which amounts a message about a balance has. */
const balancesChanged: StreamReport = {
  kind: 'call',
  key: 'balances',
  read: async ({ ccxt }) => {
    const { balances, at } = await fetchBingxBalances(ccxt);
    return [{ kind: 'balances', balances, at }];
  },
};

const order = z.object({
  E: milliseconds,
  s: z.string(),
  S: side,
  o: z.string(),
  q: optionalDecimal,
  p: optionalDecimal,
  x: z.string(),
  X: z.string(),
  i: identifier,
  z: jsonDecimal,
  C: optionalId,
  O: milliseconds,
});
type OrderEvent = z.output<typeof order>;

function readOrder(ccxt: CcxtClient, data: unknown): readonly StreamReport[] {
  const parsed = parseResponse(order, data);
  const symbol = symbolOfMarketId(ccxt, parsed.s);
  if (symbol === undefined) return [];
  const { i: exchangeOrderId, o: type } = parsed;
  // Messages about conditional orders have no stop price.
  if (/STOP|TRIGGER/.test(type))
    return [changedOrder({ orders: bingxOrders, fills: bingxFills }, { symbol, exchangeOrderId })];
  const terms = termsOf({
    type,
    status: parsed.X,
    price: parsed.p,
    stopPrice: '0',
    ordered: parsed.q,
    filledAmount: parsed.z,
  });
  const report: StreamReport = {
    kind: 'order',
    order: {
      exchangeOrderId,
      venueClientOrderId: parsed.C,
      symbol,
      side: parsed.S,
      ...terms,
      createdAt: parsed.O,
      updatedAt: parsed.E,
    },
  };
  return parsed.x === 'TRADE'
    ? [{ kind: 'fill', fill: readFill(ccxt, { symbol, order: parsed }, data) }, report]
    : [report];
}

const fill = z.object({
  t: identifier,
  l: jsonDecimal,
  L: jsonDecimal,
  n: paidFee,
  N: z.string().min(1),
  T: milliseconds,
  // The pages show this field and do not describe it. ccxt reads it as the side of the maker.
  m: z.boolean(),
});

function readFill(
  ccxt: CcxtClient,
  { symbol, order: { i, C, S } }: { readonly symbol: string; readonly order: OrderEvent },
  data: unknown,
): VenueFill {
  const parsed = parseResponse(fill, data);
  return {
    exchangeFillId: parsed.t,
    exchangeOrderId: i,
    venueClientOrderId: C,
    symbol,
    side: S,
    price: parsed.L,
    amount: parsed.l,
    fee: { amount: parsed.n, currency: ccxt.safeCurrencyCode(parsed.N) },
    liquidity: parsed.m ? 'MAKER' : 'TAKER',
    executedAt: parsed.T,
  };
}
