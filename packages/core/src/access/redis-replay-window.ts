/**
 * The replay window that all processes share.
 *
 * 1. One atomic SET NX decides which of several equal requests is the first, across every process.
 * 2. Redis away, slow, or full means that nothing can be decided: 503, never accepted.
 * 3. The Redis behind it must not evict (`noeviction`) and must keep its log (AOF): a nonce that is forgotten within its
 *    window lets a request in twice.
 */
import { DomainError } from '@trading-automation/contracts';
import type { ReplayWindow } from '@trading-automation/signed-request';
import type { Redis } from 'ioredis';

export class RedisReplayWindow implements ReplayWindow {
  constructor(private readonly redis: Redis) {}

  async claim(publicKey: string, nonce: string, ttlMs: number): Promise<boolean> {
    try {
      return (await this.redis.set(`nonce:${publicKey}:${nonce}`, '1', 'PX', ttlMs, 'NX')) === 'OK';
    } catch (cause) {
      throw new DomainError('service_unavailable', undefined, [], { cause });
    }
  }
}
