/** Helpers of the launcher's tests: start `npm start`, and list the processes that it started. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../launch/first-trade/scenario.mjs';

const root = join(import.meta.dirname, '..', '..');
export const startFile = join(root, 'tooling', 'launch', 'start.mjs');

/**
 * Starts the launcher, with servers of its own.
 *
 * @param {string} command
 * @param {string[]} args
 */
export function launchWith(command, args) {
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...env } = process.env;
  const child = spawn(command, args, {
    cwd: root,
    env: { ...env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const launched = { child, output: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      launched.output += text;
    });
  }
  return launched;
}

/**
 * @param {ReturnType<typeof launchWith>} launched
 * @param {string} text
 */
export const untilOutput = (launched, text) =>
  until(
    async () => launched.output,
    (output) => output.includes(text),
    100_000,
  );

/** @param {import('node:child_process').ChildProcess} child */
export const ended = (child) =>
  child.exitCode !== null || child.signalCode !== null
    ? child.exitCode
    : new Promise((resolve) => child.once('exit', resolve));

/**
 * Returns all child processes of a process, and their children, recursively.
 *
 * @param {number} pid
 * @returns {{ pid: number, command: string }[]}
 */
export function descendantsOf(pid) {
  const rows = existsSync('/proc/self/stat') ? processesOfProc() : processesOfPs();
  /** @type {(parent: number) => { pid: number, command: string }[]} */
  const below = (parent) =>
    rows.filter((row) => row.parent === parent).flatMap((row) => [row, ...below(row.pid)]);
  return below(pid);
}

/** Reads /proc, because a minimal system has no `ps`. */
function processesOfProc() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The name in brackets may itself contain spaces and brackets.
        const [, parent] = /^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [{ pid: Number(name), parent: Number(parent), command }];
      } catch {
        // The process ended while the list was read.
        return [];
      }
    });
}

function processesOfPs() {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='])
    .toString()
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, pid, parent, command]) => ({
      pid: Number(pid),
      parent: Number(parent),
      command: command ?? '',
    }));
}
