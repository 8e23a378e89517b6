import type { Platform } from '@trading-automation/core';
import { send } from '../../test/send.js';
import {
  createIdentityBody,
  createKeyPair,
  type KeyPair,
  openAccount,
  sendSigned,
  startTestRestApi,
  type TestRestApi,
} from '../../test/test-rest-api.js';

let api: TestRestApi;
let platform: Platform;
let keyPair: KeyPair;
beforeAll(async () => {
  api = await startTestRestApi();
  platform = await api.openSecondPlatform();
});
afterAll(() => api.close());
beforeEach(async () => {
  keyPair = await openAccount(api);
});

const call = (method: string, target: string, body?: string | object) =>
  sendSigned(api, keyPair, method, target, { body });

describe('the link in a verification e-mail', () => {
  async function linkOf(email: string): Promise<URL> {
    const [{ body }] = await platform.database.query('SELECT body FROM mails WHERE recipient = $1', [email]);
    const [link] = /http\S+/.exec(body) ?? [];
    return new URL(link ?? '');
  }

  it('points to a page of this API; its code verifies the address without credentials, and is never logged', async () => {
    const email = 'reader@example.com';
    const changed = await call('PATCH', '/v1/me', { email });
    expect([changed.status, changed.json.data]).toMatchObject([200, { email, email_verified: false }]);
    const { origin, pathname, search } = await linkOf(email);
    expect([origin, pathname]).toEqual([api.url, '/email-verification']);
    for (const path of ['/v1/auth/email-verification', '/auth/email-verification']) {
      const target = `${path}${search}`;
      expect((await send(api, 'GET', target)).status).toBe(405);
      const opened = await send(api, 'POST', target);
      expect([opened.status, opened.json]).toEqual([200, { success: true, data: { email_verified: true } }]);
    }
    expect((await call('GET', '/v1/me')).json.data).toMatchObject({ email, email_verified: true });
    expect(api.log.join()).not.toContain(search.slice('?code='.length));
    expect(api.log.join()).not.toContain(email);
  });

  it('returns 404 for an unknown code, and 400 without a code', async () => {
    for (const code of ['x', '%20', 'A'.repeat(43)]) {
      const { status, json } = await send(api, 'POST', `/v1/auth/email-verification?code=${code}`);
      expect([status, json.error]).toMatchObject([404, { code: 'not_found' }]);
    }
    expect((await send(api, 'POST', '/v1/auth/email-verification')).status).toBe(400);
  });
});

describe('an account over HTTP', () => {
  it('gets at most five verification e-mails per hour; a sixth change returns 429 with Retry-After', async () => {
    const changeEmail = () => call('PATCH', '/v1/me', '{"email":"often@example.com"}');
    for (let n = 0; n < 5; n++) expect((await changeEmail()).status).toBe(200);
    const { status, json, headers } = await changeEmail();
    expect([status, json.error]).toMatchObject([429, { code: 'rate_limited' }]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(3_500);
  });

  it.each([
    ['{"email":null}', 'email'],
    ['{"email":"no address"}', 'email'],
    ['{"email":"a@b.co\\r\\nBcc: c@d.co"}', 'email'],
    ['{"name":"A"}', 'name'],
  ])('is not changed by the invalid body %s, and the error names the field', async (body, field) => {
    const { status, json } = await call('PATCH', '/v1/me', body);
    expect([status, json.error]).toMatchObject([422, { code: 'validation_failed', details: [{ field }] }]);
  });

  it('lists its public keys; a key can be revoked immediately, unless it is the last one', async () => {
    const second = createKeyPair();
    const linked = await call('POST', '/v1/auth/cli-identity', await createIdentityBody(api, second));
    const { id } = linked.json.data as { id: string };
    expect(linked.headers.location).toBe(`/v1/auth/public-keys/${id}`);
    const ids = async (query = '') =>
      ((await call('GET', `/v1/auth/public-keys${query}`)).json.data as { id: string }[]).map(
        (key) => key.id,
      );
    const [newest, first] = await ids();
    expect(newest).toBe(id);
    expect((await call('DELETE', `/v1/auth/public-keys/${id}`)).json).toEqual({
      success: true,
      data: { id, deleted: true },
    });
    const { status, json } = await sendSigned(api, second, 'GET', '/v1/me');
    expect([status, json.error]).toMatchObject([401, { code: 'unknown_public_key' }]);
    expect(await ids()).toEqual([first]);
    expect(await ids('?include=revoked')).toEqual([id, first]);
    const last = await call('DELETE', `/v1/auth/public-keys/${first}`);
    expect([last.status, last.json.error]).toMatchObject([
      409,
      { code: 'invalid_state', details: [{ state: 'LAST_ADMIN' }] },
    ]);
  });
});
