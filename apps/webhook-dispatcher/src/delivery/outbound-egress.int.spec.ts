/**
 * Tests that no URL, name server or receiver of a customer can make a call reach internal hosts. The numbers are
 * those of
 * the threat model. The canary represents an internal host and must count no connection. 127.0.0.2 represents a public
 * address.
 */

import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { eventually } from '@trading-automation/runtime/testing';
import {
  type Canary,
  countSockets,
  INTERNAL_ADDRESS,
  listenPublic,
  type NameServer,
  openCanary,
  openNameServer,
  PUBLIC_ADDRESS,
} from '../../test/network-fixtures.js';
import { OutboundClient, type OutboundOptions } from './outbound-client.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function receive(
  handle: RequestListener,
  host?: string,
  port?: number,
): Promise<{ port: number; server: Server }> {
  const server = createServer(handle);
  const taken = await listenPublic(server, host, port);
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { port: taken, server };
}

async function canaryAt(port?: number, host?: string): Promise<Canary> {
  const canary = await openCanary(host, port);
  closing.push(() => canary.close());
  return canary;
}

async function names(...given: Parameters<typeof openNameServer>): Promise<NameServer> {
  const server = await openNameServer(...given);
  closing.push(() => server.close());
  return server;
}

/** The firewall permits loopback here, so that 127.0.0.2 is reachable: the test covers the guard alone. */
function clientOf(options: Partial<OutboundOptions>): OutboundClient {
  const client = new OutboundClient({
    allowLoopback: true,
    timeoutMs: 5_000,
    isAllowed: (address) => address === PUBLIC_ADDRESS,
    ...options,
  });
  closing.push(() => client.close());
  return client;
}
const live = (options: Partial<OutboundOptions> = {}) =>
  new OutboundClient({ allowLoopback: false, timeoutMs: 5_000, ...options });
const call = (url: string) => ({
  url,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{}'),
});
const BLOCKED = { error: 'blocked_address', responseTimeMs: expect.any(Number) };

describe('S1, S2, S9: a call of a URL that is internal or invalid', () => {
  it.each([
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://[fd00:ec2::254]/',
    'http://169.254.169.254/latest/meta-data',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://0/',
    'http://①②⑦.0.0.1/',
    'http://１２７.0.0.1/',
    'http://127.0.0.1./',
    'http://evil\\@127.0.0.1/',
    'http://12\t7.0.0.1/',
    'http://localhost/',
    'http://metadata.google.internal/',
  ])('%j opens no socket and queries no name server', async (url) => {
    const server = await names(() => [PUBLIC_ADDRESS]);
    const client = live({ dnsServers: [server.address] });
    expect(
      await countSockets(async () =>
        expect(await client.post(call(url))).toMatchObject({
          error: expect.stringMatching(/^(?:blocked_address|invalid_url)$/),
        }),
      ),
    ).toBe(0);
    expect(server.questions).toEqual([]);
  });
});

describe('S4: a name with an internal address', () => {
  it.each(['127.0.0.1.nip.io', 'inside.example.com', 'db'])(
    'is rejected by its address: %s',
    async (name) => {
      const canary = await canaryAt();
      const server = await names(({ type }) => (type === 'A' ? [INTERNAL_ADDRESS] : []));
      const client = live({ dnsServers: [server.address] });
      expect(await client.post(call(`http://${name}:${canary.port}/`))).toEqual(BLOCKED);
      expect(canary.connections).toBe(0);
    },
  );

  it('is localhost only on this machine: no name server is queried for it', async () => {
    const { port } = await receive((_req, res) => res.end(), INTERNAL_ADDRESS);
    const server = await names(() => ['192.0.2.1']);
    const client = clientOf({ dnsServers: [server.address], isAllowed: () => true });
    for (const host of ['localhost', 'a.localhost', 'localhost.'])
      expect(await client.post(call(`http://${host}:${port}/`))).toMatchObject({ statusCode: 200 });
    expect(server.questions).toEqual([]);
  });
});

