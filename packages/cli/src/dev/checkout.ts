/** The checkout around a folder, and what runs in it. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from '../failures.js';
import { readIfThere } from '../profile/private-file.js';

/** `name` of the checkout's package.json. */
const NAME = 'trading-automation';

/** The nearest checkout above a folder. @throws {UsageError} where there is none */
export async function checkoutAbove(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    if ((await nameOf(join(at, 'package.json'))) === NAME) return at;
    if (dirname(at) === at)
      throw new UsageError(
        `${folder} is in no checkout of ${NAME}.`,
        'Go into one first: svc dev is for the local stack that a checkout runs.',
      );
  }
}

async function nameOf(file: string): Promise<unknown> {
  const text = await readIfThere(file).catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return (JSON.parse(text) as { name?: unknown }).name;
  } catch {
    return undefined;
  }
}

/** What a running stack tells of itself in `.data/dev.json`. */
export interface Stack {
  readonly rest_url: string;
  readonly graphql_url?: string;
  readonly dashboard_url?: string;
  readonly paper_exchange_url?: string;
  readonly mail_url?: string;
  readonly pid: number;
}

/** The stack that runs in a checkout; undefined where none does. */
export async function findRunningStack(
  checkout: string,
  platform: NodeJS.Platform,
): Promise<Stack | undefined> {
  const text = await readIfThere(join(checkout, '.data', 'dev.json'));
  if (text === undefined) return undefined;
  const stack = parsed(text);
  return stack !== undefined && (await isLauncher(stack.pid, platform)) ? stack : undefined;
}

function parsed(text: string): Stack | undefined {
  try {
    const stack = JSON.parse(text) as Partial<Stack>;
    return typeof stack.rest_url === 'string' && Number.isSafeInteger(stack.pid)
      ? (stack as Stack)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process runs; on Linux also whether it is the launcher and none that was given its number since. */
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
