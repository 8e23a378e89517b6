import { fork } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../launch/paths.mjs';

const readyDeadlineMs = 60_000;
const readyMessages = ['ready', 'listening'];
const linesKept = 400;

/** @typedef {{ code: number | null, signal: NodeJS.Signals | null, tookMs: number }} Ending */

/**
 * Runs a built app once, without restarts. Resolves when the app reports that it is ready. The app ends when this
 * process ends, because the channel between them closes.
 *
 * @param {{ app: string, env: Record<string, string>, sabotage?: string | readonly string[] | undefined }} options
 *   `sabotage` names files of sabotage/ without `.mjs`; the app loads them first
 */
export async function startService({ app, env, sabotage = [] }) {
  const preload = [sabotage].flat().flatMap((name) => ['--import', sabotageUrl(name)]);
  const child = fork(join(root, 'apps', app, 'dist', 'main.js'), [], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: preload,
    // The Node options of a test run must not reach the services.
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  /** @type {string[]} */
  const lines = [];
  let resolveReady = () => {};
  const ready = new Promise((resolve) => {
    resolveReady = () => resolve(undefined);
  });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (lines.length > linesKept) lines.shift();
      if (readyMessages.includes(messageOf(line))) resolveReady();
    });
  }
  /** @type {number | undefined} */
  let signalledAt;
  /** @type {Promise<Ending>} */
  const ended = new Promise((resolve) => {
    child.once('exit', (code, signal) =>
      resolve({ code, signal, tookMs: signalledAt === undefined ? 0 : performance.now() - signalledAt }),
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
    /** The last log lines, one JSON string each. */
    lines,
    /** Resolves with the exit code or signal, and the time since the last signal. */
    ended,
    /**
     * Sends a signal, SIGKILL by default. Resolves when the process has ended.
     *
     * @param {NodeJS.Signals} [signal]
     */
    async kill(signal = 'SIGKILL') {
      signalledAt = performance.now();
      child.kill(signal);
      return await ended;
    },
    /** Suspends the process with SIGSTOP until `resume`, like a machine that stops responding. */
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
 * @returns {Promise<T>} rejects with undefined after `ms` milliseconds
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
