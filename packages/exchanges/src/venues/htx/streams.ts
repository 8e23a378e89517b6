/** HTX's account stream: https://huobiapi.github.io/docs/spot/v1/en/#websocket-account-and-order */
import { z } from 'zod';
import { currentCredentials } from '../../ccxt/call.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import type { OwnStreamProtocol, StepResponse, StreamReport } from '../../ccxt/declaration.js';
import { hmacSha256 } from '../../ccxt/hmac.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import { fetchHtxBalances } from './account.js';
import { fetchHtxOrder } from './calls.js';
import { identifier, isOfMargin, milliseconds, nonZeroAmount, orderType } from './fields.js';
import { isMarked, withoutMark } from './ids.js';
import { feeOf, termsOf } from './records.js';

const HOST = 'api.huobi.pro';
const PATH = '/ws/v2';

const ORDERS = 'orders#*';
/** Mode 0: without cancellations, which the other topic reports. */
const FILLS = 'trade.clearing#*#0';
/** Mode 2: one message for each change of a balance or of what is available of it. */
const BALANCES = 'accounts.update#2';

function login(ccxt: CcxtClient): object {
  const { apiKey = '', apiSecret = '' } = currentCredentials() ?? {};
  const signed = {
    accessKey: apiKey,
    signatureMethod: 'HmacSHA256',
    signatureVersion: '2.1',
    timestamp: venueTime(ccxt).toISOString().slice(0, 19),
  };
  const text = ['GET', HOST, PATH, String(new URLSearchParams(signed))].join('\n');
  const signature = hmacSha256(text, apiSecret, 'base64');
  return { action: 'req', ch: 'auth', params: { authType: 'api', ...signed, signature } };
}

const response = z.object({
  action: z.enum(['req', 'sub']),
  code: z.number(),
  message: z.string().optional(),
});

const ACCEPTED = 200;
const SYSTEM_ERROR = 500;

function responseOf(message: unknown): StepResponse | undefined {
  const { data } = response.safeParse(message);
  if (data === undefined) return undefined;
  if (data.code === ACCEPTED) return { isAccepted: true };
  // The codes of the stream are no statuses. One code has several meanings; the messages name them.
  return {
    isAccepted: false,
    status: data.code === SYSTEM_ERROR ? 500 : 400,
    rejection: { status: 'error', 'err-code': data.message ?? String(data.code) },
  };
}

const ping = z.object({ action: z.literal('ping'), data: z.object({ ts: z.number() }) });

export const htxAccountStream: OwnStreamProtocol = {
  kind: 'OWN',
  weight: 5,
  answerPing: (message) => {
    const { data } = ping.safeParse(message);
    return data && { action: 'pong', data: data.data };
  },
  plan: async ({ ccxt }) => ({
    url: `wss://${HOST}${PATH}`,
    steps: [login(ccxt), ...[ORDERS, FILLS, BALANCES].map((ch) => ({ action: 'sub', ch }))],
  }),
  responseOf,
  open: ({ ccxt }) => ({ read: (message) => read(ccxt, message) }),
};

const push = z.object({ ch: z.string(), data: z.object({ eventType: z.string().optional() }).loose() });

function read(ccxt: CcxtClient, message: unknown): readonly StreamReport[] {
  const { data: pushed } = push.safeParse(message);
  if (pushed === undefined) return [];
  if (pushed.ch === BALANCES) return [balancesChanged];
  if (pushed.ch === FILLS && pushed.data.eventType === 'trade') return readFill(ccxt, pushed.data);
  // Other events of orders belong to conditional orders, which have no order id yet.
  const isOrder = ORDER_EVENTS.has(pushed.data.eventType ?? '');
  return pushed.ch === ORDERS && isOrder ? readOrder(ccxt, pushed.data) : [];
}

/** Messages about balances do not say which account of the user they are about. */
const balancesChanged: StreamReport = {
  kind: 'call',
  key: 'balances',
  read: async ({ ccxt }) => {
    const { balances, at } = await fetchHtxBalances(ccxt);
    return [{ kind: 'balances', balances, at }];
  },
};

