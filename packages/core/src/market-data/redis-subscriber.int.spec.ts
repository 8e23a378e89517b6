import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { eventually } from '@trading-automation/runtime/testing';
import { Redis } from 'ioredis';
import { RedisSubscriber } from './redis-subscriber.js';

const redisUrl = process.env.TEST_REDIS_URL ?? '';

let name: string;
let redis: Redis;
let subscriber: RedisSubscriber;
let subscribedChannels: string[];
let messages: string[];
let errors: unknown[];
beforeEach(() => {
  name = `spec-${randomBytes(6).toString('hex')}`;
  redis = new Redis(redisUrl);
  [subscribedChannels, messages, errors] = [[], [], []];
  subscriber = new RedisSubscriber(redisUrl, name, {
    onMessage: (_, message) => messages.push(message),
    onSubscribed: (channel) => subscribedChannels.push(channel),
    onError: (error) => errors.push(error),
  });
});
afterEach(() => {
  subscriber.close();
  redis.disconnect();
});

/** The ioredis client inside the subscriber. */
const ioredisClient = () => (subscriber as unknown as { redis: Redis }).redis;
const subscriberCount = async (channel: string) =>
  ((await redis.pubsub('NUMSUB', channel)) as [string, number])[1];

describe('a Redis subscriber', () => {
  it('delivers messages of a channel that was subscribed while the connection opened, and keeps the connection', async () => {
    await once(ioredisClient(), 'connect');
    expect(ioredisClient().status).toBe('connect');
    subscriber.subscribe(`${name}:a`);
    await eventually(() => subscribedChannels.length === 1);
    expect(await redis.publish(`${name}:a`, 'one')).toBe(1);
    await eventually(() => messages.length === 1);
    expect(errors).toEqual([]);
  });

  it('resubscribes its channels after each reconnect, even if a connection was lost as soon as it opened', async () => {
    subscriber.subscribe(`${name}:a`);
    await eventually(() => subscribedChannels.length === 1);
    for (const moment of ['ready', 'connect', 'ready']) {
      const reconnected = once(ioredisClient(), moment);
      ioredisClient().disconnect(true);
      await reconnected;
    }
    ioredisClient().disconnect(true);
    await eventually(() => subscribedChannels.length >= 2);
    await eventually(async () => (await redis.publish(`${name}:a`, 'again')) === 1 && messages.length > 0);
    expect(messages).toContain('again');
  });

  it('applies, after a reconnect, the subscriptions and unsubscriptions requested while the connection was down', async () => {
    subscriber.subscribe(`${name}:a`);
    await eventually(() => subscribedChannels.length === 1);
    ioredisClient().disconnect(true);
    subscriber.unsubscribe(`${name}:a`);
    subscriber.subscribe(`${name}:b`);
    await eventually(() => subscribedChannels.includes(`${name}:b`));
    expect(await subscriberCount(`${name}:a`)).toBe(0);
    subscriber.unsubscribe(`${name}:b`);
    await eventually(async () => (await subscriberCount(`${name}:b`)) === 0);
  });

  it('does not report a channel that was unsubscribed before its subscription was confirmed, and unsubscribes it', async () => {
    await once(ioredisClient(), 'ready');
    subscriber.subscribe(`${name}:a`);
    subscriber.unsubscribe(`${name}:a`);
    subscriber.subscribe(`${name}:b`);
    await eventually(() => subscribedChannels.length > 0);
    expect([subscribedChannels, await subscriberCount(`${name}:a`)]).toEqual([[`${name}:b`], 0]);
  });
});
