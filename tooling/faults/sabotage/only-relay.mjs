/** Removes no defence: the dispatcher only fans out and sends nothing, so that a kill affects only the relay. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../launch/paths.mjs';

const { Worker } = createRequire(join(root, 'apps', 'webhook-dispatcher', 'package.json'))('bullmq');
Worker.prototype.run = async () => undefined;
