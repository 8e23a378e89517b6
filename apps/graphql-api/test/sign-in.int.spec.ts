/** Tests the deprecated mutations as old clients call them, and the use of their results. */
import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { TOTP } from 'otpauth';
import { TestEnvironment } from '../../rest-api/test/proofs/test-environment.js';
import { send } from '../../rest-api/test/send.js';
import { openAccount } from '../../rest-api/test/test-rest-api.js';
import {
  type GraphqlResponse,
  post,
  sendGraphql,
  startTestGraphqlApi,
  type TestGraphqlApi,
} from './test-graphql-api.js';

const PUBLISHED = [
  'google_auth',
  'x_auth',
  'apple_auth',
  'telegram_auth',
  'generate_2fa',
  'enable_2fa',
  'verify_2fa_code',
  'disable_2fa',
];
const PASSWORD = 'correct horse battery';
const TOKENS = '{ access_token refresh_token access_token_expires_at refresh_token_expires_at }';
const SIGNED_IN = `{ tokens ${TOKENS} is_2fa_required ticket ticket_expires_at }`;

let environment: TestEnvironment;
let api: TestGraphqlApi;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  api = await startTestGraphqlApi(environment.api.databaseUrl);
});
afterAll(async () => {
  await api?.close();
  await environment?.close();
});

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

function mutate(text: string, variables: object = {}, token?: string): Promise<GraphqlResponse> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return post(api, JSON.stringify({ query: text, variables }), headers as Record<string, string>);
}
const REGISTER = `mutation ($email: String!, $password: String!) { register(email: $email, password: $password) ${TOKENS} }`;

/** Sends the form of the page behind the newest link that was mailed to the address. */
async function submitLink(email: string, password: string): Promise<Response> {
  const [mail] = await environment.rows(
    `SELECT body FROM mails WHERE recipient = $1 AND body LIKE '%code=%' ORDER BY created_at DESC LIMIT 1`,
    email,
  );
  const { pathname, searchParams } = new URL(/http\S+/.exec(String(mail?.body))![0]);
  return fetch(`http://127.0.0.1:${environment.api.port}${pathname}`, {
    method: 'POST',
    body: new URLSearchParams({ code: searchParams.get('code')!, password }),
  });
}

/** Registers an address, opens its account by the mailed link, and signs in. */
async function register(email: string): Promise<Tokens> {
  // Each test registers more often than one network may.
  await environment.rows('DELETE FROM sign_in_attempts');
  const { data, errors } = await mutate(REGISTER, { email, password: PASSWORD });
  expect([data, errors]).toEqual([{ register: null }, undefined]);
  expect((await submitLink(email, PASSWORD)).status).toBe(200);
  return (await login(email)).data.login.tokens;
}
const login = (email: string, password = PASSWORD) =>
  mutate(
    `mutation ($email: String!, $password: String!) { login(email: $email, password: $password) ${SIGNED_IN} }`,
    { email, password },
  );
const me = (token: string) => mutate('{ me { id credential { kind permissions } } }', {}, token);
const codesOf = ({ errors = [] }: GraphqlResponse) => errors.map(({ extensions }) => extensions.code);

let personCount = 0;
const newEmail = () => `person-${++personCount}@mail.example`;

describe('the deprecated mutations', () => {
  const mutations = buildSchema(
    readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8'),
  ).getMutationType()!;
  const deprecatedMutations = Object.values(mutations.getFields()).filter(
    ({ name }) => name.includes('_') || ['register', 'login', 'logout'].includes(name),
  );

  it('include the published ones and those of passkeys, and state the version that removes them', () => {
    expect(deprecatedMutations.map(({ name }) => name)).toEqual(expect.arrayContaining(PUBLISHED));
    expect(deprecatedMutations.some(({ name }) => name.startsWith('passkey_'))).toBe(true);
    for (const { deprecationReason } of deprecatedMutations)
      expect(deprecationReason).toContain('removed in v2.0');
  });

  it('are the mutations with an underscore in their name, and register, login and logout', () => {
    const deprecated = Object.values(mutations.getFields()).filter(
      ({ deprecationReason }) => deprecationReason,
    );
    expect(deprecated).toEqual(deprecatedMutations);
  });

  it('are counted, except in requests that are rejected because they have no credentials', async () => {
    const uses = async () => {
      const rows = await environment.rows("SELECT uses::int FROM deprecated_uses WHERE operation = 'logout'");
      return rows.reduce((sum, row) => sum + Number(row.uses), 0);
    };
    const isolatedApi = await startTestGraphqlApi(environment.api.databaseUrl);
    const before = await uses();
    for (let i = 0; i < 3; i++) await post(isolatedApi, '{"query":"mutation { logout { ended } }"}');
    await isolatedApi.close();
    // Requests without credentials are rejected before the mutation is called, so they are not counted.
    expect(await uses()).toBe(before);
    const another = await startTestGraphqlApi(environment.api.databaseUrl, { PUBLIC_URL: api.url });
    const { access_token } = await register(newEmail());
    await post(another, '{"query":"mutation { logout { ended } }"}', {
      authorization: `Bearer ${access_token}`,
    });
    await another.close();
    expect(await uses()).toBe(before + 1);
  });
});

