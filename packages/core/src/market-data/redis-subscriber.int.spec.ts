import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { eventually } from '@trading-automation/runtime/testing';
import { Redis } from 'ioredis';
import { RedisSubscriber } from './redis-subscriber.js';

const redisUrl = process.env.TEST_REDIS_URL ?? '';

let name: string;
let redis: Redis;
let channels: RedisSubscriber;
let subscribedChannels: string[];
let messages: string[];
let errors: unknown[];
beforeEach(() => {
  name = `spec-${randomBytes(6).toString('hex')}`;
  redis = new Redis(redisUrl);
  [subscribedChannels, messages, errors] = [[], [], []];
  channels = new RedisSubscriber(redisUrl, name, {
    onMessage: (_, message) => messages.push(message),
    onSubscribed: (channel) => subscribedChannels.push(channel),
    onError: (error) => errors.push(error),
  });
});
afterEach(() => {
  channels.close();
  redis.disconnect();
});

/** The client library's connection of the subscriber. */
const connection = () => (channels as unknown as { redis: Redis }).redis;
const subscriberCount = async (channel: string) =>
  ((await redis.pubsub('NUMSUB', channel)) as [string, number])[1];

describe('Redis channels', () => {
  it('that are subscribed while the connection opens deliver messages, and the connection is not lost', async () => {
    await once(connection(), 'connect');
    expect(connection().status).toBe('connect');
    channels.subscribe(`${name}:a`);
    await eventually(() => subscribedChannels.length === 1);
    expect(await redis.publish(`${name}:a`, 'one')).toBe(1);
    await eventually(() => messages.length === 1);
    expect(errors).toEqual([]);
  });

  it('are resubscribed after each reconnect, even if a connection was lost as soon as it opened', async () => {
    channels.subscribe(`${name}:a`);
    await eventually(() => subscribedChannels.length === 1);
    for (const moment of ['ready', 'connect', 'ready']) {
      const reconnected = once(connection(), moment);
      connection().disconnect(true);
      await reconnected;
    }
    connection().disconnect(true);
    await eventually(() => subscribedChannels.length >= 2);
    await eventually(async () => (await redis.publish(`${name}:a`, 'again')) === 1 && messages.length > 0);
    expect(messages).toContain('again');
  });

  it('that were subscribed or unsubscribed while the connection was down are so after the reconnect', async () => {
    channels.subscribe(`${name}:a`);
    await eventually(() => subscribedChannels.length === 1);
    connection().disconnect(true);
    channels.unsubscribe(`${name}:a`);
    channels.subscribe(`${name}:b`);
    await eventually(() => subscribedChannels.includes(`${name}:b`));
    expect(await subscriberCount(`${name}:a`)).toBe(0);
    channels.unsubscribe(`${name}:b`);
    await eventually(async () => (await subscriberCount(`${name}:b`)) === 0);
  });

  it('that were unsubscribed before their subscription was confirmed deliver no messages', async () => {
    await once(connection(), 'ready');
    channels.subscribe(`${name}:a`);
    channels.unsubscribe(`${name}:a`);
    channels.subscribe(`${name}:b`);
    await eventually(() => subscribedChannels.length > 0);
    expect([subscribedChannels, await subscriberCount(`${name}:a`)]).toEqual([[`${name}:b`], 0]);
  });
});
