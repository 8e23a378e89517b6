import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Identifies a process, even if its pid is later reused.
 *
 * @typedef {{ pid: number, identity: string }} ProcessIdentity
 */

/**
 * Returns the boot and start time of a process, which distinguish it from others with the same pid.
 *
 * @param {number} pid
 * @returns {string | null} null if no such process runs (a zombie does not count)
 */
function identityOf(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The command name is in brackets and may contain anything; the fields begin after the last bracket.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (fields[0] === 'Z' || fields[0] === 'X') return null;
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      return `${boot}/${fields[19]}`;
    }
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return started === '' ? null : started;
  } catch {
    return null;
  }
}

/**
 * @param {number} pid
 * @returns {ProcessIdentity | null}
 */
export function identifyProcess(pid) {
  const identity = identityOf(pid);
  return identity === null ? null : { pid, identity };
}

/**
 * @param {unknown} identified a `ProcessIdentity`, or anything else that was read from a file
 * @returns {identified is ProcessIdentity}
 */
export function isRunning(identified) {
  const { pid, identity } = /** @type {Partial<ProcessIdentity>} */ (identified ?? {});
  return typeof pid === 'number' && typeof identity === 'string' && identityOf(pid) === identity;
}

/**
 * Sends a signal to a process, or to its whole group if it leads one. Does nothing if the process does not exist.
 *
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
export function signalTree(pid, signal) {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, signal);
      return;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
    }
  }
}

/**
 * Sends a signal to all processes that a process has started, directly or not, whatever their groups are.
 *
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
export function signalDescendants(pid, signal) {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const processes = rows.map((row) => row.trim().split(/\s+/).map(Number));
  let parents = [pid];
  while (parents.length > 0) {
    const children = processes
      .filter(([, parent = 0]) => parents.includes(parent))
      .map(([child = 0]) => child);
    for (const child of children) signalTree(child, signal);
    parents = children;
  }
}
