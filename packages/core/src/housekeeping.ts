import { removeExpiredAnswers, removeOldHeartbeats, withAdvisoryLock } from '@trading-automation/persistence';
import type { Platform } from './platform.js';

const BATCH = 1_000;

export interface Removed {
  readonly answers: number;
  readonly heartbeats: number;
}

/**
 * Removes what has had its time: kept answers after 24 hours, signs of life after a day. One process at a time does
 * it, in small steps; null where another is at it. Events stay: deliveries refer to them.
 */
export async function keepHouse({ database }: Platform): Promise<Removed | null> {
  const outcome = await withAdvisoryLock(database, 'housekeeping', async (signal) => {
    let answers = 0;
    for (let removed = BATCH; removed === BATCH && !signal.aborted; answers += removed) {
      removed = await removeExpiredAnswers(database, BATCH);
    }
    return { answers, heartbeats: await removeOldHeartbeats(database) };
  });
  return outcome.acquired ? outcome.value : null;
}
