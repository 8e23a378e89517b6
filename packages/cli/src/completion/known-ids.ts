/**
 * Ids that were listed a short while ago, for completions: asking the API at each press of a key would be slow, and
 * would spend its rate limit.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../context.js';
import type { Environment } from '../environment.js';
import { readIfThere, writePrivately } from '../profile/private-file.js';
import { safeLine } from '../terminal/text-of.js';

export interface KnownId {
  readonly id: string;
  /** What people know it by. */
  readonly label: string;
  /** Unix time in milliseconds. */
  readonly seenMs: number;
}

const REMEMBERED_MS = 3_600_000;
const REMEMBERED_MAX = 200;
const LABELS = ['account_name', 'name', 'symbol', 'url', 'title', 'event_type', 'type', 'status', 'label'];

const fileOf = ({ cacheFolder }: Environment) => join(cacheFolder, 'known-ids.json');

/** Keeps the ids of what was listed; that it can't is no failure of the command. */
export async function rememberIds(
  { environment }: Pick<Context, 'environment'>,
  rows: readonly unknown[],
): Promise<void> {
  const seen = rows.flatMap((row) => knownIn(row as Readonly<Record<string, unknown>>, Date.now()));
  if (seen.length === 0) return;
  try {
    const before = await knownIds(environment);
    const others = before.filter(({ id }) => !seen.some((known) => known.id === id));
    await writePrivately(fileOf(environment), JSON.stringify([...seen, ...others].slice(0, REMEMBERED_MAX)));
  } catch {
    // A read-only home: completions do without.
  }
}

/** They are somebody's: a logout forgets them. */
export async function forgetIds({ environment }: Pick<Context, 'environment'>): Promise<void> {
  await rm(fileOf(environment), { force: true });
}

function knownIn(row: Readonly<Record<string, unknown>>, seenMs: number): readonly KnownId[] {
  const id = row.id ?? row.event_id;
  if (typeof id !== 'string') return [];
  const label = LABELS.map((name) => row[name]).find((value) => typeof value === 'string');
  return [{ id, label: safeLine(String(label ?? '')), seenMs }];
}

/** Those of the last hour, the last ones first. */
export async function knownIds(environment: Environment): Promise<readonly KnownId[]> {
  try {
    const kept = JSON.parse((await readIfThere(fileOf(environment))) ?? '[]') as readonly KnownId[];
    return kept.filter(({ seenMs }) => seenMs > Date.now() - REMEMBERED_MS);
  } catch {
    return [];
  }
}
