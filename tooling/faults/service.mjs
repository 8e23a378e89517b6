import { fork } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../launch/paths.mjs';

const readyDeadlineMs = 60_000;
const readyMessages = ['ready', 'listening'];
const linesKept = 400;

/** @typedef {{ code: number | null, signal: NodeJS.Signals | null, tookMs: number }} Ending */

/**
 * Runs a built app once, without restarts. Resolves when the app reports that it works. It ends with this process,
 * because the channel to it closes.
 *
 * @param {{ app: string, env: Record<string, string>, sabotage?: string | readonly string[] | undefined }} options
 *   `sabotage` names files of sabotage/, without their ending, which are loaded first
 */
export async function startService({ app, env, sabotage = [] }) {
  const preload = [sabotage].flat().flatMap((name) => ['--import', sabotageUrl(name)]);
  const child = fork(join(root, 'apps', app, 'dist', 'main.js'), [], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: preload,
    // Flags of a test run are not for the services.
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  /** @type {string[]} */
  const lines = [];
  let tellReady = () => {};
  const ready = new Promise((resolve) => {
    tellReady = () => resolve(undefined);
  });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (lines.length > linesKept) lines.shift();
      if (readyMessages.includes(messageOf(line))) tellReady();
    });
  }
  /** @type {number | undefined} */
  let askedAt;
  /** @type {Promise<Ending>} */
  const ended = new Promise((resolve) => {
    child.once('exit', (code, signal) =>
      resolve({ code, signal, tookMs: askedAt === undefined ? 0 : performance.now() - askedAt }),
    );
  });
  await within(
    readyDeadlineMs,
    Promise.race([ready, ended.then(() => Promise.reject(notReady(app, lines)))]),
  ).catch((error) => {
    child.kill('SIGKILL');
    throw error ?? notReady(app, lines);
  });
  return {
    pid: /** @type {number} */ (child.pid),
    /** The last that it said, a JSON text each. */
    lines,
    /** How it ended, and how long after the last signal. */
    ended,
    /**
     * Sends a signal, `kill -9` unless another is named; resolves when the process is over.
     *
     * @param {NodeJS.Signals} [signal]
     */
    async kill(signal = 'SIGKILL') {
      askedAt = performance.now();
      child.kill(signal);
      return await ended;
    },
    /** SIGSTOP: suspends it, as on a lost machine, until it is resumed. */
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
  };
}

/** @typedef {Awaited<ReturnType<typeof startService>>} FaultService */

/** @param {string} name */
const sabotageUrl = (name) => new URL(`sabotage/${name}.mjs`, import.meta.url).href;

/** @param {string} line */
function messageOf(line) {
  try {
    return JSON.parse(line).msg;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} app
 * @param {readonly string[]} lines
 */
const notReady = (app, lines) => new Error(`${app} did not start:\n${lines.slice(-15).join('\n')}`);

/**
 * @template T
 * @param {number} ms
 * @param {Promise<T>} promise
 * @returns {Promise<T>} rejects with nothing where it takes longer
 */
async function within(ms, promise) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(undefined), ms);
  });
  return await Promise.race([promise, /** @type {Promise<never>} */ (late)]).finally(() =>
    clearTimeout(timer),
  );
}
