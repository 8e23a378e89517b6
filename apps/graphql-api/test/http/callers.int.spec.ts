/** Tests authentication: signatures, access tokens, requests without credentials, and the rate limits of each. */
import { createHash, createHmac } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OperationsModule, PlatformModule } from '@trading-automation/core';
import {
  AccessModule,
  LocalBuckets,
  pickEngine,
  RateLimiter,
  rateLimitsSchema,
} from '@trading-automation/core/access';
import { SessionsService, SignInModule } from '@trading-automation/core/sign-in';
import { signRequest } from '@trading-automation/signed-request';
import { TestEnvironment } from '../../../rest-api/test/proofs/test-environment.js';
import { TestUser } from '../../../rest-api/test/proofs/test-user.js';
import { limitsOf } from '../../../rest-api/test/rate-limits.js';
import { JSON_TYPE, send } from '../../../rest-api/test/send.js';
import { createKeyPair, sendSigned } from '../../../rest-api/test/test-rest-api.js';
import {
  type GraphqlResponse,
  post,
  sendGraphql,
  startTestGraphqlApi,
  type TestGraphqlApi,
} from '../test-graphql-api.js';

const ME = JSON.stringify({ query: '{ me { id } }' });
const HEALTH = '{ health { status } }';

let environment: TestEnvironment;
let api: TestGraphqlApi;
let owner: TestUser;
let signInServices: INestApplicationContext;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  api = await startTestGraphqlApi(environment.api.databaseUrl);
  owner = await TestUser.create(environment);
  signInServices = await openSignInServices();
});
afterAll(async () => {
  await signInServices?.close();
  await api?.close();
  await environment?.close();
});

/** Opens the sign-in services on the database of the API, as a second process would. */
function openSignInServices(): Promise<INestApplicationContext> {
  const serverKeys = [createHash('sha256').update('server key').digest()] as const;
  const issuer = () => api.url;
  const buckets = { buckets: new LocalBuckets(), takeWithNonce: async () => null };
  const access = AccessModule.with({
    engine: pickEngine().engine,
    isRegistrationOpen: false,
    publicUrl: issuer,
    rateLimiter: new RateLimiter(rateLimitsSchema.parse({}), buckets),
  });
  class SignInTestModule {}
  const imports = [
    PlatformModule.with(environment.backend.platform),
    OperationsModule.with(environment.backend.platform, serverKeys),
    SignInModule.with({
      access,
      serverKeys,
      issuer,
      publicUrl: () => 'https://api.example.com',
      isRegistrationOpen: false,
      passkeys: undefined,
    }),
  ];
  return NestFactory.createApplicationContext({ module: SignInTestModule, imports }, { logger: false });
}

const accessToken = async () => {
  const { database } = environment.backend.platform;
  const tokens = await database.transaction((tx) =>
    signInServices.get(SessionsService).open(tx, owner.uuid, 'password'),
  );
  return tokens.accessToken;
};
const statusAndCode = ({ status, errors }: GraphqlResponse) => [status, errors?.[0]?.extensions.code];
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const signature = (body: string, more: object = {}) => ({
  ...signRequest({ method: 'POST', path: '/graphql', privateKey: owner.keyPair.privateKey, body, ...more }),
});

describe('a signed request', () => {
  it('is executed on behalf of its signer, by POST and by GET', async () => {
    expect((await post(api, ME, signature(ME))).data).toEqual({ me: { id: owner.id } });
    const target = `/graphql?query=${encodeURIComponent('{ me { id } }')}`;
    expect((await sendSigned(api, owner.keyPair, 'GET', target)).json.data).toEqual({ me: { id: owner.id } });
  });

  it('is accepted once', async () => {
    const headers = signature(ME);
    const responses = await Promise.all(Array.from({ length: 10 }, () => post(api, ME, headers)));
    const codes = responses.map(({ errors }) => errors?.[0]?.extensions.code ?? 'accepted');
    expect(codes.sort()).toEqual(['accepted', ...Array(9).fill('nonce_replayed')]);
  });

  it.each([
    ['another body', () => signature('{}'), 'invalid_signature'],
    ['a body in another spelling', () => signature(`${ME} `), 'invalid_signature'],
    ['another path', () => signature(ME, { path: '/graphql?' }), 'invalid_signature'],
    ['another method', () => signature(ME, { method: 'GET' }), 'invalid_signature'],
    [
      'a time over a minute ago',
      () => signature(ME, { nowMs: Date.now() - 61_000 }),
      'timestamp_out_of_window',
    ],
    [
      'a time over a minute ahead',
      () => signature(ME, { nowMs: Date.now() + 65_000 }),
      'timestamp_out_of_window',
    ],
    [
      'an unlinked key',
      () => signature(ME, { privateKey: createKeyPair().privateKey }),
      'unknown_public_key',
    ],
    ['missing headers', () => ({ 'x-svc-pubkey': owner.keyPair.publicKey }), 'invalid_signature_headers'],
    [
      'a wrong signature and a valid API key',
      () => ({ ...signature('{}'), 'x-api-key': owner.keyOf('ADMIN') }),
      'invalid_signature',
    ],
  ])('is rejected with %s', async (_what, headers, code) => {
    const response = await post(api, ME, headers() as unknown as Record<string, string>);
    expect(statusAndCode(response)).toEqual([401, code]);
    expect(response.headers['www-authenticate']).toBe('Bearer realm="api"');
  });

  it('by GET is rejected if its query is not the signed query', async () => {
    const [signed, sent] = ['a', 'b'].map(
      (name) => `/graphql?query=${encodeURIComponent(`{ ${name}: me { id } }`)}`,
    );
    const headers = signRequest({ method: 'GET', path: signed!, privateKey: owner.keyPair.privateKey });
    const { status } = await send(api, 'GET', sent!, { headers: { ...headers } });
    expect(status).toBe(401);
  });

  it('takes precedence over other credentials', async () => {
    const others = { 'x-api-key': owner.keyOf('READ'), ...bearer('nonsense') };
    expect((await post(api, ME, { ...signature(ME), ...others })).data).toEqual({ me: { id: owner.id } });
  });
});

