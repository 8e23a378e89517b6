import { decodeId } from '@trading-automation/contracts';
import { createRelay, type Relay, type RelayedEvent } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';

export interface TradeSubmissionRelayOptions {
  /** Has the trades (uuids) sent. Called again with the same ones after a crash; a failure here loses nothing. */
  readonly enqueue: (tradeIds: readonly string[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** What the orders and fills of many tell of in a row is read together; nobody's order waits longer for that. */
const COALESCE_MS = 20;

/**
 * Hands new trades to whoever sends them, as soon as they are committed. It is the fast way, not the safe one: a trade
 * that is not taken up in time is found by the looks at open trades.
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

/** Copies are told of account by account, many at once; what somebody else placed is at its exchange already. */
const shouldEnqueue = ({ copier_id, submitted_at }: CreatedTrade) =>
  (copier_id ?? null) === null && (submitted_at ?? null) === null;

function parseCreatedTrade({ payload }: RelayedEvent): CreatedTrade {
  const { data } = JSON.parse(Buffer.from(payload).toString()) as { data: CreatedTrade };
  const id = decodeId('trd', data.id);
  if (id === null) throw new Error('an event of a trade names no trade');
  return { ...data, id };
}
