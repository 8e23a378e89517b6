/** Finds the checkout that contains a folder, and its running stack. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from '../failures.js';
import { readIfExists } from '../profile/private-file.js';

/** `name` of the checkout's package.json. */
const NAME = 'trading-automation';

/** Returns the nearest checkout at or above a folder. @throws {UsageError} outside a checkout */
export async function checkoutAbove(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    if ((await nameOf(join(at, 'package.json'))) === NAME) return at;
    if (dirname(at) === at)
      throw new UsageError(
        `${folder} is not in a checkout of ${NAME}.`,
        'Change to a checkout first: svc dev runs its local stack.',
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

/** The content of `.data/dev.json` of a running stack. */
export interface Stack {
  readonly rest_url: string;
  readonly graphql_url?: string;
  readonly dashboard_url?: string;
  readonly paper_exchange_url?: string;
  readonly mail_url?: string;
  readonly pid: number;
}

/** Returns the running stack of a checkout; undefined if it is not running. */
export async function findRunningStack(
  checkout: string,
  platform: NodeJS.Platform,
): Promise<Stack | undefined> {
  const text = await readIfExists(join(checkout, '.data', 'dev.json'));
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
