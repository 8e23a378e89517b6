import { setTimeout as sleep } from 'node:timers/promises';
import type { Decimal } from '@trading-automation/contracts';
import { Precise } from 'ccxt/js/src/base/Precise';
import type { ExchangeOrderKey, VenueFill, VenueOrder } from '../../port.js';
import type { FillCalls, OrderCalls, StreamCall, StreamReport } from '../declaration.js';
import { failure } from '../failures.js';

/** After which pauses an order that is behind its message, or fills that are missing, are read again. */
const RETRY_AFTER_MS = [100, 300, 900];

interface ChangeCalls {
  readonly orders: Pick<OrderCalls, 'findByExchangeId'>;
  readonly fills: Pick<FillCalls, 'ofOrder'>;
}

/** What a message reports of an order. A look-up may be behind it for a moment. */
export interface ReportedChange {
  readonly filledAmount: Decimal;
  readonly hasEnded: boolean;
  /** Whether the order may be one of another account with the same stream, which the look-up does not find. */
  readonly isPossiblyForeign: boolean;
}

/**
 * Returns the call that reads a changed order and its fills, for streams that do not report all of their fields. If the
 * order is behind the message, or the list of fills behind the order, it is read again a few times.
 *
 * The call fails if the order stays behind the message. That ends the stream, and the account is read again.
 */
export function changedOrder(
  { orders, fills }: ChangeCalls,
  key: ExchangeOrderKey,
  reported?: ReportedChange,
  pausesMs: readonly number[] = RETRY_AFTER_MS,
): StreamCall {
  return {
    kind: 'call',
    key: `order ${key.exchangeOrderId}`,
    read: async (session) => {
      const find = () => orders.findByExchangeId(session, key);
      const order = await (reported === undefined ? find() : currentOrder(find, reported, pausesMs));
      if (order === null) return [];
      const filled = await fillsOf(() => fills.ofOrder(session, order), order, pausesMs);
      return [...filled.map((fill): StreamReport => ({ kind: 'fill', fill })), { kind: 'order', order }];
    },
  };
}

/** @throws {ExchangeError} `retryable`/`bad_answer` if the order stays behind the message */
async function currentOrder(
  find: () => Promise<VenueOrder | null>,
  reported: ReportedChange,
  pausesMs: readonly number[],
): Promise<VenueOrder | null> {
  let order = await find();
  for (const pause of pausesMs) {
    if (!isBehind(order, reported)) return order;
    await sleep(pause, undefined, { ref: false });
    order = await find();
  }
  if (!isBehind(order, reported) || (order === null && reported.isPossiblyForeign)) return order;
  throw failure(['retryable', 'bad_answer'], {
    type: 'StaleOrder',
    detail: 'an order that is behind the stream',
  });
}

function isBehind(order: VenueOrder | null, { filledAmount, hasEnded }: ReportedChange): boolean {
  if (order === null) return true;
  const isOpen = order.status === 'OPEN';
  return (hasEnded && isOpen) || Precise.stringLt(order.filledAmount, filledAmount) === true;
}

async function fillsOf(
  list: () => Promise<readonly VenueFill[]>,
  order: VenueOrder,
  pausesMs: readonly number[],
): Promise<readonly VenueFill[]> {
  if (order.filledAmount === '0') return [];
  let fills = await list();
  for (const pause of pausesMs) {
    if (!lacksFills(order, fills)) break;
    await sleep(pause, undefined, { ref: false });
    fills = await list();
  }
  return fills;
}

function lacksFills({ filledAmount }: VenueOrder, fills: readonly VenueFill[]): boolean {
  const sum = fills.reduce((total, { amount }) => Precise.stringAdd(total, amount) ?? total, '0');
  return Precise.stringLt(sum, filledAmount) === true;
}
