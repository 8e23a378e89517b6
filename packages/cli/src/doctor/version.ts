import { type Finding, fail, ok } from './check.js';

const NODE_MIN = [20, 19] as const;

/** Checks the Node version. @param version the value of `process.versions.node` */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isSupported = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  if (isSupported) return ok('node', version);
  return fail('node', `${version} is too old`, `Install Node ${NODE_MIN.join('.')} or later.`);
}
