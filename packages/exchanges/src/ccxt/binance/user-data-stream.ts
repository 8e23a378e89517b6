/** The user data stream over the WebSocket API, where one connection carries the streams of several accounts. */
import { z } from 'zod';
import type { AssetBalance, VenueFill } from '../../port.js';
import type { AccountEvent, AccountStreamProtocol, StreamMessage } from '../adapter.js';
import type { CcxtClient } from '../ccxt-client.js';
import { readFill } from '../fills.js';
import { readPushedOrder } from '../orders.js';
import { exactDecimal, parseResponse } from '../parse-response.js';

const id = z.union([z.string(), z.number()]).transform(String);
const pushed = z.object({ subscriptionId: id, event: z.unknown() });
const granted = z.object({ id, status: z.literal(200), result: z.object({ subscriptionId: id }) });
const refused = z.object({ id, status: z.number(), error: z.unknown() });

const named = z.object({ e: z.string() });
const positions = z.object({
  B: z.array(z.object({ a: z.string().min(1), f: exactDecimal, l: exactDecimal })),
});
const report = z.looseObject({
  o: z.string(),
  x: z.string(),
  S: z.string(),
  N: z.unknown(),
  n: exactDecimal.optional(),
});

export const userDataStream: AccountStreamProtocol = {
  url: (library) => library.urls.api.ws['ws-api'].spot,
  accountsPerConnection: 100,
  weight: 2,
  subscribe: (library, requestId) => ({
    id: requestId,
    method: 'userDataStream.subscribe.signature',
    params: library.signParams({}),
  }),
  unsubscribe: (streamId, requestId) => ({
    id: requestId,
    method: 'userDataStream.unsubscribe',
    params: { subscriptionId: Number(streamId) },
  }),
  routeMessage: address,
  read: (library, event) => {
    const { data } = named.safeParse(event);
    switch (data?.e) {
      case 'executionReport':
        return readReport(library, event);
      case 'outboundAccountPosition':
        return readPositions(library, event);
      case 'eventStreamTerminated':
      case 'serverShutdown':
        return { kind: 'ended' };
      default:
        return undefined;
    }
  },
};

function address(message: unknown): StreamMessage | undefined {
  const event = pushed.safeParse(message).data;
  if (event !== undefined) return { to: 'stream', id: event.subscriptionId, event: event.event };
  const yes = granted.safeParse(message).data;
  if (yes !== undefined) return { to: 'request', id: yes.id, streamId: yes.result.subscriptionId };
  const no = refused.safeParse(message).data;
  if (no?.error === undefined) return undefined;
  return { to: 'request', id: no.id, refused: no.error, status: no.status };
}

/** ccxt forgets on the stream that an order only rests, and leaves the fee of a fill that cost nothing without currency. */
function readReport(library: CcxtClient, event: unknown): AccountEvent {
  const { o: type, x: step } = parseResponse(report, event);
  const parsed = library.parseWsOrder(event) as object;
  const order = readPushedOrder({ ...parsed, ...(type === 'LIMIT_MAKER' && { postOnly: true }) });
  if (step !== 'TRADE') return { kind: 'order', order, fills: [] };
  const fill = readFill(withFee(library, library.parseWsTrade(event) as CcxtTrade));
  const told: VenueFill = { ...fill, venueClientOrderId: order.venueClientOrderId };
  return { kind: 'order', order, fills: [told] };
}

interface CcxtTrade {
  readonly symbol: string;
  readonly side: string;
  readonly fee?: { readonly cost?: unknown; readonly currency?: unknown };
}

function withFee(library: CcxtClient, trade: CcxtTrade): object {
  if (trade.fee?.currency !== undefined) return trade;
  const { base, quote } = library.market(trade.symbol);
  return { ...trade, fee: { cost: trade.fee?.cost ?? '0', currency: trade.side === 'buy' ? base : quote } };
}

function readPositions(library: CcxtClient, event: unknown): AccountEvent {
  const balances: Record<string, AssetBalance> = {};
  for (const { a, f, l } of parseResponse(positions, event).B)
    balances[library.safeCurrencyCode(a)] = { free: f, locked: l };
  return { kind: 'balances', balances };
}
