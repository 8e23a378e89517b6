/**
 * A cache of recently listed ids for completions. A request on every Tab would be slow and use up the rate limit.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../context.js';
import type { Environment } from '../environment.js';
import { readIfExists, writePrivately } from '../profile/private-file.js';
import { safeLine } from '../terminal/text-of.js';

export interface KnownId {
  readonly id: string;
  /** A readable name. */
  readonly label: string;
  /** Unix time at which the id was listed, in milliseconds. */
  readonly seenMs: number;
}

const CACHE_TTL_MS = 3_600_000;
const CACHE_MAX = 200;
/** Names of fields. The first one that contains a string is the label of a record. */
const LABELS = ['account_name', 'name', 'symbol', 'url', 'title', 'event_type', 'type', 'status', 'label'];

const fileOf = ({ cacheFolder }: Environment) => join(cacheFolder, 'known-ids.json');

/** Caches the ids of listed records. Ignores a failure. */
export async function rememberIds(
  { environment }: Pick<Context, 'environment'>,
  rows: readonly unknown[],
): Promise<void> {
  const listed = rows.flatMap((row) => knownIdOf(row as Readonly<Record<string, unknown>>, Date.now()));
  if (listed.length === 0) return;
  try {
    const cached = await knownIds(environment);
    const others = cached.filter(({ id }) => !listed.some((known) => known.id === id));
    await writePrivately(fileOf(environment), JSON.stringify([...listed, ...others].slice(0, CACHE_MAX)));
  } catch {
    // The home folder may be read-only. Completions work without the cache.
  }
}

/** Deletes the cache. Used at logout, because ids belong to an account. Ignores a failure: the ids expire in an hour. */
export async function forgetIds({ environment }: Pick<Context, 'environment'>): Promise<void> {
  await rm(fileOf(environment), { force: true }).catch(() => undefined);
}

function knownIdOf(row: Readonly<Record<string, unknown>>, seenMs: number): readonly KnownId[] {
  const id = row.id ?? row.event_id;
  if (typeof id !== 'string' || id !== safeLine(id)) return [];
  const label = LABELS.map((name) => row[name]).find((value) => typeof value === 'string');
  return [{ id, label: safeLine(String(label ?? '')), seenMs }];
}

/** Returns the ids that were listed in the last hour, newest first. */
export async function knownIds(environment: Environment): Promise<readonly KnownId[]> {
  try {
    const ids = JSON.parse((await readIfExists(fileOf(environment))) ?? '[]') as readonly KnownId[];
    return ids.filter(({ seenMs }) => seenMs > Date.now() - CACHE_TTL_MS);
  } catch {
    return [];
  }
}
