/** Removes the reconnection: a lost connection to Redis is never opened again. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../launch/paths.mjs';

const requireOfDispatcher = createRequire(join(root, 'apps', 'webhook-dispatcher', 'package.json'));
const { Redis } = requireOfDispatcher('ioredis');
const { connect } = Redis.prototype;

/** @this {import('ioredis').Redis} */
Redis.prototype.connect = function connectOnce(/** @type {unknown[]} */ ...values) {
  this.options.retryStrategy = () => null;
  this.options.reconnectOnError = null;
  return connect.apply(this, values);
};
