/** Binance's user data stream over its WebSocket API. One connection carries the streams of several accounts. */
import { z } from 'zod';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import type { AccountEvent, SharedStreamProtocol, StreamMessage } from '../../ccxt/declaration.js';
import { readFill } from '../../ccxt/fills.js';
import { readPushedOrder } from '../../ccxt/orders.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { AssetBalance, VenueFill } from '../../port.js';

const id = z.union([z.string(), z.number()]).transform(String);
const eventMessage = z.object({ subscriptionId: id, event: z.unknown() });
const acceptanceMessage = z.object({ id, status: z.literal(200), result: z.object({ subscriptionId: id }) });
const rejectionMessage = z.object({ id, status: z.number(), error: z.unknown() });

const eventName = z.object({ e: z.string() });
const positions = z.object({
  u: z.number().int().positive(),
  B: z.array(z.object({ a: z.string().min(1), f: exactDecimal, l: exactDecimal })),
});
const report = z.looseObject({
  o: z.string(),
  x: z.string(),
  S: z.string(),
  N: z.unknown(),
  n: exactDecimal.optional(),
});

export const userDataStream: SharedStreamProtocol = {
  kind: 'SHARED',
  url: (ccxt) => ccxt.urls.api.ws['ws-api'].spot,
  accountsPerConnection: 100,
  weight: 2,
  subscribe: (ccxt, requestId) => ({
    id: requestId,
    method: 'userDataStream.subscribe.signature',
    params: ccxt.signParams({}),
  }),
  unsubscribe: (streamId, requestId) => ({
    id: requestId,
    method: 'userDataStream.unsubscribe',
    params: { subscriptionId: Number(streamId) },
  }),
  routeMessage,
  read: (ccxt, event) => {
    const { data } = eventName.safeParse(event);
    switch (data?.e) {
      case 'executionReport':
        return readReport(ccxt, event);
      case 'outboundAccountPosition':
        return readPositions(ccxt, event);
      case 'eventStreamTerminated':
      case 'serverShutdown':
        return { kind: 'ended' };
      default:
        return undefined;
    }
  },
};

function routeMessage(message: unknown): StreamMessage | undefined {
  const event = eventMessage.safeParse(message).data;
  if (event !== undefined) return { to: 'stream', id: event.subscriptionId, event: event.event };
  const accepted = acceptanceMessage.safeParse(message).data;
  if (accepted !== undefined)
    return { to: 'request', id: accepted.id, streamId: accepted.result.subscriptionId };
  const rejected = rejectionMessage.safeParse(message).data;
  if (rejected?.error === undefined) return undefined;
  return { to: 'request', id: rejected.id, rejection: rejected.error, status: rejected.status };
}

/**
 * Parses an execution report. Adds two fields that ccxt omits on the stream: whether an order is post-only, and the
 * currency of a zero fee.
 */
function readReport(ccxt: CcxtClient, event: unknown): AccountEvent {
  const { o: orderType, x: executionType } = parseResponse(report, event);
  const parsed = ccxt.parseWsOrder(event) as object;
  const order = readPushedOrder(ccxt, { ...parsed, ...(orderType === 'LIMIT_MAKER' && { postOnly: true }) });
  if (executionType !== 'TRADE') return { kind: 'order', order, fills: [] };
  const fill = readFill(ccxt, withFee(ccxt, ccxt.parseWsTrade(event) as CcxtTrade));
  const fillOfOrder: VenueFill = { ...fill, venueClientOrderId: order.venueClientOrderId };
  return { kind: 'order', order, fills: [fillOfOrder] };
}

interface CcxtTrade {
  readonly symbol: string;
  readonly side: string;
  readonly fee?: { readonly cost?: unknown; readonly currency?: unknown };
}

function withFee(ccxt: CcxtClient, trade: CcxtTrade): object {
  if (trade.fee?.currency !== undefined) return trade;
  const { base, quote } = ccxt.market(trade.symbol);
  return { ...trade, fee: { cost: trade.fee?.cost ?? '0', currency: trade.side === 'buy' ? base : quote } };
}

function readPositions(ccxt: CcxtClient, event: unknown): AccountEvent {
  const balances: Record<string, AssetBalance> = {};
  const { B, u } = parseResponse(positions, event);
  for (const { a, f, l } of B) balances[ccxt.safeCurrencyCode(a)] = { free: f, locked: l };
  return { kind: 'balances', balances, at: new Date(u) };
}
