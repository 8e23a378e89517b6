import { createHash, randomBytes } from 'node:crypto';
import { TestEnvironment } from '../../test/proofs/test-environment.js';
import { type KeyPair, openAccount, sendSigned } from '../../test/test-rest-api.js';

/** Pages that are not stored, not framed, load nothing, and do not pass their URL on. */
const STRICT = {
  'cache-control': 'no-store',
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};
const FORM = 'application/x-www-form-urlencoded';

let environment: TestEnvironment;
let owner: KeyPair;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  owner = await openAccount(environment.api);
});
afterAll(() => environment.close());

async function load(method: string, target: string, form?: Record<string, string>, type = FORM) {
  const response = await fetch(`http://127.0.0.1:${environment.api.port}${target}`, {
    method,
    ...(form === undefined
      ? {}
      : { headers: { 'content-type': type }, body: new URLSearchParams(form).toString() }),
  });
  const headers = Object.fromEntries(response.headers);
  return { status: response.status, headers, text: await response.text() };
}

const me = async () => (await sendSigned(environment.api, owner, 'GET', '/v1/me')).json.data;

/** Requests a verification mail, and returns the path and the code of its link. */
async function requestLink(email: string) {
  const body = JSON.stringify({ email });
  expect((await sendSigned(environment.api, owner, 'PATCH', '/v1/me', { body })).status).toBe(200);
  const [mail] = await environment.rows(
    'SELECT body FROM mails WHERE recipient = $1 ORDER BY created_at DESC LIMIT 1',
    email,
  );
  const { pathname, search, searchParams } = new URL(/https?:\S+/.exec(String(mail?.body))![0]);
  return { target: pathname + search, path: pathname, code: searchParams.get('code')! };
}

describe('the page that verifies an e-mail address', () => {
  it('verifies nothing for GET and HEAD, however often a mail scanner sends them', async () => {
    const { target } = await requestLink('scanned@example.com');
    for (let n = 0; n < 3; n++) {
      const page = await load('GET', target);
      expect(page.status).toBe(200);
      expect(page.headers).toMatchObject(STRICT);
      expect(page.text).toContain('scanned@example.com');
      expect((await load('HEAD', target)).status).toBe(200);
    }
    expect(await me()).toMatchObject({ email: 'scanned@example.com', email_verified: false });
  });

  it('verifies the address when its form is sent, and shows the same page when it is sent again', async () => {
    const { target, path, code } = await requestLink('reader@example.com');
    const [, action, hidden] = /action="([^"]+)"><input type="hidden" name="code" value="([^"]+)">/.exec(
      (await load('GET', target)).text,
    )!;
    expect([action, hidden]).toEqual([path, code]);
    const sent = await load('POST', path, { code });
    expect(sent.status).toBe(200);
    expect(sent.headers).toMatchObject(STRICT);
    expect(await me()).toMatchObject({ email: 'reader@example.com', email_verified: true });
    expect((await load('POST', path, { code })).text).toBe(sent.text);
  });

  it('verifies nothing if the code is only in the URL of the POST, or in a body of another type', async () => {
    const { target, path, code } = await requestLink('other@example.com');
    expect((await load('POST', target, {})).status).toBe(404);
    expect((await load('POST', path, { code }, 'text/plain')).status).toBe(404);
    expect((await load('POST', `${path}?code=${code}`)).status).toBe(404);
    expect(await me()).toMatchObject({ email: 'other@example.com', email_verified: false });
  });
});

describe('the page that resets a password', () => {
  it('shows the form again with the reason if the new password is too short, and then sets a valid one', async () => {
    const { id } = (await me()) as { id: string };
    const userId = environment.uuidOf(id);
    const code = randomBytes(32).toString('base64url');
    await environment.rows(
      "INSERT INTO password_logins (user_id, email, hash, verified_at) VALUES ($1, 'reset@example.com', 'x', now())",
      userId,
    );
    await environment.rows(
      `INSERT INTO sign_in_links (code_hash, purpose, email, mailbox, user_id, created_at, expires_at)
       VALUES ($1, 'PASSWORD_RESET', 'reset@example.com', 'reset@example.com', $2, now(), now() + interval '1 hour')`,
      createHash('sha256').update(code).digest(),
      userId,
    );
    const page = await load('GET', `/password-reset?code=${code}`);
    expect(page.headers).toMatchObject(STRICT);
    expect(page.text).toContain(
      '<input type="password" name="password" autocomplete="new-password" required>',
    );
    const short = await load('POST', '/password-reset', { code, password: 'tooshort' });
    expect(short.status).toBe(422);
    expect(short.text).toContain('A password must have 10 to 128 characters.');
    expect(short.text).toContain('<form method="post" action="/password-reset">');
    expect(short.text).not.toContain('tooshort');
    const password = 'correct horse battery';
    expect((await load('POST', '/password-reset', { code, password })).status).toBe(200);
    expect((await load('GET', `/password-reset?code=${code}`)).status).toBe(404);
    const [login] = await environment.rows('SELECT hash FROM password_logins WHERE user_id = $1', userId);
    expect(login?.hash).toMatch(/^\$argon2id\$/);
  });
});

it.each(['/email-verification', '/registration', '/password-reset', '/withdrawal-addresses/confirm'])(
  '%s shows a page with 404 for an unknown code, and refuses other methods',
  async (path) => {
    for (const code of ['', 'x'.repeat(43)]) {
      for (const page of [
        await load('GET', `${path}?code=${code}`),
        await load('POST', path, { code, password: 'correct horse battery' }),
      ]) {
        expect(page.status).toBe(404);
        expect(page.headers).toMatchObject(STRICT);
        expect(page.text).toContain('This link does not work');
      }
    }
    const refused = await load('DELETE', path);
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD, POST, OPTIONS']);
  },
);
