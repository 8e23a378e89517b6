/** No defence is taken away here: the dispatcher fans out and sends nothing, so that what its end does to the relay shows alone. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../launch/paths.mjs';

const { Worker } = createRequire(join(root, 'apps', 'webhook-dispatcher', 'package.json'))('bullmq');
Worker.prototype.run = async () => undefined;
