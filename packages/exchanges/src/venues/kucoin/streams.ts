/** KuCoin's account streams: https://www.kucoin.com/docs-new/websocket-api/base-info/introduction */
import { z } from 'zod';
import { toBaseAmount } from '../../ccxt/amounts.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import type {
  OwnStreamProtocol,
  StepResponse,
  StreamPlan,
  StreamReport,
  VenueSession,
} from '../../ccxt/declaration.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import { changedOrder } from '../../ccxt/streams/changed-order.js';
import { futuresFills, futuresOrders } from './futures-calls.js';
import { parsePosition, toPosition } from './futures-records.js';
import { amount, fetchData, milliseconds, optionalAmount } from './lists.js';
import { type SpotAccount, spotFills, spotOrders } from './spot-calls.js';

const token = z.object({
  token: z.string().min(1),
  instanceServers: z.array(z.object({ endpoint: z.string(), pingInterval: z.number() })).min(1),
});
const PING = { id: 'ping', type: 'ping' };

/** Returns the address of a connection and how often it has to send a ping. A token admits one connection. */
export async function openAddress(
  ccxt: CcxtClient,
  endpoint: string,
): Promise<Pick<StreamPlan, 'url' | 'heartbeat'>> {
  const { token: value, instanceServers } = await fetchData(ccxt, endpoint, {}, token);
  const [server] = instanceServers;
  const url = `${server?.endpoint}?${new URLSearchParams({ token: value, connectId: 'ta' })}`;
  return { url, heartbeat: { everyMs: server?.pingInterval ?? 0, message: PING } };
}

export const subscription = (topic: string, isPrivate: boolean, type = 'subscribe') => ({
  id: topic,
  type,
  topic,
  privateChannel: isPrivate,
  response: true,
});

const response = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ack') }),
  z.object({ type: z.literal('error'), code: z.union([z.number(), z.string()]).transform(String) }),
]);

/** Returns whether the exchange accepted a subscription; undefined for any other message. */
export function responseOf(message: unknown): StepResponse | undefined {
  const { data } = response.safeParse(message);
  if (data === undefined) return undefined;
  if (data.type === 'ack') return { isAccepted: true };
  const isRefused = data.code === '401' || data.code === '403';
  const rejection = { code: isRefused ? '400003' : '400100', msg: 'subscription refused' };
  return { isAccepted: false, status: isRefused ? 401 : 400, rejection };
}

const event = z.object({ topic: z.string(), subject: z.string(), data: z.unknown() });
type StreamEvent = z.output<typeof event>;

const readerOf =
  (read: (ccxt: CcxtClient, event: StreamEvent) => readonly StreamReport[]) =>
  ({ ccxt }: VenueSession) => ({
    read: (message: unknown) => {
      const { data } = event.safeParse(message);
      return data === undefined ? [] : read(ccxt, data);
    },
  });

const orderChange = z.object({
  symbol: z.string(),
  orderId: z.string().min(1),
  type: z.string(),
  filledSize: optionalAmount,
});
/** The types of messages that report the end of an order. */
const ENDS: ReadonlySet<string> = new Set(['filled', 'canceled']);

interface ChangedOrders {
  readonly calls: Parameters<typeof changedOrder>[0];
  /** Whether the stream has orders of other accounts, too. */
  readonly hasOthers: boolean;
}

/** The messages have neither the time in force of an order nor the fees of its fills. */
function changeReports(
  ccxt: CcxtClient,
  { calls, hasOthers }: ChangedOrders,
  data: unknown,
): readonly StreamReport[] {
  const { symbol: marketId, orderId, type, filledSize = '0' } = parseResponse(orderChange, data);
  const symbol = symbolOfMarketId(ccxt, marketId);
  // An order that was received is open, or has ended, with the next message.
  if (symbol === undefined || type === 'received') return [];
  const filledAmount = toBaseAmount(ccxt, symbol, filledSize);
  const reported = { filledAmount, hasEnded: ENDS.has(type), isPossiblyForeign: hasOthers };
  return [changedOrder(calls, { symbol, exchangeOrderId: orderId }, reported)];
}

const balance = z.object({
  currency: z.string().min(1),
  available: amount,
  hold: amount,
  relationEvent: z.string(),
  time: milliseconds,
});

const SPOT_ORDERS = '/spotMarket/tradeOrdersV2';
const BALANCES = '/account/balance';
/** The beginnings of the events that change the balances of an account. */
const EVENTS: Readonly<Record<SpotAccount, string>> = { SPOT: 'trade', CROSS_MARGIN: 'margin' };

export function spotAccountStream(account: SpotAccount): OwnStreamProtocol {
  // The topic has the orders of spot, of cross margin and of isolated margin, and does not distinguish them.
  const orders = {
    calls: { orders: spotOrders(account), fills: spotFills(account) },
    hasOthers: true,
  };
  return {
    kind: 'OWN',
    weight: 1,
    isGreeted: true,
    plan: async ({ ccxt }) => ({
      ...(await openAddress(ccxt, 'privatePostBulletPrivate')),
      steps: [subscription(SPOT_ORDERS, true), subscription(BALANCES, true)],
    }),
    responseOf,
    open: readerOf((ccxt, { topic, data }) => {
      if (topic === SPOT_ORDERS) return changeReports(ccxt, orders, data);
      if (topic !== BALANCES) return [];
      const { currency, available, hold, relationEvent, time } = parseResponse(balance, data);
      if (!relationEvent.startsWith(EVENTS[account])) return [];
      const balances = { [ccxt.safeCurrencyCode(currency)]: { free: available, locked: hold } };
      return [{ kind: 'balances', balances, at: time }];
    }),
  };
}

const wallet = z.object({ currency: z.string(), walletBalance: amount, timestamp: milliseconds });
const positionChange = z.object({ currentTimestamp: milliseconds, changeReason: z.string().optional() });
/** Such a message has neither the symbol of the position nor its size. */
const MARK_PRICE = 'markPriceChange';
const FUTURES_ORDERS = { calls: { orders: futuresOrders, fills: futuresFills }, hasOthers: false };
const FUTURES_TOPICS = ['/contractMarket/tradeOrders', '/contractAccount/wallet', '/contract/positionAll'];

export const futuresAccountStream: OwnStreamProtocol = {
  kind: 'OWN',
  weight: 1,
  isGreeted: true,
  plan: async ({ ccxt }) => ({
    ...(await openAddress(ccxt, 'futuresPrivatePostBulletPrivate')),
    steps: FUTURES_TOPICS.map((topic) => subscription(topic, true)),
  }),
  responseOf,
  open: readerOf((ccxt, { subject, data }) => {
    switch (subject) {
      case 'symbolOrderChange':
        return changeReports(ccxt, FUTURES_ORDERS, data);
      case 'walletBalance.change':
        return walletReports(data);
      case 'position.change': {
        const { currentTimestamp: at, changeReason } = parseResponse(positionChange, data);
        if (changeReason === MARK_PRICE) return [];
        return [{ kind: 'positions', positions: [toPosition(ccxt, parsePosition(data))], at }];
      }
      default:
        return [];
    }
  }),
};

function walletReports(data: unknown): readonly StreamReport[] {
  const { currency, walletBalance: free, timestamp: at } = parseResponse(wallet, data);
  // Contracts that are settled in other currencies are not traded.
  if (currency !== 'USDT') return [];
  return [{ kind: 'balances', balances: { USDT: { free, locked: '0' } }, at }];
}
