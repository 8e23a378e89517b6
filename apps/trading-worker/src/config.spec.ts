import { randomBytes } from 'node:crypto';
import { ConfigError, readConfig } from '@trading-automation/runtime';
import { configSchema } from './config.js';

const environmentWith = (changes: Record<string, string>) => ({
  WORLD: 'test',
  DATABASE_URL: 'postgres://db/x',
  REDIS_URL: 'redis://cache',
  EXCHANGE_OPENING_KEYS: `0123456789abcdef.${randomBytes(32).toString('base64url')}`,
  ...changes,
});
const venueAt = (url: string) =>
  JSON.stringify([{ id: 'paper', name: 'Paper', adapter: 'binance', tradingTypes: ['spot'], url }]);

function problemsOf(changes: Record<string, string>): readonly string[] {
  try {
    readConfig(configSchema, environmentWith(changes));
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

it('a venue with an http URL is refused in the live world, because requests carry the keys of users', () => {
  const VENUES = venueAt('http://127.0.0.1:4000');
  expect(problemsOf({ VENUES })).toEqual([]);
  expect(problemsOf({ VENUES, WORLD: 'live' })).toEqual(['VENUES: url must be https in the live world']);
  expect(problemsOf({ VENUES: venueAt('https://paper.example'), WORLD: 'live' })).toEqual([]);
});

it('an opening key of one repeated byte is refused', () => {
  const EXCHANGE_OPENING_KEYS = `0123456789abcdef.${Buffer.alloc(32, 3).toString('base64url')}`;
  expect(problemsOf({ VENUES: venueAt('https://paper.example'), EXCHANGE_OPENING_KEYS })).toEqual([
    'EXCHANGE_OPENING_KEYS: a private key repeats its bytes; generate a new key pair',
  ]);
});