describe('a password', () => {
  it('creates an account whose token is valid for every operation in GraphQL, but not in REST', async () => {
    const { access_token } = await register(newEmail());
    const { data } = await me(access_token);
    expect(data.me).toMatchObject({
      id: expect.stringMatching(/^usr_/),
      credential: { kind: 'session', permissions: ['ADMIN'] },
    });
    const headers = { authorization: `Bearer ${access_token}` };
    const { status, json } = await send(environment.api, 'GET', '/v1/me', { headers });
    expect([status, json.error?.code]).toEqual([401, 'invalid_api_key']);
  });

  it('signs in again to the same account', async () => {
    const email = newEmail();
    const first = await register(email);
    const { data } = await login(email);
    expect(data.login).toMatchObject({ is_2fa_required: false, ticket: null });
    const [before, after] = [await me(first.access_token), await me(data.login.tokens.access_token)];
    expect(after.data.me.id).toBe(before.data.me.id);
  });

  it('that is wrong gets the same error as an unknown e-mail address', async () => {
    const email = newEmail();
    await register(email);
    const [wrong, unknown] = [await login(email, 'not the password'), await login(newEmail())];
    for (const { data, errors } of [wrong, unknown]) {
      expect(data).toEqual({ login: null });
      expect(errors![0]!.extensions.code).toBe('invalid_login');
    }
    expect(wrong.errors![0]!.message).toBe(unknown.errors![0]!.message);
  });

  it.each([
    ['too short', 'short'],
    ['too long', 'x'.repeat(129)],
  ])('that is %s is rejected; the error names the field', async (_what, password) => {
    const text = `mutation ($password: String!) { register(email: "${newEmail()}", password: $password) ${TOKENS} }`;
    const response = await mutate(text, { password });
    expect(codesOf(response)).toEqual(['validation_failed']);
    expect(response.errors![0]!.extensions.details![0]!.field).toBe('password');
    expect(response.text).not.toContain(password);
  });

  it('cannot be registered for the address of another account, and the response does not reveal that', async () => {
    const email = newEmail();
    await register(email);
    const [known, unknown] = [
      await mutate(REGISTER, { email, password: 'another password' }),
      await mutate(REGISTER, { email: newEmail(), password: 'another password' }),
    ];
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
    expect((await login(email)).errors).toBeUndefined();
    expect(codesOf(await login(email, 'another password'))).toEqual(['invalid_login']);
  });

  it('is reset by a link that is mailed to its address; the response does not reveal whether it has an account', async () => {
    const email = newEmail();
    const { access_token } = await register(email);
    const requestReset = (address: string) =>
      mutate('mutation ($email: String!) { request_password_reset(email: $email) { requested } }', {
        email: address,
      });
    const [known, unknown] = [await requestReset(email), await requestReset(newEmail())];
    expect(known.data).toEqual({ request_password_reset: { requested: true } });
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
    expect((await submitLink(email, 'a new password')).status).toBe(200);
    expect((await me(access_token)).status).toBe(401);
    expect(codesOf(await login(email))).toEqual(['invalid_login']);
    expect((await login(email, 'a new password')).errors).toBeUndefined();
    expect((await submitLink(email, 'another password')).status).toBe(404);
  });
});

describe('a session', () => {
  it('continues with a refresh token, which is single-use; its reuse ends the session', async () => {
    const tokens = await register(newEmail());
    const refresh = (token: string) =>
      mutate(`mutation ($token: String!) { refresh_token(refresh_token: $token) ${TOKENS} }`, { token });
    const next: Tokens = (await refresh(tokens.refresh_token)).data.refresh_token;
    expect((await me(next.access_token)).errors).toBeUndefined();
    expect(codesOf(await refresh(tokens.refresh_token))).toEqual(['invalid_access_token']);
    expect((await me(next.access_token)).status).toBe(401);
    expect(codesOf(await refresh(next.refresh_token))).toEqual(['invalid_access_token']);
  });

  it('ends with logout', async () => {
    const { access_token } = await register(newEmail());
    const { data } = await mutate('mutation { logout { ended } }', {}, access_token);
    expect(data.logout).toEqual({ ended: true });
    const response = await me(access_token);
    expect([response.status, codesOf(response)]).toEqual([401, ['invalid_access_token']]);
  });

  it('has tokens that can be verified with the published keys', async () => {
    const { access_token } = await register(newEmail());
    const response = await fetch(`${api.url}/.well-known/jwks.json`);
    const keys = createLocalJWKSet((await response.json()) as JSONWebKeySet);
    const { payload, protectedHeader } = await jwtVerify(access_token, keys, { issuer: api.url });
    expect(protectedHeader.alg).toBe('EdDSA');
    expect(payload.sub).toMatch(/^usr_/);
    expect(response.headers.get('cache-control')).toContain('max-age');
  });
});

