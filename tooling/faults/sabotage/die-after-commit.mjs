/**
 * Removes no defence. The process kills itself with SIGKILL between the commit of a request and its response, once it has
 * served DIE_AFTER_COMMITS requests.
 */
import { builtModule } from './built-module.mjs';

const { CommandRunner } = await builtModule('packages/core/dist/index.js');
const { run } = CommandRunner.prototype;
let commitsLeft = Number(process.env.DIE_AFTER_COMMITS);

/** @param {...unknown} args */
CommandRunner.prototype.run = async function runOnce(...args) {
  const value = await run.apply(this, args);
  commitsLeft--;
  if (commitsLeft === 0) process.kill(process.pid, 'SIGKILL');
  return value;
};
