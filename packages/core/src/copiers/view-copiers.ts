/** Builds the public records of copiers, with their stats. */
import type { Copier, StoppedCopier } from '@trading-automation/contracts';
import { hydrate, type Tx } from '@trading-automation/persistence';
import { CopierEntity } from './copier.entity.js';
import { viewCopier } from './copier.view.js';
import { openLotsOfCopiers } from './copier-lots.queries.js';
import { copierFiguresOf, readOwnCopiersWithStats } from './copier-stats.queries.js';

/** Returns the records in input order. */
export async function viewCopiers(tx: Tx, copiers: readonly CopierEntity[]): Promise<Copier[]> {
  const figures = await copierFiguresOf(
    tx,
    copiers.map(({ id }) => id),
  );
  return copiers.map((copier) => viewCopier(copier, figures.get(copier.id)!));
}

export async function viewCopierWithStats(tx: Tx, copier: CopierEntity): Promise<Copier> {
  const [record] = await viewCopiers(tx, [copier]);
  return record!;
}

/** Loads the copiers that belong to the user, in no particular order, with one statement. */
export async function viewOwnCopiers(tx: Tx, userId: string, ids: readonly string[]): Promise<Copier[]> {
  const rowsWithStats = await readOwnCopiersWithStats(tx, userId, ids);
  const copiers = hydrate(
    tx.connection,
    CopierEntity,
    rowsWithStats.map(({ row }) => row),
  );
  return copiers.map((copier, index) => viewCopier(copier, rowsWithStats[index]!));
}

/**
 * Returns the records in input order. `open_lots` lists the open lots of a paused copier. For any other copier it is
 * empty: in CLOSE_ONLY the copier still sells its lots with the strategy's exits.
 */
export async function viewStoppedCopiers(tx: Tx, copiers: readonly CopierEntity[]): Promise<StoppedCopier[]> {
  const records = await viewCopiers(tx, copiers);
  const lots = await openLotsOfCopiers(
    tx,
    copiers.map(({ id }) => id),
  );
  return records.map((record, index) => {
    const { id, status } = copiers[index]!;
    return { ...record, open_lots: status === 'PAUSED' ? (lots.get(id) ?? []) : [] };
  });
}

export async function viewStoppedCopier(tx: Tx, copier: CopierEntity): Promise<StoppedCopier> {
  const [record] = await viewStoppedCopiers(tx, [copier]);
  return record!;
}
