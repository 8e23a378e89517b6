import { Redis } from 'ioredis';

export interface SubscriberHandler {
  onMessage(channel: string, message: string): void;
  /**
   * Called after each SUBSCRIBE: the first one, and the one after each lost connection. Messages that were published
   * before this call may be missing.
   */
  onSubscribed?(channel: string): void;
  onError(error: unknown): void;
}

/**
 * Keeps channels subscribed over one connection, which reconnects after every loss. The resubscription of ioredis is
 * disabled. Channels are subscribed only once the connection is ready. ioredis would send an earlier SUBSCRIBE before
 * its ready check; the check would then fail and close the connection.
 */
export class RedisSubscriber {
  private readonly redis: Redis;
  private readonly requested = new Set<string>();

  /** @param name operators see it as the connection's name */
  constructor(
    redisUrl: string,
    name: string,
    private readonly handler: SubscriberHandler,
  ) {
    this.redis = new Redis(redisUrl, {
      connectionName: name,
      maxRetriesPerRequest: null,
      autoResubscribe: false,
    });
    this.redis.on('error', (error) => handler.onError(error));
    this.redis.on('message', (channel, message) => handler.onMessage(channel, message));
    this.redis.on('ready', () => {
      for (const channel of this.requested) this.sendSubscribe(channel);
    });
  }

  subscribe(channel: string): void {
    this.requested.add(channel);
    if (this.redis.status === 'ready') this.sendSubscribe(channel);
  }

  unsubscribe(channel: string): void {
    this.requested.delete(channel);
    if (this.redis.status === 'ready') this.sendUnsubscribe(channel);
  }

  close(): void {
    this.requested.clear();
    this.redis.disconnect();
  }

  private sendSubscribe(channel: string): void {
    const onSubscribed = () => {
      // `unsubscribe` may have been called before the subscription was confirmed.
      if (this.requested.has(channel)) this.handler.onSubscribed?.(channel);
      else if (this.redis.status === 'ready') this.sendUnsubscribe(channel);
    };
    this.redis.subscribe(channel).then(onSubscribed).catch(this.handler.onError);
  }

  private sendUnsubscribe(channel: string): void {
    this.redis.unsubscribe(channel).catch(this.handler.onError);
  }
}
