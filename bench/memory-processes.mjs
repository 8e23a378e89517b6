/** Reads the memory of processes from Linux. */
import { readdirSync, readFileSync } from 'node:fs';

const KIB_PER_MIB = 1_024;

function childrenByParent() {
  const children = new Map();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
    } catch {
      // The process has ended.
    }
  }
  return children;
}

/** Returns the process ids of a process and all its descendants. */
export function treeOf(pid) {
  const children = childrenByParent();
  const tree = [pid];
  for (let i = 0; i < tree.length; i++) tree.push(...(children.get(tree[i]) ?? []));
  return tree;
}

/** Returns the first process whose command line matches. */
export function findProcess(pattern, among = process.pid) {
  for (const pid of treeOf(among)) {
    try {
      if (pattern.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))) return pid;
    } catch {
      // The process has ended.
    }
  }
  throw new Error(`no process matches ${pattern}`);
}

/**
 * Returns the anonymous memory of processes in MiB, each page divided by the number of processes that share it. Memory that
 * Postgres shares between all its processes (its buffers) is not anonymous, and its size is a setting.
 */
export function anonymousMib(pids) {
  let kib = 0;
  for (const pid of pids) {
    try {
      kib += Number(/^Pss_Anon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // The process has ended.
    }
  }
  return kib / KIB_PER_MIB;
}
