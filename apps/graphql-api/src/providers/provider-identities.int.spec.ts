import { createHash, createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signInProvidersSetting } from '@trading-automation/core/sign-in';
import { CLIENT, LocalProvider } from '../../test/local-provider.js';
import { ProviderIdentities } from './provider-identities.js';

const PERSON = { id: 'person-7', email: 'seven@example.com', emailVerified: 'true' };
const BOT = `12345:${createHash('sha256').update('bot of the test').digest('base64url')}`;

const identities = (setting: unknown) =>
  new ProviderIdentities(signInProvidersSetting.parse(JSON.stringify(setting)));

let local: LocalProvider;
let x: Server;
beforeEach(async () => {
  local = await LocalProvider.start(PERSON);
  x = createServer((request, response) =>
    response.end(
      request.url === '/token'
        ? '{"access_token": "token-of-our-app", "token_type": "bearer"}'
        : '{"data": {"id": "7", "username": "seven"}}',
    ),
  );
  await new Promise<void>((resolve) => x.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  x.closeAllConnections();
  await Promise.all([local.stop(), new Promise((resolve) => x.close(resolve))]);
});

function telegramLogin(): Record<string, string> {
  const authDate = String(Math.floor(Date.now() / 1_000));
  const key = createHash('sha256').update(BOT).digest();
  const hash = createHmac('sha256', key).update(`auth_date=${authDate}\nid=42`).digest('hex');
  return { auth_date: authDate, id: '42', hash };
}

describe('the providers of a deployment', () => {
  it('are available only if configured', async () => {
    const unconfigured = identities({});
    const attempts: [string, () => Promise<unknown>][] = [
      ['Google', () => unconfigured.google({ idToken: 'a.b.c' })],
      ['Apple', () => unconfigured.apple({ idToken: 'a.b.c' })],
      ['X', () => unconfigured.x({ code: 'c' })],
      ['Telegram', () => unconfigured.telegram(telegramLogin())],
    ];
    for (const [name, signIn] of attempts) {
      const message = `Sign-in by ${name} is not offered by this deployment.`;
      await expect(signIn()).rejects.toMatchObject({ code: 'permission_denied', message });
    }
  });

  it('identify a user under the name of the provider', async () => {
    const settings = { clientIds: [CLIENT], issuer: local.issuer };
    const xUrl = `http://127.0.0.1:${(x.address() as AddressInfo).port}`;
    const all = identities({
      google: settings,
      apple: settings,
      x: {
        clientId: 'our-app',
        redirectUris: ['https://app.example.com/x'],
        tokenUrl: `${xUrl}/token`,
        userInfoUrl: `${xUrl}/me`,
      },
      telegram: { botToken: BOT },
    });
    const nonce = 'nonce of the test';
    const idToken = await local.idToken({ nonce });
    const person = { subject: PERSON.id, email: PERSON.email, emailVerified: true };
    expect(await all.google({ idToken, nonce })).toMatchObject({ provider: 'google', ...person });
    expect(await all.apple({ idToken, nonce })).toMatchObject({ provider: 'apple', ...person });
    expect(
      await all.x({ code: 'c', codeVerifier: 'v'.repeat(43), redirectUri: 'https://app.example.com/x' }),
    ).toMatchObject({ provider: 'x', subject: '7' });
    expect(await all.telegram(telegramLogin())).toMatchObject({ provider: 'telegram', subject: '42' });
  });

  it('allow only Google to omit the scheme of its issuer', async () => {
    const settings = { clientIds: [CLIENT], issuer: local.issuer };
    const both = identities({ google: settings, apple: settings });
    const now = Math.floor(Date.now() / 1_000);
    const iss = local.issuer.replace('http://', '');
    const idToken = await local.sign({
      iss,
      aud: CLIENT,
      sub: PERSON.id,
      iat: now,
      exp: now + 60,
      nonce: 'n',
    });
    expect(await both.google({ idToken, nonce: 'n' })).toMatchObject({ subject: PERSON.id });
    await expect(both.apple({ idToken, nonce: 'n' })).rejects.toMatchObject({ code: 'invalid_login' });
  });
});
