import { Redis } from 'ioredis';

export interface SubscriberHandler {
  onMessage(channel: string, message: string): void;
  /**
   * Called after each subscribe: the first one, and one after each lost connection. Messages published before this call
   * may be missed.
   */
  onSubscribed?(channel: string): void;
  onError(error: unknown): void;
}

/**
 * Keeps channels subscribed over one connection, which reconnects after every loss. The client library's own
 * resubscription is disabled. Channels are subscribed only once the connection is ready: the library would send an
 * earlier command before its check of the server, the check would fail, and the connection would be lost.
 */
export class RedisSubscriber {
  private readonly redis: Redis;
  private readonly wanted = new Set<string>();

  /** `name` is the connection name that operators see. */
  constructor(
    redisUrl: string,
    name: string,
    private readonly listener: SubscriberHandler,
  ) {
    this.redis = new Redis(redisUrl, {
      connectionName: name,
      maxRetriesPerRequest: null,
      autoResubscribe: false,
    });
    this.redis.on('error', (error) => listener.onError(error));
    this.redis.on('message', (channel, message) => listener.onMessage(channel, message));
    this.redis.on('ready', () => {
      for (const channel of this.wanted) this.sendSubscribe(channel);
    });
  }

  subscribe(channel: string): void {
    this.wanted.add(channel);
    if (this.redis.status === 'ready') this.sendSubscribe(channel);
  }

  unsubscribe(channel: string): void {
    this.wanted.delete(channel);
    if (this.redis.status === 'ready') this.sendUnsubscribe(channel);
  }

  close(): void {
    this.wanted.clear();
    this.redis.disconnect();
  }

  private sendSubscribe(channel: string): void {
    const onSubscribed = () => {
      // The channel may have been unsubscribed while the connection was down.
      if (this.wanted.has(channel)) this.listener.onSubscribed?.(channel);
      else if (this.redis.status === 'ready') this.sendUnsubscribe(channel);
    };
    this.redis.subscribe(channel).then(onSubscribed).catch(this.listener.onError);
  }

  private sendUnsubscribe(channel: string): void {
    this.redis.unsubscribe(channel).catch(this.listener.onError);
  }
}
