import { Redis } from 'ioredis';

export interface SubscriberHandler {
  onMessage(channel: string, text: string): void;
  /** What was told before this moment was not heard: told at the start, and after each connection that was lost. */
  onSubscribed?(channel: string): void;
  onError(error: unknown): void;
}

/**
 * Channels that are heard for as long as they are wanted, over one connection that is made again whenever it is lost.
 * The client library is kept from subscribing by itself: what it is asked before a connection is ready goes out ahead of
 * its own check of the server, which fails then, and the subscription is lost with that connection.
 */
export class RedisSubscriber {
  private readonly redis: Redis;
  private readonly wanted = new Set<string>();

  /** `name` is for operators. */
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
    this.redis.on('message', (channel, text) => listener.onMessage(channel, text));
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
    const heard = () => {
      // It may have been left while the connection was away.
      if (this.wanted.has(channel)) this.listener.onSubscribed?.(channel);
      else if (this.redis.status === 'ready') this.sendUnsubscribe(channel);
    };
    this.redis.subscribe(channel).then(heard).catch(this.listener.onError);
  }

  private sendUnsubscribe(channel: string): void {
    this.redis.unsubscribe(channel).catch(this.listener.onError);
  }
}
