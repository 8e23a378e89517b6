import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A Lua script that Redis runs atomically. */
export class RedisScript {
  private readonly sha1: string;

  constructor(private readonly source: string) {
    this.sha1 = createHash('sha1').update(source).digest('hex');
  }

  async run(
    redis: Redis,
    keys: readonly string[],
    args: readonly (string | number)[] = [],
  ): Promise<unknown> {
    try {
      return await redis.evalsha(this.sha1, keys.length, ...keys, ...args);
    } catch (error) {
      // A restarted Redis has an empty script cache.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return redis.eval(this.source, keys.length, ...keys, ...args);
    }
  }
}
