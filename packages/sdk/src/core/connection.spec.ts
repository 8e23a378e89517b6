import { RESPONSE_TIME_MAX_MS } from '@trading-automation/contracts';
import { createSigner, generatePrivateKey } from '../signer/index.js';
import { type ClientOptions, resolveConnection } from './connection.js';
import { type LogLevel, leveled } from './log.js';

const KEY = `svc_test_${'0'.repeat(43)}`;
const VARIABLES = ['SVC_API_KEY', 'SVC_BASE_URL', 'SVC_GRAPHQL_URL', 'SVC_LOG'];
const originalEnvironment = { ...process.env };
beforeEach(() => {
  for (const name of VARIABLES) delete process.env[name];
});
afterAll(() => {
  Object.assign(process.env, originalEnvironment);
});

const quiet: ClientOptions = { baseURL: 'https://api.example.com', logLevel: 'off' };
const request = { method: 'GET', path: '/v1/me', body: '', nowMs: 0 };
const credentials = (options: ClientOptions) =>
  resolveConnection({ ...quiet, ...options }).authorize(request);

describe('an origin', () => {
  it.each([
    ['http://127.0.0.1:4000', 'http://127.0.0.1:4000'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['HTTPS://API.example.com:443', 'https://api.example.com'],
  ])('%s is normalized to %s', (baseURL, origin) => {
    const connection = resolveConnection({ ...quiet, baseURL });
    expect([connection.baseURL, connection.graphqlURL]).toEqual([origin, origin]);
  });

  it.each([
    'api.example.com',
    'https://api.example.com/v1',
    'https://api.example.com?a=1',
    'https://api.example.com/?',
    'https://api.example.com/#',
    'https://user@api.example.com',
    'https://user:word@api.example.com',
    'ftp://api.example.com',
    'file:///etc',
    'javascript:1',
    ' ',
  ])('%j is invalid for REST and for GraphQL', (invalid) => {
    expect(() => resolveConnection({ ...quiet, baseURL: invalid })).toThrow(/^baseURL must be an origin/);
    expect(() => resolveConnection({ ...quiet, graphqlURL: invalid })).toThrow(
      /^graphqlURL must be an origin/,
    );
  });

  it('is required as an option or in the environment', () => {
    expect(() => resolveConnection({})).toThrow(
      'baseURL is missing. Set it, or the environment variable SVC_BASE_URL',
    );
    process.env.SVC_BASE_URL = 'https://rest.example.com';
    process.env.SVC_GRAPHQL_URL = 'https://graphql.example.com';
    const { baseURL, graphqlURL } = resolveConnection({});
    expect([baseURL, graphqlURL]).toEqual(['https://rest.example.com', 'https://graphql.example.com']);
  });
});

describe('a credential', () => {
  it('is the API key of the options, or else that of the environment, and may be missing', async () => {
    expect(await credentials({})).toEqual({});
    process.env.SVC_API_KEY = KEY;
    expect(await credentials({})).toEqual({ 'x-api-key': KEY });
    expect(await credentials({ apiKey: 'svc_test_other' })).toEqual({ 'x-api-key': 'svc_test_other' });
    expect(await credentials({ apiKey: null })).toEqual({});
  });

  it("is only the signer's signature, even if the environment has an API key", async () => {
    process.env.SVC_API_KEY = KEY;
    const signer = createSigner(generatePrivateKey());
    expect(Object.keys(await credentials({ signer }))).toEqual([
      'x-svc-pubkey',
      'x-svc-timestamp',
      'x-svc-nonce',
      'x-svc-sig',
    ]);
  });

  it('cannot be both an API key and a signer', () => {
    const signer = createSigner(generatePrivateKey());
    expect(() => resolveConnection({ ...quiet, apiKey: KEY, signer })).toThrow(TypeError);
  });

  it('is trimmed and must not be empty', async () => {
    expect(await credentials({ apiKey: `${KEY}\n` })).toEqual({ 'x-api-key': KEY });
    for (const apiKey of ['', ' ', '\n'])
      expect(() => resolveConnection({ ...quiet, apiKey })).toThrow(TypeError);
  });
});

describe('the warning about unencrypted credentials', () => {
  const warnings = (options: ClientOptions) => {
    const messages: string[] = [];
    const warn = (message: string) => messages.push(message);
    resolveConnection({ ...quiet, logLevel: 'warn', logger: { ...console, warn }, ...options });
    return messages;
  };

  it.each([
    'http://api.example.com',
    'http://10.0.0.7:4000',
    'http://localhost.example.com',
    'http://127.example.com',
  ])('is logged for %s', (baseURL) => {
    expect(warnings({ baseURL, apiKey: KEY })).toEqual([
      `${new URL(baseURL).origin} is not encrypted: the network can read the credentials. Use https.`,
    ]);
  });

  it.each([
    'http://127.0.0.1:4000',
    'http://127.9.9.9',
    'http://localhost:4000',
    'http://api.localhost',
    'http://[::1]:4000',
    'https://api.example.com',
  ])('is not logged for %s, which is local or encrypted', (baseURL) => {
    expect(warnings({ baseURL, apiKey: KEY })).toEqual([]);
  });

  it('is also logged for GraphQL, but not without credentials', () => {
    expect(warnings({ apiKey: KEY, graphqlURL: 'http://graphql.example.com' })).toHaveLength(1);
    expect(warnings({ baseURL: 'http://api.example.com' })).toEqual([]);
  });
});

describe('the validation of options', () => {
  it.each([
    { timeout: 0 },
    { timeout: -1 },
    { timeout: Number.NaN },
    { maxRetries: -1 },
    { maxRetries: 1.5 },
    { maxRetries: Number.POSITIVE_INFINITY },
  ])('throws a RangeError for %j', (options) => {
    expect(() => resolveConnection({ ...quiet, ...options })).toThrow(RangeError);
  });

  it('throws a TypeError for an unknown log level, as an option or in SVC_LOG', () => {
    expect(() => resolveConnection({ ...quiet, logLevel: 'loud' as never })).toThrow(TypeError);
    process.env.SVC_LOG = 'loud';
    expect(() => resolveConnection({ baseURL: 'https://api.example.com' })).toThrow(
      /^logLevel must be one of/,
    );
  });

  it('has a default timeout that is longer than the slowest response of an API', () => {
    expect(resolveConnection(quiet).timeout).toBeGreaterThan(RESPONSE_TIME_MAX_MS);
  });

  it('replaces an infinite timeout by the longest delay of a timer', () => {
    expect(resolveConnection({ ...quiet, timeout: Number.POSITIVE_INFINITY }).timeout).toBe(2 ** 31 - 1);
  });
});

describe('the headers of every request', () => {
  it("accept JSON with decimals in the client's form, and name the SDK", () => {
    expect([...resolveConnection(quiet).headers]).toEqual([
      ['accept', 'application/json'],
      ['user-agent', 'trading-automation-sdk/source'],
    ]);
    const withStrings = resolveConnection<'string'>({
      baseURL: 'https://api.example.com',
      decimals: 'string',
    });
    expect(withStrings.headers.get('accept')).toBe('application/json; decimals=string');
  });

  it('are overridden by defaultHeaders, regardless of upper and lower case', () => {
    const { headers } = resolveConnection({
      ...quiet,
      defaultHeaders: { 'User-Agent': 'mine/1', 'X-Trace': 'one' },
    });
    expect([headers.get('user-agent'), headers.get('x-trace')]).toEqual(['mine/1', 'one']);
  });

  it.each(['document', 'importScripts'])(
    'contain no user-agent in a browser, which has %s: a custom user-agent would need a preflight',
    (name) => {
      Object.assign(globalThis, { [name]: {} });
      try {
        expect(resolveConnection(quiet).headers.has('user-agent')).toBe(false);
      } finally {
        Reflect.deleteProperty(globalThis, name);
      }
    },
  );
});

describe('logging:', () => {
  const NAMES = ['error', 'warn', 'info', 'debug'] as const;

  it.each<[LogLevel, readonly string[]]>([
    ['off', []],
    ['error', ['error']],
    ['warn', ['error', 'warn']],
    ['info', ['error', 'warn', 'info']],
    ['debug', NAMES],
  ])('a logger with the level %s receives messages of that severity or higher', (level, expected) => {
    class RecordingLogger {
      readonly received: string[] = [];
      error = () => this.note('error');
      warn = () => this.note('warn');
      info = () => this.note('info');
      debug() {
        this.note('debug');
      }
      private note(name: string) {
        this.received.push(name);
      }
    }
    const logger = new RecordingLogger();
    for (const name of NAMES) leveled(logger, level)[name]('it happened');
    expect(logger.received).toEqual(expected);
  });
});
