import { UsageError } from '../failures.js';
import { baseURLOf, settingsOf } from './settings.js';

const file = {
  default_profile: 'home',
  profiles: {
    home: { base_url: 'http://home:1', graphql_url: 'http://home:2', world: 'live' as const },
    away: { base_url: 'http://away:1' },
  },
};

it('prefers a flag over the environment, and the environment over the profile', () => {
  const variables = { SVC_BASE_URL: 'http://environment:1', SVC_PROFILE: 'away' };
  expect(settingsOf({ baseUrl: 'http://flag:1' }, variables, file).baseURL).toBe('http://flag:1');
  expect(settingsOf({}, variables, file).baseURL).toBe('http://environment:1');
  expect(settingsOf({}, {}, file).baseURL).toBe('http://home:1');
  expect(settingsOf({}, { SVC_PROFILE: 'away' }, file).baseURL).toBe('http://away:1');
  expect(settingsOf({ profile: 'home' }, { SVC_PROFILE: 'away' }, file)).toMatchObject({
    profile: 'home',
    graphqlURL: 'http://home:2',
  });
});

it('derives the world from the API key, or else from the profile', () => {
  expect(settingsOf({}, {}, file).world).toBe('live');
  expect(settingsOf({}, { SVC_API_KEY: 'svc_test_abc' }, file).world).toBe('test');
  expect(settingsOf({ profile: 'away' }, {}, file).world).toBeUndefined();
});

it('selects JSON output with --json, its fields with --json=fields, and JSON output with --jq', () => {
  expect(settingsOf({}, {}, file).json).toBeUndefined();
  expect(settingsOf({ json: true }, {}, file).json).toEqual([]);
  expect(settingsOf({ json: 'id,fee.amount' }, {}, file).json).toEqual(['id', 'fee.amount']);
  expect(settingsOf({ jq: '.id' }, {}, file).json).toEqual([]);
});

it.each([
  ['10s', 10_000],
  ['10', 10_000],
  ['500ms', 500],
  ['1.5m', 90_000],
])('parses the timeout %s', (timeout, ms) => {
  expect(settingsOf({ timeout }, {}, file).timeoutMs).toBe(ms);
});

it.each([
  [{ timeout: '0' }],
  [{ timeout: 'soon' }],
  [{ limit: '0' }],
  [{ limit: '1.5' }],
  [{ limit: '3', all: true }],
  [{ quiet: true, verbose: true }],
])('rejects %j', (options) => {
  expect(() => settingsOf(options, {}, file)).toThrow(UsageError);
});

it('rejects a missing base URL', () => {
  expect(() => baseURLOf(settingsOf({}, {}, { profiles: {} }))).toThrow(UsageError);
});