describe('an API key', () => {
  it.each([
    ['as X-API-Key', () => ({ 'x-api-key': owner.keyOf('ADMIN') })],
    ['as Bearer', () => bearer(owner.keyOf('ADMIN'))],
    ['that is malformed', () => ({ 'x-api-key': 'x' })],
  ])('gets a specific error: %s', async (_how, headers) => {
    for (const text of [ME, JSON.stringify({ query: HEALTH })]) {
      const response = await post(api, text, headers());
      expect(statusAndCode(response)).toEqual([401, 'invalid_api_key']);
      expect(response.errors![0]!.message).toMatch(/API keys are for the REST API\. Sign/);
    }
  });

  it('in the query is rejected as exposed and not logged', async () => {
    const key = owner.keyOf('ADMIN');
    const { status, text } = await send(api, 'POST', `/graphql?api_key=${key}`, {
      body: ME,
      headers: JSON_TYPE,
    });
    expect([status, JSON.parse(text).errors[0].extensions.code]).toEqual([400, 'credential_in_query']);
    expect(text + api.log.join('')).not.toContain(key);
  });
});

describe('an access token', () => {
  it('identifies its user until its session ends', async () => {
    const token = await accessToken();
    expect((await post(api, ME, bearer(token))).data).toEqual({ me: { id: owner.id } });
    expect((await post(api, ME, { authorization: `bearer   ${token}` })).data).toEqual({
      me: { id: owner.id },
    });
    const sessions = signInServices.get(SessionsService);
    await sessions.revoke(await sessions.verify(token));
    expect(statusAndCode(await post(api, ME, bearer(token)))).toEqual([401, 'invalid_access_token']);
  });

  it('is rejected if it is forged, of another key, without an algorithm, or malformed', async () => {
    const token = await accessToken();
    const [head, claims, tokenSignature] = token.split('.') as [string, string, string];
    const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString());
    const hmacHead = base64({ alg: 'HS256', kid, typ: 'JWT' });
    const hmac = createHmac('sha256', kid).update(`${hmacHead}.${claims}`).digest('base64url');
    const otherClaims = {
      ...JSON.parse(Buffer.from(claims, 'base64url').toString()),
      sub: owner.id.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')),
    };
    const forged = [
      `${head}.${base64(otherClaims)}.${tokenSignature}`,
      `${head}.${claims}.${tokenSignature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`,
      `${base64({ alg: 'none', typ: 'JWT' })}.${claims}.`,
      `${hmacHead}.${claims}.${hmac}`,
      'x',
      'a.b.c',
    ];
    for (const forgedToken of forged)
      expect(statusAndCode(await post(api, ME, bearer(forgedToken)))).toEqual([401, 'invalid_access_token']);
  });

  it('is rejected after its session has expired', async () => {
    const token = await accessToken();
    await environment.rows(
      `UPDATE sessions SET expires_at = now() - interval '1 s' WHERE user_id = $1`,
      owner.uuid,
    );
    expect(statusAndCode(await post(api, ME, bearer(token)))).toEqual([401, 'invalid_access_token']);
  });

  it('is rejected if the request contains a second token', async () => {
    const headers = { ...JSON_TYPE, authorization: [`Bearer ${await accessToken()}`, 'Bearer other'] };
    const { status, text } = await send(api, 'POST', '/graphql', { body: ME, headers });
    expect([status, JSON.parse(text).errors[0].extensions.code]).toEqual([401, 'credentials_ambiguous']);
  });

  it('that is empty does not count as absent', async () => {
    const response = await post(api, JSON.stringify({ query: HEALTH }), { authorization: 'Bearer' });
    expect(statusAndCode(response)).toEqual([401, 'invalid_access_token']);
  });
});

