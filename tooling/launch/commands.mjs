import { spawn } from 'node:child_process';
import { guarded } from './guard.mjs';
import { root } from './paths.mjs';
import { signalTree } from './processes.mjs';

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
let isEnding = false;

/**
 * Runs a command until it ends. The command gets its own process group, so that Ctrl-C reaches only the launcher. The
 * launcher then ends the command with `endCommands`.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{
 *   cwd?: string, env?: NodeJS.ProcessEnv, uid?: number, gid?: number,
 *   output?: 'show' | 'capture', input?: string, limitMs?: number,
 * }} [options] `output`: `show` prints the output, `capture` returns it; `limitMs`: the time after which the command and its
 *   children are killed
 * @returns {Promise<{ code: number, stdout: string, stderr: string }>} code 127 if the command does not exist, 128
 *   if a signal, the time limit or `endCommands` ended it
 */
export function run(
  command,
  args,
  { cwd = root, env = process.env, uid, gid, output = 'capture', input, limitMs } = {},
) {
  if (isEnding)
    return Promise.resolve({
      code: 128,
      stdout: '',
      stderr: 'not started, because the launcher is stopping\n',
    });
  const stdio = output === 'show' ? 'inherit' : 'pipe';
  const child = guarded(
    spawn(command, args, { cwd, env, uid, gid, detached: true, stdio: ['pipe', stdio, stdio] }),
  );
  running.add(child);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  const kill = () => child.pid && signalTree(child.pid, 'SIGKILL');
  const limit = limitMs === undefined ? undefined : setTimeout(kill, limitMs);
  return new Promise((resolve) => {
    child.on('error', (error) => {
      clearTimeout(limit);
      running.delete(child);
      resolve({ code: 127, stdout, stderr: stderr + error.message });
    });
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      running.delete(child);
      resolve({ code: code ?? 128, stdout, stderr: signal ? `${stderr}ended by ${signal}\n` : stderr });
    });
  });
}

/** Ends every running command and its child processes. Afterwards `run` starts no further command. */
export async function endCommands() {
  // Code that waits for an ended command continues now. Without this flag, it would start the next command.
  isEnding = true;
  const exits = [...running].map(
    (child) =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve(undefined);
        const killTimer = setTimeout(() => child.pid && signalTree(child.pid, 'SIGKILL'), 5_000);
        child.once('exit', () => {
          clearTimeout(killTimer);
          resolve(undefined);
        });
        if (child.pid) signalTree(child.pid, 'SIGTERM');
      }),
  );
  await Promise.all(exits);
}
