/** Removes no defence: the queue's locks on jobs last 2 s instead of 10 s, to shorten the test. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../launch/paths.mjs';

const { Worker } = createRequire(join(root, 'apps', 'webhook-dispatcher', 'package.json'))('bullmq');
const { run } = Worker.prototype;

Worker.prototype.run = function runWithShortLocks() {
  Object.assign(this.opts, { lockDuration: 2_000, lockRenewTime: 1_000, stalledInterval: 1_000 });
  Object.assign(this.lockManager.opts, { lockDuration: 2_000, lockRenewTime: 1_000 });
  return run.call(this);
};
