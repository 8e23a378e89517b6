/** Restores BullMQ's default maxStalledCount: a job whose worker has died twice fails and is not retried. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../launch/paths.mjs';

const { Worker } = createRequire(join(root, 'apps', 'webhook-dispatcher', 'package.json'))('bullmq');
const { run } = Worker.prototype;

Worker.prototype.run = function runWithDefault() {
  this.opts.maxStalledCount = 1;
  return run.call(this);
};
