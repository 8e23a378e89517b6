/**
 * Tests that no URL, name server or receiver that a user controls can make the client connect to an internal host. S1
 * to S12 are threats of docs/security/egress.md. The canary represents an internal host and must count no connection.
 * 127.0.0.2 represents a public address.
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

async function startReceiver(
  handle: RequestListener,
  host?: string,
  port?: number,
): Promise<{ port: number; server: Server }> {
  const server = createServer(handle);
  const listeningPort = await listenPublic(server, host, port);
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { port: listeningPort, server };
}

async function canaryAt(port?: number, host?: string): Promise<Canary> {
  const canary = await openCanary(host, port);
  closing.push(() => canary.close());
  return canary;
}

async function startNameServer(...args: Parameters<typeof openNameServer>): Promise<NameServer> {
  const server = await openNameServer(...args);
  closing.push(() => server.close());
  return server;
}

/** Creates a client whose firewall permits loopback and whose guard permits only 127.0.0.2, to test the guard alone. */
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
/** Creates a client with the firewall and guard of the live world, which permit public addresses only. */
const clientWithDefaultRules = (options: Partial<OutboundOptions> = {}) =>
  new OutboundClient({ allowLoopback: false, timeoutMs: 5_000, ...options });
const call = (url: string) => ({
  url,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{}'),
});
const BLOCKED = { error: 'blocked_address', reason: 'blocked_address', responseTimeMs: expect.any(Number) };

describe('S1, S2, S9: a call to the internal or invalid URL', () => {
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
    const server = await startNameServer(() => [PUBLIC_ADDRESS]);
    const client = clientWithDefaultRules({ dnsServers: [server.address] });
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
  it.each(['127.0.0.1.nip.io', 'internal.example.com', 'db'])(
    'is rejected because of its address: %s',
    async (name) => {
      const canary = await canaryAt();
      const server = await startNameServer(({ type }) => (type === 'A' ? [INTERNAL_ADDRESS] : []));
      const client = clientWithDefaultRules({ dnsServers: [server.address] });
      expect(await client.post(call(`http://${name}:${canary.port}/`))).toEqual(BLOCKED);
      expect(canary.connections).toBe(0);
    },
  );

  it('is resolved without a name server if it is localhost', async () => {
    const { port } = await startReceiver((_req, res) => res.end(), INTERNAL_ADDRESS);
    const server = await startNameServer(() => ['192.0.2.1']);
    const client = clientOf({ dnsServers: [server.address], isAllowed: () => true });
    for (const host of ['localhost', 'a.localhost', 'localhost.'])
      expect(await client.post(call(`http://${host}:${port}/`))).toMatchObject({ statusCode: 200 });
    expect(server.questions).toEqual([]);
  });
});