describe('a request without credentials', () => {
  const execute = (text: string, headers = {}) => post(api, JSON.stringify({ query: text }), headers);

  it.each([
    [HEALTH, { health: { status: 'ok' } }],
    ['{ version { version } }', { version: { version: '1.2.3' } }],
    ['{ __typename }', { __typename: 'Query' }],
    ['{ cliChallenge { __typename } }', { cliChallenge: { __typename: 'CliChallenge' } }],
    [
      'query A { ...f } fragment f on Query { a: health { status __typename } }',
      { a: { status: 'ok', __typename: 'Health' } },
    ],
  ])('can execute %s', async (text, data) => {
    for (let use = 0; use < 3; use++) expect((await execute(text)).data).toEqual(data);
    expect((await execute(text, { authorization: 'Basic eDp5' })).data).toEqual(data);
  });

  it.each([
    '{ me { id } }',
    '{ health { status } me { id } }',
    '{ health: me { id } }',
    '{ ... { me { id } } }',
    '{ ... on Query @include(if: false) { me { id } } }',
    '{ ...f } fragment f on Query { ...g } fragment g on Query { health { status } me { id } }',
    '{ node(id: "x") { id } }',
    'mutation { deleteSetting(key: "x") { key } }',
    'mutation { verifyEmail(code: "x") { __typename } deleteSetting(key: "x") { key } }',
  ])('is rejected as a whole, without any effect, if it selects a protected field: %s', async (text) => {
    for (let use = 0; use < 3; use++) {
      const response = await execute(text);
      expect(statusAndCode(response)).toEqual([401, 'authentication_required']);
      expect(response.data).toBeUndefined();
    }
  });
});

describe('the limits', () => {
  const day = (requests: number) => ({ requests, seconds: 86_400 });
  let limited: TestGraphqlApi;
  beforeEach(async () => {
    const limits = limitsOf(day(4));
    limited = await startTestGraphqlApi(environment.api.databaseUrl, {
      RATE_LIMITS: JSON.stringify(limits),
      TRUSTED_PROXIES: '127.0.0.1',
    });
  });
  afterEach(() => limited.close());
  /** Returns an address that no other test uses. */
  const uniqueAddress = () => ({
    'x-forwarded-for': `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join('.')}`,
  });
  const remaining = ({ headers }: GraphqlResponse) =>
    Number(/"general";r=(\d+)/.exec(String(headers.ratelimit))?.[1]);

  it('of an IP address count requests without credentials and failed credentials, and are checked before credentials', async () => {
    const from = uniqueAddress();
    const health = JSON.stringify({ query: HEALTH });
    const responses = [
      await post(limited, health, from),
      await post(limited, ME, from),
      await post(limited, ME, { ...from, ...bearer('x') }),
      await post(limited, ME, { ...from, ...signature('{}') }),
      await post(limited, ME, { ...from, ...signature(ME) }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 401, 401, 401, 429]);
    expect(responses.slice(0, 4).map(remaining)).toEqual([3, 2, 1, 0]);
    expect(responses[0]!.headers['ratelimit-policy']).toBe('"general";q=4;w=86400');
  });

  it('of a credential count only its own requests, which do not count toward the IP address', async () => {
    const person = await TestUser.create(environment);
    const from = uniqueAddress();
    const readMe = () => sendGraphql(limited, person.keyPair, '{ me { id } }', from);
    const responses = [await readMe(), await readMe(), await readMe(), await readMe(), await readMe()];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
    expect(Number(responses[4]!.headers['retry-after'])).toBeGreaterThan(1);
    expect(responses[4]!.errors![0]!.extensions).toMatchObject({
      code: 'rate_limited',
      retry_after: Number(responses[4]!.headers['retry-after']),
    });
    expect(remaining(await post(limited, JSON.stringify({ query: HEALTH }), from))).toBe(3);
  });

  it('of a session count each of its requests', async () => {
    const from = uniqueAddress();
    const limitedToken = await tokenFor(limited);
    expect(remaining(await post(limited, ME, { ...from, ...bearer(limitedToken) }))).toBe(3);
    expect(remaining(await post(limited, ME, { ...from, ...bearer(limitedToken) }))).toBe(2);
  });
});

/** Opens a session whose access token names `other` as its issuer. An API accepts only tokens that it issued. */
async function tokenFor(other: TestGraphqlApi): Promise<string> {
  const before = api;
  api = other;
  try {
    return await accessToken();
  } finally {
    api = before;
  }
}
