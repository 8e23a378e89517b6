import {
  type CopiersLink,
  DomainError,
  decodeId,
  encodeId,
  type Strategy,
  type StrategyDelete,
  type StrategyUpdate,
  strategyOperations,
} from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { In, IsNull } from 'typeorm';
import { lockUser } from '../access/index.js';
import { type Actor, authorise, type CommandRunner, invalidState } from '../operations/index.js';
import {
  changeStrategy,
  lockOwnStrategy,
  lockStrategyToFollow,
  readStrategy,
  removeStrategy,
} from '../strategies/index.js';
import { CopierEntity } from './copier.entity.js';
import { emitRaises } from './copier-terms.service.js';
import { isFollowed, linkCopiers } from './copiers.queries.js';
import { assertMayFollow } from './follow-checks.js';
import { pauseCopiersOfStrategy, setCopiersToCloseOnly } from './stop-copiers.js';

/**
 * The use cases that change a strategy together with the copiers that follow it, in one transaction. They belong to
 * this feature because copiers depend on strategies, and strategies do not depend on copiers.
 */
export class StrategyChangesService {
  constructor(private readonly commands: CommandRunner) {}

  /**
   * Updates a strategy. Archiving it switches the active copiers of all users to CLOSE_ONLY. The users of copiers are
   * notified of a raised profit share; the database applies a cut to the terms of all copiers.
   */
  async update(actor: Actor, publicId: string, input: StrategyUpdate): Promise<Strategy> {
    authorise(actor, strategyOperations.update.access);
    return this.commands.run(actor.idempotency, async (tx) => {
      const id = await lockOwnStrategy(tx, actor, publicId);
      const isRaised = await changeStrategy(tx, id, input);
      if (input.status === 'ARCHIVED') await setCopiersToCloseOnly(tx, id);
      if (isRaised) await emitRaises(tx, id);
      return readStrategy(tx, actor, id);
    });
  }

  /** Deletes a strategy. With `stop_copiers`, first pauses the copiers of all users; otherwise all must be paused. */
  async delete(
    actor: Actor,
    publicId: string,
    input?: StrategyDelete,
  ): Promise<{ id: string; deleted: true }> {
    authorise(actor, strategyOperations.delete.access);
    return this.commands.run(actor.idempotency, async (tx) => {
      const id = await lockOwnStrategy(tx, actor, publicId);
      if (input?.stop_copiers === true) await pauseCopiersOfStrategy(tx, id);
      if (await isFollowed(tx, id)) throw stillFollowed();
      await removeStrategy(tx, id);
      return { id: encodeId('str', id), deleted: true };
    });
  }

  /**
   * Links the copiers to the strategy; if one cannot be linked, links none. Copiers that already follow it do
   * not change.
   */
  async linkCopiers(actor: Actor, publicId: string, input: CopiersLink): Promise<Strategy> {
    authorise(actor, strategyOperations.linkCopiers.access);
    return this.commands.run(actor.idempotency, async (tx) => {
      await lockUser(tx, actor.userId);
      const strategy = await lockStrategyToFollow(tx, actor, publicId);
      const links = (await lockCopiers(tx, actor, input.copier_ids)).filter(
        ({ copier }) => copier.strategyId !== strategy.id,
      );
      await assertMayFollow(tx, strategy, links);
      for (const { field, copier } of links) {
        if (copier.status === 'PAUSED') continue;
        const message = `The copier follows another strategy and is ${copier.status}. Stop it with mode PAUSED first.`;
        throw invalidState(message, copier.status, field);
      }
      await linkCopiers(
        tx,
        strategy.id,
        links.map(({ copier }) => copier.id),
      );
      return readStrategy(tx, actor, strategy.id);
    });
  }
}

interface RequestedCopier {
  /** The path of the copier's first occurrence in the request body. */
  readonly field: string;
  readonly copier: CopierEntity;
}

/**
 * Locks the actor's own copiers, each once.
 * @throws {DomainError} `not_found` with one detail per unknown id
 */
async function lockCopiers(tx: Tx, actor: Actor, publicIds: readonly string[]): Promise<RequestedCopier[]> {
  const ids = publicIds.map((publicId) => decodeId('cpr', publicId));
  const copiers = await tx.find(CopierEntity, {
    where: { id: In(ids.filter((id) => id !== null)), userId: actor.userId, deletedAt: IsNull() },
    order: { id: 'ASC' },
    lock: { mode: 'for_no_key_update' },
  });
  const known = new Set(copiers.map(({ id }) => id));
  const unknown = ids.flatMap((id, index) =>
    id !== null && known.has(id)
      ? []
      : [{ field: `copier_ids.${index}`, code: 'not_found' as const, message: 'Copier not found.' }],
  );
  if (unknown.length > 0) throw new DomainError('not_found', undefined, unknown);
  return copiers.map((copier) => ({ copier, field: `copier_ids.${ids.indexOf(copier.id)}` }));
}

function stillFollowed(): DomainError {
  const message = 'The strategy has copiers that are not paused. Pause them, or send {"stop_copiers": true}.';
  return invalidState(message, 'ACTIVE_COPIERS');
}