describe('S5: a name that alternates between a public and an internal address', () => {
  it('is resolved and checked at each of 200 calls, and no call reaches the internal host', async () => {
    let received = 0;
    const { port } = await startReceiver((_req, res) => {
      received++;
      res.end();
    });
    const canary = await canaryAt(port);
    let queryCount = 0;
    const server = await startNameServer(({ type }) =>
      type === 'A' ? [queryCount++ % 2 === 0 ? PUBLIC_ADDRESS : INTERNAL_ADDRESS] : [],
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
    const types = server.questions.map(({ type }) => type);
    expect(types.filter((type) => type === 'A')).toHaveLength(200);
    expect(types.filter((type) => type === 'AAAA')).toHaveLength(200);
  });

  it('is resolved once for each call, even if the connection has to be opened again', async () => {
    let requests = 0;
    const { port, server: receiver } = await startReceiver((_req, res) => {
      requests++;
      res.end();
    });
    const canary = await canaryAt(port);
    const server = await startNameServer(({ type }) => (type === 'A' ? [PUBLIC_ADDRESS] : []));
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

describe('S6: a name with a public address and', () => {
  it.each([
    ['a private IPv4 address', [PUBLIC_ADDRESS, '10.0.0.1'], []],
    ['an internal IPv4 address before it', [INTERNAL_ADDRESS, PUBLIC_ADDRESS], []],
    ['the IPv6 loopback address', [PUBLIC_ADDRESS], ['::1']],
    ['an IPv6 form of an internal address', [PUBLIC_ADDRESS], ['::ffff:7f00:1']],
    ['a link-local IPv6 address', [PUBLIC_ADDRESS], ['fe80::1']],
  ])('%s is rejected without a connection', async (_second, v4, v6) => {
    let received = 0;
    const { port } = await startReceiver((_req, res) => {
      received++;
      res.end();
    });
    const canary = await canaryAt(port);
    const server = await startNameServer(({ type }) => (type === 'A' ? v4 : v6));
    const client = clientOf({ dnsServers: [server.address] });
    expect(await client.post(call(`http://mixed.example.com:${port}/`))).toEqual(BLOCKED);
    expect([received, canary.connections]).toEqual([0, 0]);
  });
});

describe('S7: a connection', () => {
  it('is not shared by two names with the same address', async () => {
    const hostsOf = new Map<unknown, Set<unknown>>();
    const { port } = await startReceiver((req, res) => {
      const hosts = hostsOf.get(req.socket) ?? new Set();
      hostsOf.set(req.socket, hosts.add(req.headers.host));
      res.end();
    });
    const server = await startNameServer(({ type }) => (type === 'A' ? [PUBLIC_ADDRESS] : []));
    const client = clientOf({ dnsServers: [server.address] });
    for (const name of ['a', 'b', 'a', 'b', 'a'])
      expect(await client.post(call(`http://${name}.example.com:${port}/`))).toMatchObject({
        statusCode: 200,
      });
    expect([...hostsOf.values()].map((hosts) => hosts.size)).toEqual([1, 1]);
  });

  it('is not reused by the same name after its address has changed', async () => {
    const receivers: string[] = [];
    const { port } = await startReceiver((_req, res) => void res.end(receivers.push('old') && 'old'));
    await startReceiver((_req, res) => void res.end(receivers.push('new') && 'new'), '127.0.0.3', port);
    let address = PUBLIC_ADDRESS;
    const client = clientOf({ resolve: async () => [address], isAllowed: () => true });
    const url = `http://moves.example.com:${port}/`;
    await client.post(call(url));
    address = '127.0.0.3';
    await client.post(call(url));
    expect(receivers).toEqual(['old', 'new']);
  });
});

describe('S8: a redirect to an internal host', () => {
  const LOCATIONS = {
    absolute: (port: number) => `http://${INTERNAL_ADDRESS}:${port}/`,
    relative: () => '/internal',
    'protocol-relative': (port: number) => `//${INTERNAL_ADDRESS}:${port}/`,
  };
  const cases = [301, 302, 303, 307, 308].flatMap((status) =>
    Object.entries(LOCATIONS).map(([kind, locationOf]) => ({ status, kind, locationOf })),
  );
  it.each(cases)(
    'by status $status with a Location that is $kind is not followed',
    async ({ status, locationOf }) => {
      const paths: unknown[] = [];
      const canary = await canaryAt();
      const { port } = await startReceiver((req, res) => {
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

describe('S10: the result of a rejected call', () => {
  it('contains an error code and no address', async () => {
    const client = clientWithDefaultRules({ resolve: async () => ['93.184.216.34', '10.11.12.13'] });
    const result = await client.post(call('http://hooks.example.com/'));
    expect(result).toEqual(BLOCKED);
    expect(JSON.stringify(result)).not.toContain('10.11');
  });
});

describe('S11: a call to an internal port', () => {
  it('has the same result whether the port is open or closed, and opens no socket', async () => {
    const open = await canaryAt();
    const closed = createTcpServer();
    const closedPort = await listenPublic(closed, INTERNAL_ADDRESS);
    await new Promise((resolve) => closed.close(resolve));
    const results: unknown[] = [];
    for (const [address, port] of [
      [INTERNAL_ADDRESS, open.port],
      [INTERNAL_ADDRESS, closedPort],
      // Nothing responds at this address, not even with a rejected connection.
      ['10.255.255.1', 8080],
    ] as const) {
      const client = clientWithDefaultRules({ resolve: async () => [address] });
      const sockets = await countSockets(async () => {
        results.push(await client.post(call(`http://scan.example.com:${port}/`)));
        results.push(await client.post(call(`http://${address}:${port}/`)));
      });
      expect(sockets).toBe(0);
    }
    expect(results).toEqual(Array.from({ length: 6 }, () => BLOCKED));
    expect(open.connections).toBe(0);
  });

  it('cannot open a socket unnoticed, because `countSockets` counts the one socket of a permitted call', async () => {
    const { port } = await startReceiver((_req, res) => res.end());
    expect(await countSockets(() => clientOf({}).post(call(`http://${PUBLIC_ADDRESS}:${port}/`)))).toBe(1);
  });
});

describe('S12: with the egress guard disabled', () => {
  it.each([INTERNAL_ADDRESS, '127.9.9.9'])('the firewall prevents a connection to %s', async (address) => {
    const canary = await canaryAt(undefined, address);
    const client = clientWithDefaultRules({ resolve: async () => [address], isAllowed: () => true });
    let result: unknown;
    const sockets = await countSockets(async () => {
      result = await client.post(call(`http://hooks.example.com:${canary.port}/`));
    });
    expect(result).toEqual(BLOCKED);
    expect([sockets, canary.connections]).toEqual([0, 0]);
  });

  it('the firewall checks each address that the client tries, not only the first', async () => {
    const canary = await canaryAt();
    const client = clientOf({
      resolve: async () => ['127.0.0.4', '10.0.0.1'],
      isAllowed: () => true,
    });
    expect(await client.post(call(`http://hooks.example.com:${canary.port}/`))).toEqual(BLOCKED);
    expect(canary.connections).toBe(0);
  });

  it('the firewall prevents a connection if the resolver returned a host name where an address belongs', async () => {
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
    const { port } = await startReceiver((_req, res) => res.end());
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
