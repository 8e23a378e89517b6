/** Starts `npm start` of a clone in the foreground or in the background, and stops it. */
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
  /** Whether the platform starts with empty data. */
  readonly isFresh: boolean;
  readonly signal: AbortSignal;
}

/**
 * Runs the platform until it ends, and passes on its output. The platform has its own process group, so that Ctrl-C
 * reaches it only through `signal`. An abort terminates the whole group and waits until all its processes have ended.
 */
export async function runInForeground(launch: Launch): Promise<void> {
  const { checkout, platform, signal } = launch;
  const isGroup = platform !== 'win32';
  const child = spawn(...commandOf(launch), {
    cwd: checkout,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: isGroup,
  });
  const terminate = () => (isGroup ? signalGroup(child.pid, 'SIGTERM') : child.kill());
  signal.addEventListener('abort', terminate, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('exit', resolve);
    });
    while (isGroup && signal.aborted && signalGroup(child.pid, 0)) await wait(POLL_INTERVAL_MS);
    signal.throwIfAborted();
    if (code !== 0)
      throw new Failure(`npm start ended with ${code === null ? 'a signal' : `exit code ${code}`}.`);
  } finally {
    signal.removeEventListener('abort', terminate);
  }
}

/** Sends a signal to all processes of a group; 0 sends nothing. Returns whether the group exists. */
function signalGroup(groupId: number | undefined, processSignal: NodeJS.Signals | 0): boolean {
  if (groupId === undefined) return false;
  try {
    return process.kill(-groupId, processSignal);
  } catch {
    return false;
  }
}

/** Starts the platform in the background. Returns when it is ready. Its output is in `.data/svc-dev.log`. */
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
  let endReason: string | undefined;
  child.once('error', (error) => (endReason = error.message));
  child.once(
    'exit',
    (code) => (endReason = `it ended with ${code === null ? 'a signal' : `exit code ${code}`}`),
  );
  child.unref();
  for (;;) {
    const stack = await findRunningStack(checkout, platform);
    if (stack !== undefined) return stack;
    if (endReason !== undefined)
      throw new Failure(`The platform did not start: ${endReason}.`, `See ${logFile}`);
    await wait(POLL_INTERVAL_MS, undefined, { signal });
  }
}

function commandOf({ isFresh }: Launch): [command: string, args: string[]] {
  return ['npm', ['start', ...(isFresh ? ['--', '--fresh'] : [])]];
}

/** Asks the launcher to stop the platform and waits until it has ended. */
export async function stop({ pid }: Stack, platform: NodeJS.Platform, signal: AbortSignal): Promise<void> {
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + STOP_MAX_MS;
  while (await isLauncher(pid, platform)) {
    if (performance.now() > deadline)
      throw new Failure(`Process ${pid} did not end within ${STOP_MAX_MS / 1000} s.`);
    await wait(POLL_INTERVAL_MS, undefined, { signal });
  }
}
