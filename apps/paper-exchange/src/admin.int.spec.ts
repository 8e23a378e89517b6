import { request } from 'node:http';
import { TestPaperExchange } from './testing/test-paper-exchange.js';

const TOKEN = 'derived-at-run-time'.padEnd(32, '-');

describe('the admin calls', () => {
  let venue: TestPaperExchange;
  beforeEach(async () => {
    venue = await TestPaperExchange.start({ ADMIN_TOKEN: TOKEN });
  });
  afterEach(() => venue.stop());

  /** Sends a request whose target and headers are sent as they are, which `fetch` does not allow. */
  async function statusOf(
    target: string,
    headers: Record<string, string> = {},
    method = 'POST',
  ): Promise<number> {
    const { hostname, port } = new URL(venue.url);
    return new Promise((resolve, reject) => {
      const call = request(
        { hostname, port, method, path: target, headers: { 'content-type': 'application/json', ...headers } },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      call.on('error', reject);
      call.end(target.endsWith('ccounts') ? '{}' : undefined);
    });
  }

  const spellings = [
    '/admin/accounts',
    '/%61dmin/accounts',
    '/admin/%61ccounts',
    '/%61%64%6d%69%6e/accounts',
  ];

  it('need the token from a web page, in every spelling that the router accepts', async () => {
    const origin = 'https://evil.example';
    for (const target of spellings) {
      expect([target, await statusOf(target, { origin })]).toEqual([target, 401]);
      const authorization = `Bearer ${TOKEN}`;
      expect([target, await statusOf(target, { origin, authorization })]).toEqual([target, 200]);
      expect(await statusOf(target, { origin, authorization: `Bearer ${TOKEN}x` })).toBe(401);
    }
  });

  it('need the token under a name that is not of this machine, against DNS rebinding', async () => {
    const { port } = new URL(venue.url);
    for (const target of spellings) {
      for (const host of [
        'evil.example',
        `evil.example:${port}`,
        'localhost.evil.example',
        '127.0.0.1.evil.example',
      ])
        expect([target, host, await statusOf(target, { host })]).toEqual([target, host, 401]);
    }
    for (const host of ['localhost', `LOCALHOST:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
      expect([host, await statusOf('/admin/accounts', { host })]).toEqual([host, 200]);
    expect(
      await statusOf('/admin/accounts', { host: 'exchange.test', authorization: `Bearer ${TOKEN}` }),
    ).toBe(200);
  });

  it('judge the host of an absolute target, which replaces the Host header', async () => {
    const { port } = new URL(venue.url);
    const local = `127.0.0.1:${port}`;
    for (const target of spellings) {
      for (const host of [local, 'localhost', 'evil.example'])
        for (const evil of ['http://evil.example', `HTTP://evil.example:${port}`, 'https://evil.example'])
          expect([evil, host, await statusOf(`${evil}${target}`, { host })]).toEqual([evil, host, 401]);
      expect(await statusOf(`http://${local}${target}`, { host: local })).toBe(200);
      expect(await statusOf(`http://localhost${target}`, { host: 'evil.example' })).toBe(200);
    }
    const authorization = `Bearer ${TOKEN}`;
    expect(await statusOf('http://evil.example/admin/accounts', { host: local, authorization })).toBe(200);
  });

  it('are guarded for every method and route of the plugin', async () => {
    const host = 'evil.example';
    for (const [method, target] of [
      ['GET', '/admin/weather'],
      ['HEAD', '/admin/weather'],
      ['PUT', '/%61dmin/weather'],
      ['GET', '/admin/ledger?api_key=x'],
      ['POST', '/admin/market'],
      ['POST', '/admin//../admin/streams/disconnect'],
      ['POST', '/admin/streams/disconnect'],
    ] as const) {
      expect([401, 404]).toContain(await statusOf(target, { host }, method));
    }
    expect(await statusOf('/admin/streams/disconnect', { host })).toBe(401);
  });

  it('leave the venue’s own routes open under any name, because other machines call them', async () => {
    expect(await statusOf('/api/v3/ping', { host: 'exchange.test' }, 'GET')).toBe(200);
  });

  it('refuse a query parameter that they do not know', async () => {
    const { body: keys } = await venue.admin<{ api_key: string }>('POST', 'accounts', {});
    expect((await venue.admin('GET', `ledger?api_key=${keys.api_key}`)).status).toBe(200);
    expect(await venue.admin('GET', `ledger?api_key=${keys.api_key}&symbol=BTCUSDT`)).toMatchObject({
      status: 400,
      body: { code: -1100 },
    });
  });

  it('accept a JSON content type without a body', async () => {
    expect(await statusOf('/admin/streams/disconnect', { 'content-type': 'application/json' })).toBe(200);
  });
});
