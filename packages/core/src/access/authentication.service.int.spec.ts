import { createHash } from 'node:crypto';
import { type ApiKeyWithValue, DomainError, type Permission } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import { nobleEngine, publicKeyOf, signRequest } from '@trading-automation/signed-request';
import { Redis } from 'ioredis';
import type { Actor } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { CoreUnderTest } from '../testing/index.js';
import { issueApiKey } from './api-key.js';
import { ApiKeysService } from './api-keys.service.js';
import { Authentication, type IncomingRequest } from './authentication.service.js';
import { CredentialLookup } from './credential-lookup.service.js';
import { LastUsedRecorder } from './last-used-recorder.service.js';
import { NonceEpoch } from './nonce-epoch.js';
import { createRateLimitStore, RateLimiter } from './rate-limiter.js';
import { rateLimitsSchema } from './rate-limits.js';

const privateKey = (label: string) => createHash('sha256').update(label).digest();
const ADDRESS = '203.0.113.9';

let core: CoreUnderTest;
let keys: ApiKeysService;
let redis: Redis;
let authentication: TestAuthentication;
let actor: Actor;
let nonces: NonceEpoch;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  redis = new Redis(process.env.TEST_REDIS_URL!);
  keys = new ApiKeysService(core.platform, core.lists, core.commands);
  nonces = await NonceEpoch.open(core.platform.database, redis);
  authentication = authenticationOf(core.platform);
  await untilListening(core.platform);
});
afterAll(async () => {
  await nonces.close();
  redis.disconnect();
  await core.close();
});
beforeEach(async () => {
  actor = await core.keyPairActor();
});

type TestAuthentication = ReturnType<typeof authenticationOf>;

/** Creates an authentication as an API does: each request has its own limits. Nonces are recorded in `nonceRedis`. */
function authenticationOf(platform: Platform, nonceRedis = redis) {
  const limitsOf = new RateLimiter(
    rateLimitsSchema.parse({}),
    createRateLimitStore(nonceRedis, nonces),
  ).limitsFor(undefined);
  const authenticationService = new Authentication({
    platform,
    lookup: new CredentialLookup(platform),
    lastUsed: new LastUsedRecorder(platform),
    engine: nobleEngine,
  });
  return {
    authenticate: (incoming: IncomingRequest) =>
      authenticationService.authenticate(incoming, limitsOf(incoming.address)),
  };
}

/** Resolves once the listener receives notifications for all subscriptions that were made before this call. */
const untilListening = (platform: Platform) =>
  new Promise<void>((resolve) => {
    const unsubscribe = platform.listener.subscribe('core_spec', () => {
      unsubscribe();
      resolve();
    });
  });

const requestOf = (
  headers: Record<string, string>,
  more: Partial<IncomingRequest> = {},
): IncomingRequest => ({
  method: 'GET',
  target: '/v1/me',
  rawHeaders: Object.entries(headers).flat(),
  body: new Uint8Array(),
  address: ADDRESS,
  ...more,
});
const withKey = (key: string, more: Partial<IncomingRequest> = {}) => requestOf({ 'X-API-Key': key }, more);
const createKey = (more: { permissions?: Permission[]; ip_allowlist?: string[]; expires_at?: string } = {}) =>
  keys.create(actor, { name: 'key', permissions: ['READ', 'TRADE'], ip_allowlist: [], ...more });
const codeOf = async (incoming: IncomingRequest, authenticator = authentication) => {
  const outcome = await authenticator.authenticate(incoming).catch((error) => error);
  return outcome instanceof DomainError ? outcome.code : outcome;
};

/** Links a key pair to the account of `actor`. */
async function link(
  label: string,
): Promise<{ id: string; sign: (more?: Partial<IncomingRequest>) => IncomingRequest }> {
  const id = newUuid();
  await core.rows(
    'INSERT INTO public_keys (id, user_id, pubkey) VALUES ($1, $2, $3)',
    id,
    actor.userId,
    publicKeyOf(privateKey(label)),
  );
  return { id, sign: (more) => signed(label, more) };
}