const ORDER_EVENTS = new Set(['creation', 'trade', 'cancellation']);
const order = z.object({
  orderId: identifier,
  symbol: z.string(),
  type: orderType,
  orderStatus: z.string(),
  orderSource: z.string().optional(),
  clientOrderId: z.string().default(''),
  orderPrice: exactDecimal.optional(),
  orderSize: exactDecimal.optional(),
  execAmt: exactDecimal.default('0'),
  // Each kind of event has one of them. Only the first event of an order names the time of its creation.
  orderCreateTime: milliseconds.optional(),
  tradeTime: milliseconds.optional(),
  lastActTime: milliseconds.optional(),
});

function readOrder(ccxt: CcxtClient, event: unknown): readonly StreamReport[] {
  const parsed = parseResponse(order, event);
  const { orderId, type, orderSize, execAmt, clientOrderId, orderPrice, orderStatus } = parsed;
  const symbol = symbolOfMarketId(ccxt, parsed.symbol);
  if (symbol === undefined || isOfMargin(parsed.orderSource)) return [];
  // Market purchases of other programs are streamed in quote currency.
  if (type === 'buy-market' || orderSize === undefined) return [orderChanged(symbol, orderId)];
  const at = parsed.orderCreateTime ?? parsed.tradeTime ?? parsed.lastActTime ?? venueTime(ccxt);
  const terms = termsOf({
    storedId: clientOrderId,
    type,
    amount: orderSize,
    price: orderPrice,
    state: orderStatus,
  });
  return [
    {
      kind: 'order',
      order: {
        exchangeOrderId: orderId,
        symbol,
        ...terms,
        filledAmount: execAmt,
        createdAt: at,
        updatedAt: at,
      },
    },
  ];
}

const orderChanged = (symbol: string, exchangeOrderId: string): StreamReport => ({
  kind: 'call',
  key: `order ${exchangeOrderId}`,
  read: async ({ ccxt }) => [
    { kind: 'order', order: await fetchHtxOrder(ccxt, { symbol, exchangeOrderId }) },
  ],
});

const fill = z.object({
  orderId: identifier,
  symbol: z.string(),
  orderSide: z.enum(['buy', 'sell']),
  tradeId: identifier,
  tradePrice: exactDecimal,
  tradeVolume: exactDecimal,
  tradeTime: milliseconds,
  aggressor: z.boolean(),
  transactFee: exactDecimal,
  feeCurrency: z.string().min(1),
  feeDeduct: nonZeroAmount,
  feeDeductType: z.string().optional(),
  source: z.string().optional(),
  clientOrderId: z.string().default(''),
  orderType: z.string().default('buy-ioc'),
});

/** The names of what pays a fee, in calls. */
const DEDUCTED_FROM: Readonly<Record<string, string>> = { point: 'hbpoint' };

function readFill(ccxt: CcxtClient, event: unknown): readonly StreamReport[] {
  const parsed = parseResponse(fill, event);
  const symbol = symbolOfMarketId(ccxt, parsed.symbol);
  if (symbol === undefined || isOfMargin(parsed.source)) return [];
  const { clientOrderId, feeDeductType: type = '' } = parsed;
  const isPurchase = isMarked(clientOrderId, parsed.orderType);
  const fee = feeOf(ccxt, {
    fee: parsed.transactFee,
    currency: parsed.feeCurrency,
    deducted: parsed.feeDeduct,
    deductedFrom: DEDUCTED_FROM[type] ?? type,
  });
  return [
    {
      kind: 'fill',
      fill: {
        exchangeFillId: parsed.tradeId,
        exchangeOrderId: parsed.orderId,
        venueClientOrderId: isPurchase ? withoutMark(clientOrderId) : clientOrderId,
        symbol,
        side: parsed.orderSide === 'buy' ? 'BUY' : 'SELL',
        price: parsed.tradePrice,
        amount: parsed.tradeVolume,
        fee,
        liquidity: parsed.aggressor ? 'TAKER' : 'MAKER',
        executedAt: parsed.tradeTime,
      },
    },
  ];
}
