/** Finds the clone that contains a folder, and the running platform of a clone. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from '../failures.js';
import { readIfExists } from '../profile/private-file.js';

/** The `name` in the package.json of a clone. */
const PACKAGE_NAME = 'trading-automation';

/** Returns the nearest clone at or above a folder. @throws {UsageError} outside a clone */
export async function checkoutAbove(folder: string): Promise<string> {
  for (let current = folder; ; current = dirname(current)) {
    if ((await nameOf(join(current, 'package.json'))) === PACKAGE_NAME) return current;
    if (dirname(current) === current)
      throw new UsageError(
        `${folder} is not in a clone of ${PACKAGE_NAME}.`,
        'Run this in a clone of the repository (cd into it first): `svc dev` runs the platform of that clone.',
      );
  }
}

async function nameOf(file: string): Promise<unknown> {
  const text = await readIfExists(file).catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return (JSON.parse(text) as { name?: unknown }).name;
  } catch {
    return undefined;
  }
}

/** The content of `.data/dev.json` of a running platform. */
export interface Stack {
  readonly rest_url: string;
  readonly graphql_url?: string;
  readonly dashboard_url?: string;
  readonly paper_exchange_url?: string;
  readonly mail_url?: string;
  readonly pid: number;
}

const STATE_ADVICE = 'Check its permissions, or delete it and start the platform again.';

/** Returns the running platform of a clone; undefined if it is not running. */
export async function findRunningStack(
  checkout: string,
  platform: NodeJS.Platform,
): Promise<Stack | undefined> {
  const text = await readIfExists(join(checkout, '.data', 'dev.json'), STATE_ADVICE);
  if (text === undefined) return undefined;
  const stack = parseStack(text);
  return stack !== undefined && (await isLauncher(stack.pid, platform)) ? stack : undefined;
}

function parseStack(text: string): Stack | undefined {
  try {
    const stack = JSON.parse(text) as Partial<Stack>;
    return typeof stack.rest_url === 'string' && Number.isSafeInteger(stack.pid)
      ? (stack as Stack)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether a process runs. On Linux also checks that it is the launcher, since process ids are reused. */
export async function isLauncher(pid: number, platform: NodeJS.Platform): Promise<boolean> {
  if (!isRunning(pid)) return false;
  if (platform !== 'linux') return true;
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes('start.mjs');
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
