import { decodeId } from '@trading-automation/contracts';
import { createRelay, type Relay, type RelayedEvent } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';

export interface TradeSubmissionRelayOptions {
  /** Queues the trades (uuids) for submission. It is called again for the same trades after a crash; it may fail. */
  readonly enqueue: (tradeIds: readonly string[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * The pause after each run, so that the next run handles a burst of orders and fills together. An order that arrives
 * after the pause is handled immediately.
 */
const COALESCE_MS = 20;

/**
 * Queues new trades for submission as soon as they are committed. This path is fast but not reliable: the checks of
 * open trades find a trade that it misses.
 */
export function createTradeSubmissionRelay(
  platform: Platform,
  { enqueue, onError }: TradeSubmissionRelayOptions,
): Relay {
  return createRelay({
    dataSource: platform.database,
    listener: platform.listener,
    consumer: 'trading-worker',
    onError,
    minIntervalMs: COALESCE_MS,
    handle: async (_tx, events) => {
      const created = events.filter(({ type }) => type === 'trade.created').map(parseCreatedTrade);
      const ids = created.filter(shouldEnqueue).map(({ id }) => id);
      if (ids.length > 0) await enqueue(ids).catch(onError);
    },
  });
}

interface CreatedTrade {
  readonly id: string;
  readonly copier_id?: string | null;
  readonly submitted_at?: string | null;
}

/**
 * Excludes copies and external orders. The notification of a planned copy already wakes the account's order submitter,
 * and the exchange already has external orders.
 */
const shouldEnqueue = ({ copier_id, submitted_at }: CreatedTrade) =>
  (copier_id ?? null) === null && (submitted_at ?? null) === null;

function parseCreatedTrade({ payload }: RelayedEvent): CreatedTrade {
  const { data } = JSON.parse(Buffer.from(payload).toString()) as { data: CreatedTrade };
  const id = decodeId('trd', data.id);
  if (id === null) throw new Error(`trade event has no valid trade id; got ${data.id}`);
  return { ...data, id };
}