function signed(
  label: string,
  more: Partial<IncomingRequest> & { nowMs?: number; nonce?: string } = {},
): IncomingRequest {
  const { nowMs, nonce, ...rest } = more;
  const { method, target: path, body } = requestOf({}, rest);
  const headers = signRequest({
    method,
    path,
    body,
    privateKey: privateKey(label),
    ...(nowMs === undefined ? {} : { nowMs }),
    ...(nonce === undefined ? {} : { nonce }),
  });
  return requestOf(headers, rest);
}

/** Returns the request with the value of one header changed. */
const withChangedHeader = (
  incoming: IncomingRequest,
  name: string,
  change: (value: string) => string,
): IncomingRequest => ({
  ...incoming,
  rawHeaders: incoming.rawHeaders.map((each, i) =>
    i % 2 === 1 && incoming.rawHeaders[i - 1] === name ? change(each) : each,
  ),
});

describe('an API key', () => {
  it('authenticates its user with its permissions, in either header, whatever the case of the header name', async () => {
    const { key, id } = await createKey({ permissions: ['READ', 'WITHDRAW'] });
    const expected = {
      userId: actor.userId,
      credential: { kind: 'api_key', id: expect.any(String), permissions: ['READ', 'WITHDRAW'] },
    };
    for (const headers of <Record<string, string>[]>[
      { 'X-API-Key': key },
      { 'x-api-key': ` ${key} ` },
      { Authorization: `Bearer ${key}` },
      { authorization: `bearer  ${key}` },
      { 'X-API-Key': key, Authorization: `Bearer ${key}` },
    ]) {
      expect(await authentication.authenticate(requestOf(headers))).toEqual(expected);
    }
    expect(id).toMatch(/^key_/);
  });

  it('is optional: a request without a key, or with another authorization scheme, has no caller (null)', async () => {
    expect(await authentication.authenticate(requestOf({}))).toBeNull();
    expect(await authentication.authenticate(requestOf({ Authorization: 'Basic eDp5' }))).toBeNull();
  });

  it('is rejected with the same error if it is unknown, mistyped, malformed or of the other world', async () => {
    const { key } = await createKey();
    const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    const errors: unknown[] = [];
    for (const text of [
      issueApiKey('test').key,
      mistyped,
      issueApiKey('live').key,
      'Bearer',
      '',
      'é',
      `${key}x`,
    ]) {
      errors.push(await authentication.authenticate(withKey(text)).catch((error) => error));
    }
    errors.push(await authentication.authenticate(requestOf({ Authorization: 'Bearer' })).catch((e) => e));
    for (const rejection of errors) {
      expect(rejection).toMatchObject({ code: 'invalid_api_key', details: [] });
      expect((rejection as Error).message).toBe((errors[0] as Error).message);
    }
  });

  it('is rejected if the request also carries a different API key', async () => {
    const [one, two] = [await createKey(), await createKey()];
    const both = { 'X-API-Key': one.key, Authorization: `Bearer ${two.key}` };
    expect(await codeOf(requestOf(both))).toBe('credentials_ambiguous');
    const twice = requestOf({}, { rawHeaders: ['X-API-Key', one.key, 'X-API-Key', two.key] });
    expect(await codeOf(twice)).toBe('credentials_ambiguous');
  });

  it('is rejected from its expiry time on, even if it is cached', async () => {
    const endsAt = Date.now() + 20_000;
    const expiry = { expires_at: new Date(endsAt).toISOString() };
    const [cachedKey, uncachedKey] = [await createKey(expiry), await createKey(expiry)];
    expect(await codeOf(withKey(cachedKey.key))).toMatchObject({ userId: actor.userId });
    const systemNow = Date.now;
    try {
      Date.now = () => endsAt;
      for (const { key } of [cachedKey, uncachedKey])
        expect(await codeOf(withKey(key))).toBe('invalid_api_key');
      Date.now = () => endsAt - 1;
      for (const { key } of [cachedKey, uncachedKey]) {
        expect(await codeOf(withKey(key))).toMatchObject({ userId: actor.userId });
      }
    } finally {
      Date.now = systemNow;
    }
  });

  it('is accepted only from the IP addresses on its allowlist', async () => {
    const { key } = await createKey({ ip_allowlist: ['203.0.113.0/28', '2001:db8::/32'] });
    for (const address of ['203.0.113.9', '::ffff:203.0.113.15', '2001:db8::5']) {
      expect(await codeOf(withKey(key, { address }))).toMatchObject({ userId: actor.userId });
    }
    for (const address of ['203.0.113.16', '::ffff:203.0.113.16', '2001:db9::5', 'unknown']) {
      expect(await codeOf(withKey(key, { address }))).toBe('ip_not_allowed');
    }
  });

  it('that is malformed or of the other world is rejected without a query; while the database is closed, any other key causes an internal error', async () => {
    const platform = await core.openSecondPlatform();
    const withoutDatabase = authenticationOf(platform);
    const { key } = await createKey();
    await platform.close();
    for (const text of ['svc_test_x', issueApiKey('live').key, `${key.slice(0, -1)}-`]) {
      expect(await codeOf(withKey(text), withoutDatabase)).toBe('invalid_api_key');
    }
    const failure = await withoutDatabase.authenticate(withKey(key)).catch((error) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(DomainError);
  });

  it('shows when it was last used', async () => {
    const { key } = await createKey();
    const list = { limit: 20, sort: 'created_at', order: 'desc', include: [] } as const;
    expect((await keys.list(actor, list)).items[0]?.last_used_at).toBeNull();
    await authentication.authenticate(withKey(key));
    await eventually(async () => (await keys.list(actor, list)).items[0]?.last_used_at !== null);
  });
});

describe('a cached credential', () => {
  /** Creates a second process that has cached the key. */
  async function secondProcess({ key }: ApiKeyWithValue) {
    const platform = await core.openSecondPlatform();
    const otherProcess = authenticationOf(platform);
    await untilListening(platform);
    expect(await codeOf(withKey(key), otherProcess)).toMatchObject({ userId: actor.userId });
    return { platform, otherProcess };
  }
  /** Changes the user's keys without a notification, so that old permissions reveal that a cache was used. */
  const changeSilently = () =>
    core.rows("UPDATE api_keys SET permissions = '{WITHDRAW}' WHERE user_id = $1", actor.userId);
  const permissionsAt = async (otherProcess: TestAuthentication, key: string) =>
    (await otherProcess.authenticate(withKey(key)))?.credential.permissions;

  it('is evicted by every process when it is revoked', async () => {
    await createKey({ permissions: ['ADMIN'] });
    const issued = await createKey();
    const { otherProcess } = await secondProcess(issued);
    await changeSilently();
    expect(await permissionsAt(otherProcess, issued.key)).toEqual(['READ', 'TRADE']);
    await core.rows("UPDATE api_keys SET permissions = '{ADMIN}' WHERE user_id = $1", actor.userId);
    await keys.revoke(actor, issued.id);
    await eventually(async () => (await codeOf(withKey(issued.key), otherProcess)) === 'invalid_api_key');
    expect(await codeOf(withKey(issued.key))).toBe('invalid_api_key');
  });

  it('is not used while the listener is stopped', async () => {
    const issued = await createKey();
    const { platform, otherProcess } = await secondProcess(issued);
    await platform.listener.stop();
    await changeSilently();
    expect(await permissionsAt(otherProcess, issued.key)).toEqual(['WITHDRAW']);
    await core.rows('UPDATE api_keys SET revoked_at = now() WHERE user_id = $1', actor.userId);
    expect(await codeOf(withKey(issued.key), otherProcess)).toBe('invalid_api_key');
  });

  it('is evicted when notifications resume after an interruption', async () => {
    const issued = await createKey();
    const { otherProcess } = await secondProcess(issued);
    await changeSilently();
    await core.rows(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
    );
    await eventually(async () => (await permissionsAt(otherProcess, issued.key))?.[0] === 'WITHDRAW');
    await untilListening(core.platform);
  });
});

describe('a signed request', () => {
  it('authenticates the user of its public key with ADMIN, even if it also carries an API key', async () => {
    const { id, sign } = await link('signed');
    const expected = {
      userId: actor.userId,
      credential: { kind: 'public_key', id, permissions: ['ADMIN'] },
    };
    expect(await authentication.authenticate(sign({ target: '/v1/trades?limit=1' }))).toEqual(expected);
    const posted = sign({ method: 'POST', target: '/v1/trades', body: Buffer.from('{"a":1}') });
    expect(await authentication.authenticate(posted)).toEqual(expected);
    const signedRequest = sign();
    const both = {
      ...signedRequest,
      rawHeaders: [...signedRequest.rawHeaders, 'x-api-key', issueApiKey('test').key],
    };
    expect(await authentication.authenticate(both)).toEqual(expected);
  });

  it('is rejected if its signature is invalid, even if it carries a valid API key', async () => {
    const { sign } = await link('beside');
    const { key } = await createKey();
    const broken = withChangedHeader(sign(), 'x-svc-sig', (sig) => sig.replace(/^.{8}/, '00000000'));
    expect(await codeOf({ ...broken, rawHeaders: [...broken.rawHeaders, 'x-api-key', key] })).toBe(
      'invalid_signature',
    );
  });

  it.each<[string, string, (sign: (more?: Partial<IncomingRequest>) => IncomingRequest) => IncomingRequest]>([
    [
      'a missing header',
      'invalid_signature_headers',
      (sign) => {
        const { rawHeaders, ...rest } = sign();
        return { ...rest, rawHeaders: rawHeaders.slice(2) };
      },
    ],
    [
      'a header sent twice',
      'invalid_signature_headers',
      (sign) => {
        const request = sign();
        return { ...request, rawHeaders: [...request.rawHeaders, ...request.rawHeaders.slice(0, 2)] };
      },
    ],
    [
      'upper-case hex',
      'invalid_signature_headers',
      (sign) => withChangedHeader(sign(), 'x-svc-sig', () => 'AB'.repeat(64)),
    ],
    ['another method', 'invalid_signature', (sign) => ({ ...sign(), method: 'DELETE' })],
    ['another target', 'invalid_signature', (sign) => ({ ...sign(), target: '/v1/me?' })],
    ['another body', 'invalid_signature', (sign) => ({ ...sign(), body: Buffer.from('{}') })],
    [
      'another nonce',
      'invalid_signature',
      (sign) => withChangedHeader(sign(), 'x-svc-nonce', () => '0'.repeat(32)),
    ],
  ])('with %s is rejected with the code %s', async (change, code, makeRequest) => {
    const { sign } = await link(`changed ${change}`);
    expect(await codeOf(makeRequest(sign))).toBe(code);
  });

  it('is rejected if its key is unknown or revoked', async () => {
    expect(await codeOf(signed('never linked'))).toBe('unknown_public_key');
    const { id, sign } = await link('revoked');
    await core.rows('UPDATE public_keys SET revoked_at = now() WHERE id = $1', id);
    expect(await codeOf(sign())).toBe('unknown_public_key');
  });

  it('is rejected with the server time if its clock differs by more than a minute', async () => {
    await link('clock');
    for (const offsetMs of [-61_000, 61_000]) {
      const rejection = await authentication
        .authenticate(signed('clock', { nowMs: Date.now() + offsetMs }))
        .catch((error) => error);
      expect(rejection).toMatchObject({ code: 'timestamp_out_of_window' });
      expect(Math.abs(rejection.details[0].server_time - Date.now())).toBeLessThan(5_000);
    }
    expect(await codeOf(signed('clock', { nowMs: Date.now() - 55_000 }))).toMatchObject({
      userId: actor.userId,
    });
  });

  it('is accepted once if it is sent 100 times concurrently', async () => {
    const { sign } = await link('replayed');
    const request = sign();
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => codeOf(request)));
    expect(outcomes.filter((outcome) => outcome === 'nonce_replayed')).toHaveLength(99);
  });

  it('is rejected with service_unavailable while nonces cannot be stored', async () => {
    const { sign } = await link('no nonces');
    const unavailableRedis = new Redis({ lazyConnect: true, enableOfflineQueue: false });
    unavailableRedis.on('error', () => undefined);
    try {
      expect(await codeOf(sign(), authenticationOf(core.platform, unavailableRedis))).toBe(
        'service_unavailable',
      );
    } finally {
      // Without this, the client would try to connect forever.
      unavailableRedis.disconnect();
    }
  });
});
