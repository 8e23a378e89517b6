import { createHash } from 'node:crypto';
import { rateLimitsSchema } from '@trading-automation/core/access';
import { withdrawalSettingsOf } from '@trading-automation/core/withdrawals';
import { ConfigError, readConfig } from '@trading-automation/runtime';
import { configSchema } from './config.js';

const serverKey = (label: string) => createHash('sha256').update(label).digest('base64url');
const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const complete = {
  WORLD: 'test',
  DATABASE_URL: 'postgres://localhost/x',
  REDIS_URL: 'redis://localhost',
  SERVER_KEYS: `${serverKey('current')}, ${serverKey('former')}`,
  EXCHANGE_SEALING_KEY: '00000000000000a1.public',
  WEBHOOK_SEALING_KEY: '00000000000000b2.public',
};
const problemsOf = (environment: Record<string, string>) => {
  try {
    readConfig(configSchema, environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

describe('the configuration', () => {
  it('uses defaults for all settings except those in `complete`', () => {
    expect(readConfig(configSchema, complete)).toEqual({
      ...complete,
      HOST: '127.0.0.1',
      PORT: 0,
      SERVER_KEYS: ['current', 'former'].map((label) => createHash('sha256').update(label).digest()),
      EXCHANGE_SEALING_KEY: { id: '00000000000000a1', publicKey: 'public' },
      WEBHOOK_SEALING_KEY: { id: '00000000000000b2', publicKey: 'public' },
      OPEN_REGISTRATION: false,
      WEBHOOK_ALLOW_LOOPBACK: false,
      TRUSTED_PROXIES: [],
      CORS_ORIGINS: [],
      RATE_LIMITS: rateLimitsSchema.parse({}),
      STREAMS_PER_USER: 15,
      WITHDRAWAL_FEE: '0',
      WITHDRAWAL_DENIED_ADDRESSES: [],
      LOG_LEVEL: 'info',
      COMMIT: 'unknown',
    });
  });

  it('is rejected without required settings, and the error names each of them', () => {
    expect(problemsOf({}).map((problem) => problem.split(':')[0])).toEqual(Object.keys(complete));
  });

  it.each([
    ['WORLD', 'both'],
    ['SERVER_KEYS', ' , '],
    ['SERVER_KEYS', Buffer.from('short').toString('base64url')],
    ['SERVER_KEYS', `${serverKey('current')},x`],
    ['SERVER_KEYS', Buffer.from(serverKey('current'), 'base64url').subarray(1).toString('base64url')],
    ['SERVER_KEYS', `${serverKey('current')},${serverKey('current')}A`],
    ['SERVER_KEYS', Buffer.alloc(32).toString('base64url')],
    ['SERVER_KEYS', Buffer.alloc(32, 0x5a).toString('base64url')],
    ['SERVER_KEYS', Buffer.alloc(32, 'secret').toString('base64url')],
    ['SERVER_KEYS', `${serverKey('current')},${Buffer.alloc(32, 1).toString('base64url')}`],
    ['TRUSTED_PROXIES', '0.0.0.0/0'],
    ['TRUSTED_PROXIES', '10.0.0.1,::/0'],
    ['TRUSTED_PROXIES', '128.0.0.0/1'],
    ['EXCHANGE_SEALING_KEY', 'nopoint'],
    ['WEBHOOK_SEALING_KEY', 'a.b.c'],
    ['OPEN_REGISTRATION', 'yes'],
    ['TRUSTED_PROXIES', '10.0.0.0/8, proxy.local'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['CORS_ORIGINS', 'app.example.com'],
    ['CORS_ORIGINS', 'https://app.example.com/'],
    ['CORS_ORIGINS', 'https://app.example.com,*'],
    ['CORS_ORIGINS', 'file://x'],
    ['RATE_LIMITS', 'off'],
    ['RATE_LIMITS', '{"general":{"requests":0,"seconds":60}}'],
    ['PORT', '65536'],
    ['WITHDRAWAL_FEE', '-1'],
    ['WITHDRAWAL_FEE', 'free'],
    ['WITHDRAWAL_ADDRESS_HOLD_HOURS', '-1'],
    ['WITHDRAWAL_DAILY_LIMIT', '0'],
    ['WITHDRAWAL_TOKEN_ADDRESS', '0x1'],
    ['STREAMS_PER_USER', '0'],
    ['PUBLIC_URL', 'https://api.example.com/v1'],
    ['PUBLIC_URL', 'api.example.com'],
    ['LOG_LEVEL', 'loud'],
  ])('is rejected with %s=%s, and the error does not repeat the value', (name, value) => {
    const problems = problemsOf({ ...complete, [name]: value });
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([name]);
    expect(problems[0]).not.toContain(`${value}"`);
  });

  it('accepts IP addresses and ranges as trusted proxies', () => {
    const { TRUSTED_PROXIES } = readConfig(configSchema, {
      ...complete,
      TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,::1',
    });
    expect(TRUSTED_PROXIES).toEqual(['127.0.0.1', '10.0.0.0/8', '::1']);
  });

  it('accepts CORS origins as browsers send them, or * for all', () => {
    const originsOf = (CORS_ORIGINS: string) =>
      readConfig(configSchema, { ...complete, CORS_ORIGINS }).CORS_ORIGINS;
    expect(originsOf('https://app.example.com, http://127.0.0.1:3000')).toEqual([
      'https://app.example.com',
      'http://127.0.0.1:3000',
    ]);
    expect(originsOf('*')).toEqual(['*']);
  });

  it('is rejected in the live world if it allows loopback webhooks', () => {
    const environment = { ...complete, WEBHOOK_ALLOW_LOOPBACK: 'true' };
    expect(problemsOf(environment)).toEqual([]);
    const live = {
      ...environment,
      WORLD: 'live',
      PUBLIC_URL: 'https://api.example.com',
      WITHDRAWAL_DAILY_LIMIT: '1000',
    };
    expect(problemsOf(live)).toEqual(['WEBHOOK_ALLOW_LOOPBACK: must be off in the live world']);
  });

  it('requires PUBLIC_URL and WITHDRAWAL_DAILY_LIMIT in the live world', () => {
    const live = { ...complete, WORLD: 'live' };
    expect(problemsOf(live)).toEqual(['WITHDRAWAL_DAILY_LIMIT: is required', 'PUBLIC_URL: is required']);
    const settings = { PUBLIC_URL: 'https://api.example.com', WITHDRAWAL_DAILY_LIMIT: '1000' };
    expect(problemsOf({ ...live, ...settings })).toEqual([]);
  });

  it.each([
    ['live', {}, { holdHours: 24, dailyLimit: '1000' }],
    ['test', {}, { holdHours: 0, dailyLimit: '1000' }],
    ['live', { WITHDRAWAL_ADDRESS_HOLD_HOURS: '48' }, { holdHours: 48 }],
    [
      'test',
      {
        WITHDRAWAL_DENIED_ADDRESSES: `${WALLET}, ${WALLET.toLowerCase()}`,
        WITHDRAWAL_TREASURY_ADDRESS: WALLET,
      },
      { deniedAddresses: [WALLET, WALLET.toLowerCase()], treasuryAddress: WALLET, tokenAddress: null },
    ],
  ])('sets the policy of withdrawals in the %s world with %j', (WORLD, settings, policy) => {
    const environment = {
      ...complete,
      WORLD,
      PUBLIC_URL: 'https://api.example.com',
      WITHDRAWAL_DAILY_LIMIT: '1000',
      ...settings,
    };
    const config = readConfig(configSchema, environment);
    expect(withdrawalSettingsOf(config).policy).toMatchObject({ world: WORLD, ...policy });
  });

  it('is rejected in the live world if PUBLIC_URL is http, and accepted in the test world', () => {
    const environment = { ...complete, PUBLIC_URL: 'http://api.example.com' };
    expect(problemsOf(environment)).toEqual([]);
    expect(problemsOf({ ...environment, WORLD: 'live', WITHDRAWAL_DAILY_LIMIT: '1000' })).toEqual([
      'PUBLIC_URL: must be https in the live world',
    ]);
  });
});
