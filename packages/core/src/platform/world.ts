/**
 * The world of a database: `test` or `live`.
 *
 * 1. The migrator stores its world in a new database. It adopts a database without a stored world only if every API key
 *    of it belongs to the migrator's world.
 * 2. A process of the other world neither migrates the database nor starts on it, so no process hands out keys of one
 *    world from the data of the other.
 */
import type { World } from '@trading-automation/contracts';
import type { Database, Tx } from '@trading-automation/persistence';

/** Which world a database belongs to disagrees with the process. The message names both worlds and the fix. */
class WrongWorldError extends Error {
  override readonly name = 'WrongWorldError';
}

/** Asserts that the database belongs to the world. @throws {WrongWorldError} */
export async function assertWorld(database: Database, world: World): Promise<void> {
  const stored = await readWorld(database.manager);
  if (stored === world) return;
  if (stored === null)
    throw new WrongWorldError(
      `The database has no world, but WORLD is ${world}. Run the migrator with WORLD=${world} first.`,
    );
  throw new WrongWorldError(wrongWorld(stored, world));
}

/**
 * Asserts that the migrator may migrate the database in this world. A database that was never migrated belongs to
 * either world.
 *
 * @throws {WrongWorldError}
 */
export async function assertMigratable(database: Database, world: World): Promise<void> {
  const stored = await readWorld(database.manager);
  if (stored !== null && stored !== world) throw new WrongWorldError(wrongWorld(stored, world));
  await assertKeysOfWorld(database.manager, world);
}

/** Stores the world of a database that has none. @throws {WrongWorldError} if the database belongs to the other world */
export async function storeWorld(tx: Tx, world: World): Promise<void> {
  // Keys that the previous release issues during the migration wait for this transaction, or are seen by it.
  await tx.query('LOCK TABLE api_keys IN SHARE MODE');
  await assertKeysOfWorld(tx, world);
  await tx.query('INSERT INTO deployment (world) VALUES ($1) ON CONFLICT DO NOTHING', [world]);
  const stored = await readWorld(tx);
  if (stored !== null && stored !== world) throw new WrongWorldError(wrongWorld(stored, world));
}

async function readWorld(tx: Tx): Promise<World | null> {
  const [row] = await tx.query(`SELECT to_regclass('deployment') IS NOT NULL AS exists`);
  if (!row.exists) return null;
  const [deployment] = await tx.query('SELECT world FROM deployment');
  return deployment?.world ?? null;
}

/** Revoked keys count as well: they show which world the database served. */
async function assertKeysOfWorld(tx: Tx, world: World): Promise<void> {
  const [row] = await tx.query(`SELECT to_regclass('api_keys') IS NOT NULL AS exists`);
  if (!row.exists) return;
  const [foreign] = await tx.query('SELECT prefix FROM api_keys WHERE prefix <> $1 LIMIT 1', [
    `svc_${world}_`,
  ]);
  if (foreign === undefined) return;
  throw new WrongWorldError(
    `The database has API keys with the prefix ${foreign.prefix}, but WORLD is ${world}. ` +
      `Set DATABASE_URL to a database of the ${world} world, or WORLD to the world of these keys.`,
  );
}

function wrongWorld(stored: World, world: World): string {
  return (
    `The database belongs to the ${stored} world, but WORLD is ${world}. ` +
    `Set DATABASE_URL to a database of the ${world} world, or WORLD to ${stored}.`
  );
}
