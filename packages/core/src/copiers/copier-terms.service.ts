import {
  type Copier,
  copierOperations,
  copier as copierSchema,
  DomainError,
  decodeId,
  type ProfitShareAccept,
} from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { In, IsNull } from 'typeorm';
import { lockUser } from '../access/index.js';
import { type Actor, authorise, type CommandRunner, emitEvents, invalidState } from '../operations/index.js';
import { lockStrategyShared } from '../strategies/index.js';
import { BigDecimal } from '../values/index.js';
import { CopierEntity } from './copier.entity.js';
import { databaseNow } from './copying/copy-inputs.queries.js';
import { copiersBelowOffer, insertTerms, readProfitShareState } from './profit-share-terms.queries.js';
import { effectiveFrom, type OfferedTerms, offerOf } from './profit-share-terms.rules.js';
import { viewCopiers, viewCopierWithStats } from './view-copiers.js';

/** The use case that accepts a strategy's new profit share. The database freezes the first terms at the first start. */
export class CopierTermsService {
  constructor(private readonly commands: CommandRunner) {}

  /**
   * Accepts exactly the terms that the strategy offers, from the next period on. Terms that the copier already accepted
   * change nothing.
   *
   * @throws {DomainError} `invalid_state` if the strategy offers other terms, or if the copier was never started
   */
  async acceptProfitShare(actor: Actor, publicId: string, input: ProfitShareAccept): Promise<Copier> {
    authorise(actor, copierOperations.acceptProfitShare.access);
    return this.commands.run(actor.idempotency, async (tx) => {
      await lockUser(tx, actor.userId);
      const { id, strategyId } = await findOwn(tx, actor, publicId);
      if (strategyId === null)
        throw invalidState(
          'The copier does not follow a strategy. Set its strategy_id first.',
          'NO_STRATEGY',
        );
      await lockStrategyShared(tx, strategyId);
      const copier = await tx.findOneOrFail(CopierEntity, {
        where: { id },
        lock: { mode: 'for_no_key_update' },
      });
      await accept(tx, id, strategyId, input);
      return viewCopierWithStats(tx, copier);
    });
  }
}

async function accept(tx: Tx, copierId: string, strategyId: string, input: OfferedTerms): Promise<void> {
  const state = await readProfitShareState(tx, copierId);
  const [current] = state.accepted ?? [];
  if (current === undefined || state.offered === null)
    throw invalidState(
      'The copier has no terms yet. Start it: the first start accepts the terms of its strategy.',
      'NOT_STARTED',
    );
  const offer = offerOf(state);
  const expected = offer ?? state.accepted!.at(-1)!;
  if (!new BigDecimal(expected.rate).eq(input.rate) || expected.period !== input.period)
    throw invalidState(
      `The strategy offers rate ${expected.rate} and period ${expected.period}; got ${input.rate} and ${input.period}. Send exactly the offered terms.`,
      'TERMS_CHANGED',
    );
  if (offer === null) return;
  await insertTerms(tx, copierId, strategyId, {
    ...offer,
    since: effectiveFrom(current.period, await databaseNow(tx)),
  });
}

/** Emits `copier.profit_share_raised` to the user of each copier that accepted a lower rate than the strategy offers. */
export async function emitRaises(tx: Tx, strategyId: string): Promise<void> {
  const ids = await copiersBelowOffer(tx, strategyId);
  if (ids.length === 0) return;
  const copiers = await tx.find(CopierEntity, { where: { id: In(ids) }, order: { id: 'ASC' } });
  const records = await viewCopiers(tx, copiers);
  const events = copiers.map(
    ({ userId }, index) =>
      ({
        userId,
        type: 'copier.profit_share_raised',
        schema: copierSchema,
        record: records[index]!,
      }) as const,
  );
  await emitEvents(tx, events);
}

async function findOwn(tx: Tx, actor: Actor, publicId: string): Promise<CopierEntity> {
  const id = decodeId('cpr', publicId);
  const copier =
    id === null ? null : await tx.findOneBy(CopierEntity, { id, userId: actor.userId, deletedAt: IsNull() });
  if (copier === null) throw new DomainError('not_found');
  return copier;
}
