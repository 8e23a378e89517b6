/** Measures the CPU time of the processes of a run. This works only on Linux, with /proc. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The unit of CPU times in /proc, the same on all machines. */
const TICK_MS = 10;
const PROCESS_KINDS = [
  ['dispatcher', /webhook-dispatcher/],
  ['baseline', /webhooks-baseline/],
  ['receiver', /webhooks-receiver/],
  ['Postgres', /postgres/],
  ['Redis', /redis-server|valkey-server/],
];

const isCpuAvailable = existsSync('/proc/self/stat');

/** @returns {Record<string, number>} the CPU time of each kind of process in milliseconds, among descendants of this process */
function cpuMs() {
  const processes = new Map(
    readdirSync('/proc')
      .filter(isPid)
      .map((pid) => [pid, readProcess(pid)]),
  );
  const isDescendant = (pid) => {
    for (let at = pid; processes.get(at) !== undefined; at = processes.get(at).parent)
      if (at === String(process.pid)) return true;
    return false;
  };
  const usedMs = Object.fromEntries(PROCESS_KINDS.map(([name]) => [name, 0]));
  for (const [pid, found] of processes) {
    const kind = found && PROCESS_KINDS.find(([, pattern]) => pattern.test(found.command));
    if (kind !== undefined && isDescendant(pid)) usedMs[kind[0]] += found.ms;
  }
  return usedMs;
}

const isPid = (name) => /^\d+$/.test(name);

/** Returns undefined if the process has ended meanwhile. */
function readProcess(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The process name comes first, in parentheses, and may contain any character.
    const [, parent, , , , , , , , , , userTicks, systemTicks] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return { parent, command, ms: (Number(userTicks) + Number(systemTicks)) * TICK_MS };
  } catch {
    return undefined;
  }
}

/**
 * Runs `work` and returns its result. With /proc, the result also has `cpu`: the CPU time in milliseconds that each
 * kind of process used meanwhile.
 */
export async function withCpu(work) {
  if (!isCpuAvailable) return work();
  const before = cpuMs();
  const result = await work();
  const after = cpuMs();
  return {
    ...result,
    cpu: Object.fromEntries(PROCESS_KINDS.map(([name]) => [name, after[name] - before[name]])),
  };
}
