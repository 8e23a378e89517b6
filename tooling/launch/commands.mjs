import { spawn } from 'node:child_process';
import { root } from './paths.mjs';
import { signalTree } from './processes.mjs';

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
let isEnding = false;

/**
 * Runs a command to its end. It gets a process group of its own: Ctrl-C reaches the launcher alone, which ends
 * the command (`endCommands`), so nothing is cut off behind the launcher's back.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{
 *   cwd?: string, env?: NodeJS.ProcessEnv, uid?: number, gid?: number,
 *   output?: 'show' | 'keep', input?: string,
 * }} [options] `show` lets the output through, `keep` returns it
 * @returns {Promise<{ code: number, stdout: string, stderr: string }>} code 127 when there is no such command, 128
 *   when a signal or `endCommands` ended it
 */
export function run(command, args, { cwd = root, env = process.env, uid, gid, output = 'keep', input } = {}) {
  if (isEnding) return Promise.resolve({ code: 128, stdout: '', stderr: 'not started: the launcher ends\n' });
  const stdio = output === 'show' ? 'inherit' : 'pipe';
  const child = spawn(command, args, { cwd, env, uid, gid, detached: true, stdio: ['pipe', stdio, stdio] });
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
  return new Promise((resolve) => {
    child.on('error', (error) => {
      running.delete(child);
      resolve({ code: 127, stdout, stderr: stderr + error.message });
    });
    child.on('close', (code, signal) => {
      running.delete(child);
      resolve({ code: code ?? 128, stdout, stderr: signal ? `${stderr}ended by ${signal}\n` : stderr });
    });
  });
}

/** Ends every command that still runs, with all that it started. No other command starts in this process. */
export async function endCommands() {
  // Work that was waiting for an ended command goes on, and would start its next one.
  isEnding = true;
  const ended = [...running].map(
    (child) =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve(undefined);
        const hurry = setTimeout(() => child.pid && signalTree(child.pid, 'SIGKILL'), 5_000);
        child.once('exit', () => {
          clearTimeout(hurry);
          resolve(undefined);
        });
        if (child.pid) signalTree(child.pid, 'SIGTERM');
      }),
  );
  await Promise.all(ended);
}