describe('S5: a name that alternates between external and internal addresses', () => {
  it('is checked at each of 200 attempts with one query of each type, and never reaches the inside', async () => {
    let received = 0;
    const { port } = await receive((_req, res) => {
      received++;
      res.end();
    });
    const canary = await canaryAt(port);
    let asked = 0;
    const server = await names(({ type }) =>
      type === 'A' ? [asked++ % 2 === 0 ? PUBLIC_ADDRESS : INTERNAL_ADDRESS] : [],
    );
    const client = clientOf({ dnsServers: [server.address] });
    const outcomes: unknown[] = [];
    for (let i = 0; i < 200; i++) {
      const { statusCode, error } = await client.post(call(`http://rebind.example.com:${port}/`));
      outcomes.push(statusCode ?? error);
    }
    expect(outcomes).toEqual(Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? 200 : 'blocked_address')));
    expect(received).toBe(100);
    expect(canary.connections).toBe(0);
    const kinds = server.questions.map(({ type }) => type);
    expect(kinds.filter((type) => type === 'A')).toHaveLength(200);
    expect(kinds.filter((type) => type === 'AAAA')).toHaveLength(200);
  });

  it('gets no second look-up if the connection has to be opened again', async () => {
    let requests = 0;
    const { port, server: receiver } = await receive((_req, res) => {
      requests++;
      res.end();
    });
    const canary = await canaryAt(port);
    const server = await names(({ type }) => (type === 'A' ? [PUBLIC_ADDRESS] : []));
    const client = clientOf({ dnsServers: [server.address] });
    const url = `http://hooks.example.com:${port}/`;
    expect(await client.post(call(url))).toMatchObject({ statusCode: 200 });
    receiver.closeAllConnections();
    const count = () => new Promise<number>((resolve) => receiver.getConnections((_error, n) => resolve(n)));
    await eventually(async () => (await count()) === 0);
    expect(await client.post(call(url))).toMatchObject({ statusCode: 200 });
    expect(requests).toBe(2);
    expect(server.questions).toHaveLength(4);
    expect(canary.connections).toBe(0);
  });
});

describe('S6: a response that mixes external and internal addresses', () => {
  it.each([
    ['IPv4 with a private address', [PUBLIC_ADDRESS, '10.0.0.1'], []],
    ['IPv4 with the inside first', [INTERNAL_ADDRESS, PUBLIC_ADDRESS], []],
    ['an IPv6 address of loopback', [PUBLIC_ADDRESS], ['::1']],
    ['an IPv6 form of an inside one', [PUBLIC_ADDRESS], ['::ffff:7f00:1']],
    ["IPv6 of the machine's network", [PUBLIC_ADDRESS], ['fe80::1']],
  ])('is rejected as a whole: %s', async (_what, v4, v6) => {
    let received = 0;
    const { port } = await receive((_req, res) => {
      received++;
      res.end();
    });
    const canary = await canaryAt(port);
    const server = await names(({ type }) => (type === 'A' ? v4 : v6));
    const client = clientOf({ dnsServers: [server.address] });
    expect(await client.post(call(`http://mixed.example.com:${port}/`))).toEqual(BLOCKED);
    expect([received, canary.connections]).toEqual([0, 0]);
  });
});

describe('S7: two names with one address', () => {
  it('never share a connection', async () => {
    const hostsOf = new Map<unknown, Set<unknown>>();
    const { port } = await receive((req, res) => {
      const hosts = hostsOf.get(req.socket) ?? new Set();
      hostsOf.set(req.socket, hosts.add(req.headers.host));
      res.end();
    });
    const server = await names(({ type }) => (type === 'A' ? [PUBLIC_ADDRESS] : []));
    const client = clientOf({ dnsServers: [server.address] });
    for (const name of ['a', 'b', 'a', 'b', 'a'])
      expect(await client.post(call(`http://${name}.example.com:${port}/`))).toMatchObject({
        statusCode: 200,
      });
    expect([...hostsOf.values()].map((hosts) => hosts.size)).toEqual([1, 1]);
  });

  it('is not an exception for one name whose address has changed: its connection is not reused', async () => {
    const seen: string[] = [];
    const { port } = await receive((_req, res) => void res.end(seen.push('old') && 'old'));
    await receive((_req, res) => void res.end(seen.push('new') && 'new'), '127.0.0.3', port);
    let address = PUBLIC_ADDRESS;
    const client = clientOf({ resolve: async () => [address], isAllowed: () => true });
    const url = `http://moves.example.com:${port}/`;
    await client.post(call(url));
    address = '127.0.0.3';
    await client.post(call(url));
    expect(seen).toEqual(['old', 'new']);
  });
});

