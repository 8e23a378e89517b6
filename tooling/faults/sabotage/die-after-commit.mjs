/**
 * Removes no defence. After DIE_AFTER_COMMITS commits, the process kills itself with SIGKILL, before it responds to the
 * request of the last commit.
 */
import { builtModule } from './built-module.mjs';

const { CommandRunner } = await builtModule('packages/core/dist/index.js');
const { run } = CommandRunner.prototype;
let commitsLeft = Number(process.env.DIE_AFTER_COMMITS);

/** @param {...unknown} args */
CommandRunner.prototype.run = async function runAndCount(...args) {
  const value = await run.apply(this, args);
  commitsLeft--;
  if (commitsLeft === 0) process.kill(process.pid, 'SIGKILL');
  return value;
};
