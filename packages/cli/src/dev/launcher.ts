/** Runs `npm start` of a checkout, in the foreground or on its own, and ends it. */
import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../failures.js';
import { findRunningStack, isLauncher, type Stack } from './checkout.js';

const POLL_INTERVAL_MS = 200;
const STOP_MAX_MS = 60_000;

export interface Launch {
  readonly checkout: string;
  readonly platform: NodeJS.Platform;
  /** Begin with empty data. */
  readonly isFresh: boolean;
  readonly signal: AbortSignal;
}

/**
 * Until it ends; its output is this process's. It has a group of its own, so that Ctrl-C reaches it by one way alone: an
 * aborted signal ends the whole group, and this waits until none of it is left.
 */
export async function runInForeground(launch: Launch): Promise<void> {
  const { checkout, platform, signal } = launch;
  const isGroup = platform !== 'win32';
  const child = spawn(...commandOf(launch), {
    cwd: checkout,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: isGroup,
  });
  const end = () => (isGroup ? signalGroup(child.pid, 'SIGTERM') : child.kill());
  signal.addEventListener('abort', end, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('exit', resolve);
    });
    while (isGroup && signal.aborted && signalGroup(child.pid, 0)) await wait(POLL_INTERVAL_MS);
    signal.throwIfAborted();
    if (code !== 0) throw new Failure(`npm start ended with ${code ?? 'a signal'}.`);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Whether the group is there to be signalled; 0 only asks. */
function signalGroup(leader: number | undefined, signal: NodeJS.Signals | 0): boolean {
  if (leader === undefined) return false;
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

/** Goes on by itself; answers when the stack is ready. Its output is in `.data/svc-dev.log`. */
export async function runDetached(launch: Launch): Promise<Stack> {
  const { checkout, platform, signal } = launch;
  const logFile = join(checkout, '.data', 'svc-dev.log');
  const log = await open(logFile, 'a', 0o600);
  const child = spawn(...commandOf(launch), {
    cwd: checkout,
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
  });
  await log.close();
  let ended: string | undefined;
  child.once('error', (error) => (ended = error.message));
  child.once('exit', (code) => (ended = `it ended with ${code ?? 'a signal'}`));
  child.unref();
  for (;;) {
    const stack = await findRunningStack(checkout, platform);
    if (stack !== undefined) return stack;
    if (ended !== undefined) throw new Failure(`The stack did not start: ${ended}.`, `See ${logFile}`);
    await wait(POLL_INTERVAL_MS, undefined, { signal });
  }
}

function commandOf({ isFresh }: Launch): [command: string, given: string[]] {
  return ['npm', ['start', ...(isFresh ? ['--', '--fresh'] : [])]];
}

/** Asks the launcher to end all that it runs, and waits until it has. */
export async function stop({ pid }: Stack, platform: NodeJS.Platform, signal: AbortSignal): Promise<void> {
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + STOP_MAX_MS;
  while (await isLauncher(pid, platform)) {
    if (performance.now() > deadline)
      throw new Failure(`The process ${pid} has not ended within ${STOP_MAX_MS / 1000} s.`);
    await wait(POLL_INTERVAL_MS, undefined, { signal });
  }
}
