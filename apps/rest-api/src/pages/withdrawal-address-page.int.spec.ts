import { TestEnvironment } from '../../test/proofs/test-environment.js';
import { type KeyPair, openAccount, sendSigned } from '../../test/test-rest-api.js';

const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const LABEL = `<img src=x onerror="alert('1')">&`;

let environment: TestEnvironment;
let owner: KeyPair;
let id: string;
let target: string;
beforeAll(async () => {
  environment = await TestEnvironment.open();
});
afterAll(() => environment.close());
beforeEach(async () => {
  owner = await openAccount(environment.api);
  const { json } = await sendSigned(environment.api, owner, 'GET', '/v1/me');
  await environment.rows(
    "UPDATE users SET email = 'owner@example.com', email_verified_at = now() WHERE id = $1",
    environment.uuidOf((json.data as { id: string }).id),
  );
  const body = JSON.stringify({ address: WALLET, label: LABEL });
  const added = await sendSigned(environment.api, owner, 'POST', '/v1/withdrawal-addresses', { body });
  expect(added.status).toBe(201);
  ({ id } = added.json.data as { id: string });
  const [mail] = await environment.rows(
    "SELECT body FROM mails WHERE subject = 'Confirm a withdrawal address' ORDER BY created_at DESC LIMIT 1",
  );
  const link = /https?:\S+/.exec(String(mail?.body))![0];
  const { pathname, search } = new URL(link);
  target = pathname + search;
});

/** Requests a page. A POST sends the code in its body, as the form of the page does. */
async function load(method: string, path = target) {
  const url = new URL(path, `http://127.0.0.1:${environment.api.port}`);
  const body = url.search.slice(1);
  if (method === 'POST') url.search = '';
  const response = await fetch(url, {
    method,
    ...(method === 'POST' ? { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } } : {}),
  });
  const headers = Object.fromEntries(response.headers);
  return { status: response.status, headers, text: await response.text() };
}

const status = async () => {
  const { json } = await sendSigned(environment.api, owner, 'GET', `/v1/withdrawal-addresses/${id}`);
  return (json.data as { status: string }).status;
};

it('the link shows the address and a button; GET and HEAD, also many times, confirm nothing', async () => {
  for (let i = 0; i < 3; i++) {
    const page = await load('GET');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain(WALLET);
    expect(page.text).toContain('<form method="post" action="/withdrawal-addresses/confirm">');
    expect((await load('HEAD')).status).toBe(200);
  }
  expect(await status()).toBe('PENDING');
});

it('the button confirms the address, and confirming it again shows the same page', async () => {
  const first = await load('POST');
  expect(first.status).toBe(200);
  expect(first.text).toContain('You can withdraw to it now.');
  expect(await status()).toBe('ACTIVE');
  const again = await load('POST');
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect((await load('GET')).text).toBe(first.text);
});

it('the page renders the label as text, loads nothing, and is neither stored nor framed', async () => {
  const { text, headers } = await load('GET');
  expect(text).toContain('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;');
  expect(text).not.toContain('<img');
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy':
      "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  });
});

it('an unknown code shows a page with 404, for GET and POST', async () => {
  const path = target.split('?')[0]!;
  for (const query of ['', '?code=', `?code=${'x'.repeat(43)}`, '?code=a&code=b'])
    for (const method of ['GET', 'POST']) {
      const page = await load(method, path + query);
      expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(page.text).toContain('This link does not work');
    }
  expect(await status()).toBe('PENDING');
});

it('other methods are refused', async () => {
  const refused = await load('DELETE');
  expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD, POST, OPTIONS']);
});
