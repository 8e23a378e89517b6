/** Preloaded into a service: a connection to Redis that was lost is never made again. */
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
