import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { XCodeExchange } from './x-code-exchange.js';

const REDIRECT_URI = 'https://app.example.com/x';
const VERIFIER = 'v'.repeat(43);
const complete = { code: 'code-of-the-test', codeVerifier: VERIFIER, redirectUri: REDIRECT_URI };

let server: Server;
let settings: ConstructorParameters<typeof XCodeExchange>[0];
let answer: { status: number; body: string };
let received: { request: IncomingMessage; form: URLSearchParams }[];
beforeEach(async () => {
  received = [];
  answer = { status: 200, body: '{"access_token": "token-of-our-app", "token_type": "bearer"}' };
  server = createServer(async (request, response) => {
    received.push({ request, form: new URLSearchParams(await text(request)) });
    response.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  settings = {
    clientId: 'our-app',
    redirectUris: [REDIRECT_URI],
    tokenUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    userInfoUrl: 'https://api.x.com/2/users/me',
  };
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('an authorization code of X', () => {
  it('is exchanged for a token in the name of our app, with the code verifier', async () => {
    await expect(new XCodeExchange(settings).exchange(complete)).resolves.toBe('token-of-our-app');
    const [{ request, form } = { request: undefined, form: new URLSearchParams() }] = received;
    expect([request?.method, request?.headers.authorization]).toEqual(['POST', undefined]);
    expect(Object.fromEntries(form)).toEqual({
      grant_type: 'authorization_code',
      client_id: 'our-app',
      redirect_uri: REDIRECT_URI,
      code: 'code-of-the-test',
      code_verifier: VERIFIER,
    });
  });

  it('is exchanged with the secret of a confidential client', async () => {
    await new XCodeExchange({ ...settings, clientSecret: 'a secret of the test' }).exchange(complete);
    const credentials = Buffer.from('our-app:a secret of the test').toString('base64');
    expect(received[0]?.request.headers.authorization).toBe(`Basic ${credentials}`);
  });

  it.each([
    ['code', { code: undefined }],
    ['code', { code: null }],
    ['code', { code: 'a b' }],
    ['code_verifier', { codeVerifier: undefined }],
    ['code_verifier', { codeVerifier: 'v'.repeat(42) }],
    ['redirect_uri', { redirectUri: undefined }],
    ['redirect_uri', { redirectUri: 'https://other.example.com/x' }],
  ])('is not sent to X if %s is missing or invalid', async (field, change) => {
    await expect(new XCodeExchange(settings).exchange({ ...complete, ...change })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field }],
    });
    expect(received).toEqual([]);
  });

  it('that X refuses, as it does for a code of another app, is rejected', async () => {
    answer = { status: 400, body: '{"error": "invalid_grant"}' };
    await expect(new XCodeExchange(settings).exchange(complete)).rejects.toMatchObject({
      code: 'invalid_login',
    });
  });

  it.each([
    { status: 401, body: '{"error": "unauthorized_client"}' },
    { status: 500, body: '' },
    { status: 200, body: '{}' },
    { status: 200, body: '{"access_token": "a", "token_type": "mac"}' },
  ])('causes service_unavailable if X responds with %j', async (unexpected) => {
    answer = unexpected;
    await expect(new XCodeExchange(settings).exchange(complete)).rejects.toMatchObject({
      code: 'service_unavailable',
    });
  });
});
