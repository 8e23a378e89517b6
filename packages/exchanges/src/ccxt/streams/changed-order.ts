import { setTimeout as sleep } from 'node:timers/promises';
import { Precise } from 'ccxt/js/src/base/Precise';
import type { ExchangeOrderKey, VenueFill, VenueOrder } from '../../port.js';
import type { FillCalls, OrderCalls, StreamCall, StreamReport, VenueSession } from '../declaration.js';

/** After which pauses fills that are missing are read again. */
const RETRY_AFTER_MS = [100, 300, 900];

interface ChangeCalls {
  readonly orders: Pick<OrderCalls, 'findByExchangeId'>;
  readonly fills: Pick<FillCalls, 'ofOrder'>;
}

/**
 * Returns the call that reads a changed order and its fills, for streams that do not report all of their fields. If the
 * list of fills is behind the order, it is read again a few times.
 */
export function changedOrder({ orders, fills }: ChangeCalls, key: ExchangeOrderKey): StreamCall {
  return {
    kind: 'call',
    key: `order ${key.exchangeOrderId}`,
    read: async (session) => {
      const order = await orders.findByExchangeId(session, key);
      if (order === null) return [];
      const filled = await fillsOf(session, fills, order);
      return [...filled.map((fill): StreamReport => ({ kind: 'fill', fill })), { kind: 'order', order }];
    },
  };
}

async function fillsOf(
  session: VenueSession,
  { ofOrder }: ChangeCalls['fills'],
  order: VenueOrder,
): Promise<readonly VenueFill[]> {
  if (order.filledAmount === '0') return [];
  let fills = await ofOrder(session, order);
  for (const pause of RETRY_AFTER_MS) {
    if (!lacksFills(order, fills)) break;
    await sleep(pause, undefined, { ref: false });
    fills = await ofOrder(session, order);
  }
  return fills;
}

function lacksFills({ filledAmount }: VenueOrder, fills: readonly VenueFill[]): boolean {
  const sum = fills.reduce((total, { amount }) => Precise.stringAdd(total, amount) ?? total, '0');
  return Precise.stringLt(sum, filledAmount) === true;
}
