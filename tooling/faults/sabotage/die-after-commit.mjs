/**
 * No defence is taken away here: the process ends as by `kill -9` at the one moment that matters, after the commit of a
 * request and before its answer, once it has served DIE_AFTER_COMMITS requests.
 */
import { builtModule } from './built-module.mjs';

const { CommandRunner } = await builtModule('packages/core/dist/index.js');
const { run } = CommandRunner.prototype;
let left = Number(process.env.DIE_AFTER_COMMITS);

/** @param {...unknown} given */
CommandRunner.prototype.run = async function runOnce(...given) {
  const value = await run.apply(this, given);
  left--;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
  return value;
};
