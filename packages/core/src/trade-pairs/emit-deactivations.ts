import { tradePair as tradePairSchema } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { In } from 'typeorm';
import { emitEvents } from '../operations/index.js';
import { affectedUsers } from './pair-changes.queries.js';
import type { Deactivation } from './pair-changes.rules.js';
import { TradePairEntity } from './trade-pair.entity.js';
import { viewTradePair } from './trade-pair.view.js';

/** Limits the memory that the payloads of one statement take. */
const EVENTS_AT_ONCE = 500;

/** Emits `trade_pair.deactivated` once to each affected user, with the pair as it is stored now. */
export async function emitDeactivations(tx: Tx, deactivations: readonly Deactivation[]): Promise<void> {
  if (deactivations.length === 0) return;
  const users = await affectedUsers(tx, deactivations);
  const pairs = await tx.findBy(TradePairEntity, { id: In(users.map(({ pairId }) => pairId)) });
  const records = new Map(pairs.map((pair) => [pair.id, viewTradePair(pair)]));
  for (let start = 0; start < users.length; start += EVENTS_AT_ONCE) {
    await emitEvents(
      tx,
      users.slice(start, start + EVENTS_AT_ONCE).map(({ pairId, userId }) => ({
        userId,
        type: 'trade_pair.deactivated',
        schema: tradePairSchema,
        record: records.get(pairId)!,
      })),
    );
  }
}
