import { createHash } from 'node:crypto';
import { rateLimitsSchema } from '@trading-automation/core/access';
import { ConfigError, readConfig } from '@trading-automation/runtime';
import { configSchema } from './config.js';

const serverKey = (label: string) => createHash('sha256').update(label).digest('base64url');
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

/** Settings that both APIs share are tested in the REST API. */
describe('the configuration', () => {
  it('requires only settings without a safe default', () => {
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
      SIGN_IN_PROVIDERS: {},
      GRAPHIQL: false,
      LOG_LEVEL: 'info',
      COMMIT: 'unknown',
    });
  });

  it('names every missing setting', () => {
    expect(problemsOf({}).map((problem) => problem.split(':')[0])).toEqual(Object.keys(complete));
  });

  it.each([
    ['PUBLIC_URL', 'https://api.example.com/v1'],
    ['PUBLIC_URL', 'api.example.com'],
    ['REST_PUBLIC_URL', 'https://api.example.com/'],
    ['GRAPHIQL', 'on'],
    ['PASSKEYS', 'here'],
    ['SIGN_IN_PROVIDERS', 'all'],
    ['OPEN_REGISTRATION', 'yes'],
  ])('rejects %s=%s without repeating the value', (name, value) => {
    const problems = problemsOf({ ...complete, [name]: value });
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([name]);
    expect(problems[0]).not.toContain(`${value}"`);
  });

  const origins = { PUBLIC_URL: 'https://graphql.example.com', REST_PUBLIC_URL: 'https://api.example.com' };

  it.each(['WEBHOOK_ALLOW_LOOPBACK', 'GRAPHIQL'])('rejects %s in the live world', (name) => {
    const environment = { ...complete, ...origins, [name]: 'true' };
    expect(problemsOf(environment)).toEqual([]);
    const live = { ...environment, WORLD: 'live', WITHDRAWAL_DAILY_LIMIT: '1000' };
    expect(problemsOf(live)).toEqual([`${name}: must be off in the live world`]);
  });

  it('requires PUBLIC_URL (issuer of tokens) and REST_PUBLIC_URL (origin of e-mail links) in the live world', () => {
    const live = { ...complete, WORLD: 'live', WITHDRAWAL_DAILY_LIMIT: '1000' };
    expect(problemsOf(live)).toEqual(['PUBLIC_URL: is required', 'REST_PUBLIC_URL: is required']);
    expect(problemsOf({ ...live, ...origins })).toEqual([]);
  });

  it.each([
    ['PUBLIC_URL', 'http://graphql.example.com', 'must be https in the live world'],
    ['REST_PUBLIC_URL', 'http://api.example.com', 'must be https in the live world'],
    [
      'PASSKEYS',
      '{"rpId": "localhost", "rpName": "Example", "origins": ["http://localhost:3000"]}',
      'origins must be https in the live world',
    ],
    [
      'SIGN_IN_PROVIDERS',
      '{"google": {"clientIds": ["app"], "issuer": "http://127.0.0.1:4000"}}',
      'URLs must be https in the live world',
    ],
  ])('rejects an http URL in %s in the live world alone', (name, value, message) => {
    const environment = { ...complete, ...origins, WITHDRAWAL_DAILY_LIMIT: '1000', [name]: value };
    expect(problemsOf(environment)).toEqual([]);
    expect(problemsOf({ ...environment, WORLD: 'live' })).toEqual([`${name}: ${message}`]);
  });
});
