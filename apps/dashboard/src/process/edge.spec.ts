import { once } from 'node:events';
import { createServer, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { behindEdge } from './edge.js';

const PUBLIC_URL = 'https://dashboard.example.com';
const HOST = 'dashboard.example.com';
/** Claims about the client, which it could send to take part in the decisions of proxies or of Next.js. */
const CLAIMS = {
  'x-client-address': '203.0.113.9',
  forwarded: 'for=203.0.113.9;host=attacker.example',
  'x-forwarded-host': 'attacker.example',
  'x-forwarded-proto': 'http',
  'x-real-ip': '203.0.113.9',
  'x-middleware-subrequest': 'src/proxy:src/proxy:src/proxy:src/proxy:src/proxy',
  'x-middleware-next': '1',
  'x-nonce': 'chosen',
  'x-page': '//attacker.example',
};

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

/** Starts a server that returns the headers that a page gets. */
async function start(TRUSTED_PROXIES: string[] = []) {
  const listener = behindEdge({ PUBLIC_URL, TRUSTED_PROXIES }, ({ headers }, response) => {
    response.end(JSON.stringify(headers));
  });
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return async (headers: Record<string, string>, path = '/trades') => {
    const outgoing = send({ host: '127.0.0.1', port, path, headers: { host: HOST, ...headers } });
    outgoing.end();
    const [response] = await once(outgoing, 'response');
    let body = '';
    for await (const chunk of response.setEncoding('utf8')) body += chunk;
    return { status: response.statusCode, location: response.headers.location, body };
  };
}

describe('a request for another host', () => {
  it.each([
    'attacker.example',
    'dashboard.example.com.attacker.example',
    'attacker.example:443',
    'dashboard.example.com:8080',
    'DASHBOARD.example.com@attacker.example',
  ])('%s reaches no page', async (host) => {
    const get = await start();
    expect(await get({ host })).toEqual({ status: 421, location: undefined, body: '' });
    expect(await get({ host, 'x-forwarded-host': HOST })).toMatchObject({ status: 421 });
  });

  it('leads a person to the page of the right host, whatever the path', async () => {
    const get = await start();
    expect(await get({ host: 'localhost', 'sec-fetch-dest': 'document' }, '//attacker.example')).toEqual({
      status: 307,
      location: `${PUBLIC_URL}/`,
      body: '',
    });
  });

  it('can check whether the process runs', async () => {
    const get = await start();
    expect(await get({ host: '10.0.0.1' }, '/healthz')).toMatchObject({ status: 200, body: 'ok' });
  });
});

describe('the headers that a page gets', () => {
  it('have no claim of the client, and the address of its connection', async () => {
    const get = await start();
    const { body } = await get({ ...CLAIMS, 'x-forwarded-for': '203.0.113.9', accept: '*/*' });
    expect(JSON.parse(body)).toEqual({
      host: HOST,
      accept: '*/*',
      connection: expect.any(String),
      'x-client-address': '127.0.0.1',
    });
  });

  it('have the address that a trusted proxy reports, and of a longer list only the trusted part', async () => {
    const get = await start(['127.0.0.1']);
    for (const list of ['198.51.100.7', '203.0.113.9, 198.51.100.7']) {
      const { body } = await get({ ...CLAIMS, 'x-forwarded-for': list });
      expect(JSON.parse(body)).toMatchObject({ 'x-client-address': '198.51.100.7' });
    }
  });
});