describe('S8: a redirect to the inside', () => {
  const LOCATIONS = {
    absolute: (port: number) => `http://${INTERNAL_ADDRESS}:${port}/`,
    relative: () => '/inside',
    'relative to the protocol': (port: number) => `//${INTERNAL_ADDRESS}:${port}/`,
  };
  const cases = [301, 302, 303, 307, 308].flatMap((status) =>
    Object.entries(LOCATIONS).map(([kind, locationOf]) => ({ status, kind, locationOf })),
  );
  it.each(cases)(
    'by a $status with a Location that is $kind is not followed',
    async ({ status, locationOf }) => {
      const paths: unknown[] = [];
      const canary = await canaryAt();
      const { port } = await receive((req, res) => {
        paths.push(req.url);
        res.writeHead(status, { location: locationOf(canary.port) }).end();
      });
      const client = clientOf({});
      expect(await client.post(call(`http://${PUBLIC_ADDRESS}:${port}/hook`))).toMatchObject({
        statusCode: status,
        error: 'http_status',
      });
      expect(paths).toEqual(['/hook']);
      expect(canary.connections).toBe(0);
    },
  );
});

describe('S10: the report of a rejected call', () => {
  it('contains its code, and no address', async () => {
    const client = live({ resolve: async () => ['93.184.216.34', '10.11.12.13'] });
    const told = await client.post(call('http://hooks.example.com/'));
    expect(told).toEqual(BLOCKED);
    expect(JSON.stringify(told)).not.toContain('10.11');
  });
});

describe('S11: the state of an internal port', () => {
  it('is not observable: the code is always the same, and no socket is opened', async () => {
    const open = await canaryAt();
    const closed = createTcpServer();
    const closedPort = await listenPublic(closed, INTERNAL_ADDRESS);
    await new Promise((resolve) => closed.close(resolve));
    const told: unknown[] = [];
    for (const [address, port] of [
      [INTERNAL_ADDRESS, open.port],
      [INTERNAL_ADDRESS, closedPort],
      // Nothing responds at this address, not even with a refusal.
      ['10.255.255.1', 8080],
    ] as const) {
      const client = live({ resolve: async () => [address] });
      const sockets = await countSockets(async () => {
        told.push(await client.post(call(`http://scan.example.com:${port}/`)));
        told.push(await client.post(call(`http://${address}:${port}/`)));
      });
      expect(sockets).toBe(0);
    }
    expect(told).toEqual(Array.from({ length: 6 }, () => BLOCKED));
    expect(open.connections).toBe(0);
  });

  it('is covered by this test: a permitted call opens one socket', async () => {
    const { port } = await receive((_req, res) => res.end());
    expect(await countSockets(() => clientOf({}).post(call(`http://${PUBLIC_ADDRESS}:${port}/`)))).toBe(1);
  });
});

describe('S12: with the guard disabled', () => {
  it.each([INTERNAL_ADDRESS, '127.9.9.9'])('the firewall prevents a connection to %s', async (address) => {
    const canary = await canaryAt(undefined, address);
    const client = live({ resolve: async () => [address], isAllowed: () => true });
    let told: unknown;
    const sockets = await countSockets(async () => {
      told = await client.post(call(`http://hooks.example.com:${canary.port}/`));
    });
    expect(told).toEqual(BLOCKED);
    expect([sockets, canary.connections]).toEqual([0, 0]);
  });

  it('the firewall checks each address that is tried, not only the first', async () => {
    const canary = await canaryAt();
    const client = clientOf({
      resolve: async () => ['127.0.0.4', '10.0.0.1'],
      isAllowed: () => true,
    });
    expect(await client.post(call(`http://hooks.example.com:${canary.port}/`))).toEqual(BLOCKED);
    expect(canary.connections).toBe(0);
  });

  it('the firewall prevents a socket from resolving a name', async () => {
    const server = createServer((_req, res) => res.end());
    server.listen(0, INTERNAL_ADDRESS);
    await once(server, 'listening');
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const client = clientOf({ resolve: async () => ['localhost'], isAllowed: () => true });
    expect(await client.post(call(`http://hooks.example.com:${8000 + (port % 1000)}/`))).toEqual(BLOCKED);
  });
});

describe('a proxy in the environment', () => {
  it('is not used', async () => {
    const canary = await canaryAt();
    const { port } = await receive((_req, res) => res.end());
    const NAMES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    for (const name of NAMES) process.env[name] = `http://${INTERNAL_ADDRESS}:${canary.port}`;
    try {
      expect(await clientOf({}).post(call(`http://${PUBLIC_ADDRESS}:${port}/`))).toMatchObject({
        statusCode: 200,
      });
    } finally {
      for (const name of NAMES) delete process.env[name];
    }
    expect(canary.connections).toBe(0);
  });
});