describe('a second factor', () => {
  /**
   * Returns the code of the current time step, or of `step` steps later. Codes of the current and the next step are still
   * accepted if a step ends before the server checks them; a code of the previous step is not.
   */
  const codeOf = (secret: string, step = 0) =>
    new TOTP({ secret }).generate({ timestamp: Date.now() + step * 30_000 });

  it('is required once enabled, and its codes and recovery codes are single-use', async () => {
    const email = newEmail();
    const { access_token } = await register(email);
    const { data } = await mutate('mutation { generate_2fa { uri secret } }', {}, access_token);
    const { secret, uri } = data.generate_2fa;
    expect(uri).toContain('otpauth://totp/');
    const enable = `mutation ($code: String!) { enable_2fa(code: $code) { recovery_codes } }`;
    const enabled = await mutate(enable, { code: codeOf(secret) }, access_token);
    const [recoveryCode] = enabled.data.enable_2fa.recovery_codes;

    const verify = (ticket: string, code: string) =>
      mutate(
        `mutation ($ticket: String!, $code: String!) { verify_2fa_code(ticket: $ticket, code: $code) ${TOKENS} }`,
        { ticket, code },
      );
    const ticketOf = async () => {
      const response = (await login(email)).data.login;
      expect(response).toMatchObject({ tokens: null, is_2fa_required: true });
      return response.ticket as string;
    };
    const code = codeOf(secret, 1);
    const passed = await verify(await ticketOf(), code);
    expect((await me(passed.data.verify_2fa_code.access_token)).errors).toBeUndefined();
    expect(codesOf(await verify(await ticketOf(), code))).toEqual(['invalid_login']);
    const recovered = await verify(await ticketOf(), recoveryCode);
    expect(recovered.errors).toBeUndefined();
    expect(codesOf(await verify(await ticketOf(), recoveryCode))).toEqual(['invalid_login']);
  });

  it('is no longer required once disabled', async () => {
    const email = newEmail();
    const { access_token } = await register(email);
    const { data } = await mutate('mutation { generate_2fa { secret } }', {}, access_token);
    const { secret } = data.generate_2fa;
    const mutateWithCode = (text: string, step: number) =>
      mutate(`mutation ($code: String!) { ${text} }`, { code: codeOf(secret, step) }, access_token);
    await mutateWithCode('enable_2fa(code: $code) { recovery_codes }', 0);
    expect((await mutateWithCode('disable_2fa(code: $code) { disabled }', 1)).data).toEqual({
      disable_2fa: { disabled: true },
    });
    expect((await login(email)).data.login.is_2fa_required).toBe(false);
  });
});

describe('a sign-in provider that is not configured', () => {
  it.each([
    ['google_auth(id_token: "x")', 'Google'],
    ['apple_auth(id_token: "x")', 'Apple'],
    ['x_auth(access_token: "x")', 'X'],
    ['telegram_auth(data: {})', 'Telegram'],
  ])('%s returns an error', async (field, name) => {
    const response = await mutate(`mutation { ${field} { is_2fa_required } }`);
    expect(codesOf(response)).toEqual(['permission_denied']);
    expect(response.errors![0]!.message).toContain(name);
  });

  it('passkey_login_options returns an error, too', async () => {
    expect(codesOf(await mutate('mutation { passkey_login_options }'))).toEqual(['permission_denied']);
  });
});

it('mutations that require a caller reject unauthenticated requests before any effect', async () => {
  for (const field of ['generate_2fa { uri }', 'passkey_registration_options', 'logout { ended }']) {
    const response = await mutate(`mutation { ${field} }`);
    expect([response.status, codesOf(response)]).toEqual([401, ['authentication_required']]);
  }
});

it('a signed request can use the deprecated mutations, too', async () => {
  const holder = await openAccount(environment.api);
  const { data } = await sendGraphql(api, holder, 'mutation { generate_2fa { uri } }');
  expect(data.generate_2fa.uri).toContain('otpauth://');
});
