import { ConfigError, readConfig } from '@trading-automation/runtime';
import { configSchema } from './config.js';

const KEY = `k1:${'a'.repeat(64)}`;
const TEST = {
  WORLD: 'test',
  PUBLIC_URL: 'http://127.0.0.1:3000',
  REST_URL: 'http://127.0.0.1:4000',
  GRAPHQL_URL: 'http://127.0.0.1:4001',
  SESSION_KEYS: KEY,
};
const problemsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    readConfig(configSchema, environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

describe('the configuration of the dashboard', () => {
  it('is complete with the addresses, the world and one key', () => {
    expect(readConfig(configSchema, TEST)).toMatchObject({
      HOST: '127.0.0.1',
      OPEN_REGISTRATION: false,
      SESSION_KEYS: ['a'.repeat(64)],
    });
  });

  it.each(['0', '10001', '1.5', 'soon'])('refuses that pages wait %s ms for their data', (PAGE_WAIT_MS) => {
    expect(problemsOf({ ...TEST, PAGE_WAIT_MS })).toEqual([expect.stringContaining('PAGE_WAIT_MS')]);
    expect(readConfig(configSchema, { ...TEST, PAGE_WAIT_MS: '700' }).PAGE_WAIT_MS).toBe(700);
  });

  it('reads several keys, the one for new cookies first', () => {
    const SESSION_KEYS = `${KEY},k0:${'b'.repeat(64)}`;
    expect(readConfig(configSchema, { ...TEST, SESSION_KEYS }).SESSION_KEYS).toEqual([
      'a'.repeat(64),
      'b'.repeat(64),
    ]);
  });

  it.each(['a'.repeat(64), 'k1:abc', `${KEY},`, `k1:${'A'.repeat(64)}`])(
    'refuses the session keys %s',
    (SESSION_KEYS) => {
      expect(problemsOf({ ...TEST, SESSION_KEYS })).toEqual([
        'SESSION_KEYS: expected keys such as k1:<64 hex digits>, separated by commas',
      ]);
    },
  );

  it.each([
    [{ WORLD: 'live' }],
    [{ PUBLIC_URL: 'http://dashboard.example.com' }],
    [{ PUBLIC_URL: 'http://localhost.example.com' }],
  ])('refuses a dashboard without TLS: %j', (changes) => {
    expect(problemsOf({ ...TEST, ...changes })).toEqual([
      'PUBLIC_URL: must be https, except for a loopback address in the test world',
    ]);
  });

  it.each([
    [{ HOST: '0.0.0.0' }],
    [{ PUBLIC_URL: 'https://dashboard.example.com' }],
    [{ WORLD: 'live', PUBLIC_URL: 'https://127.0.0.1:3000' }],
  ])('refuses the sign-in as the demo account with %j', (changes) => {
    expect(problemsOf({ ...TEST, DEMO_API_KEY: 'svc_test_demo', ...changes })).toEqual([
      'DEMO_API_KEY: is allowed only in the test world, with HOST and PUBLIC_URL on loopback',
    ]);
    expect(problemsOf({ ...TEST, ...changes })).toEqual([]);
  });

  it('accepts the demo account in the test world on loopback', () => {
    const places: Record<string, string>[] = [
      {},
      { HOST: '::1', PUBLIC_URL: 'http://[::1]:3000' },
      { PUBLIC_URL: 'http://localhost:3000' },
    ];
    for (const changes of places)
      expect(problemsOf({ ...TEST, DEMO_API_KEY: 'svc_test_demo', ...changes })).toEqual([]);
  });
});
