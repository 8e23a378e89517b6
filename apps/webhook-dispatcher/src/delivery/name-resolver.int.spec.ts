import { type NameServer, openNameServer } from '../../test/network-fixtures.js';
import { areNameServers, NameResolver } from './name-resolver.js';

const servers: NameServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function startServer(...args: Parameters<typeof openNameServer>): Promise<NameServer> {
  const server = await openNameServer(...args);
  servers.push(server);
  return server;
}
const lookUp = (server: NameServer, name = 'hooks.example.com', signal = new AbortController().signal) =>
  new NameResolver([server.address]).lookUp(name, signal);
const resolve = async (server: NameServer, name?: string) => (await lookUp(server, name)).addresses;

describe('a look-up', () => {
  it('sends one A and one AAAA query, and returns all addresses, IPv4 first', async () => {
    const server = await startServer(({ type }) =>
      type === 'A' ? ['192.0.2.1', '192.0.2.2'] : ['2001:db8::1', '2001:db8::2'],
    );
    expect(await resolve(server)).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2']);
    expect(server.questions.map(({ name, type }) => `${type} ${name}`).sort()).toEqual([
      'A hooks.example.com',
      'AAAA hooks.example.com',
    ]);
  });

  it.each([
    ['no records', []],
    ['NXDOMAIN', 'NXDOMAIN'],
    ['SERVFAIL', 'SERVFAIL'],
  ] as const)(
    'returns the addresses of one family if the query for the other gets %s',
    async (_name, noAddress) => {
      const v4 = await startServer(({ type }) => (type === 'A' ? ['192.0.2.1'] : noAddress));
      const v6 = await startServer(({ type }) => (type === 'A' ? noAddress : ['2001:db8::1']));
      expect(await resolve(v4)).toEqual(['192.0.2.1']);
      expect(await resolve(v6)).toEqual(['2001:db8::1']);
    },
  );

  it.each(['NXDOMAIN', 'SERVFAIL'] as const)(
    'returns no addresses if both queries get %s',
    async (response) => {
      expect(await resolve(await startServer(() => response))).toEqual([]);
    },
  );

  it.each([
    ['the name does not exist', 'NXDOMAIN', 'NXDOMAIN', 'dns_name_not_found'],
    ['the name has no address', [], [], 'dns_no_address'],
    ['the name servers fail', 'SERVFAIL', 'SERVFAIL', 'dns_server_failure'],
    ['one query fails and the other finds no address', [], 'SERVFAIL', 'dns_server_failure'],
  ] as const)('reports that %s', async (_case, v4, v6, failure) => {
    const server = await startServer(({ type }) => (type === 'A' ? v4 : v6));
    expect(await lookUp(server)).toEqual({ addresses: [], failure });
  });

  it('is not cached: the next look-up of the name sends queries again', async () => {
    let queryCount = 0;
    const server = await startServer(({ type }) => (type === 'A' ? [`192.0.2.${++queryCount}`] : []));
    const resolver = new NameResolver([server.address]);
    const { signal } = new AbortController();
    expect((await resolver.lookUp('hooks.example.com', signal)).addresses).toEqual(['192.0.2.1']);
    expect((await resolver.lookUp('hooks.example.com', signal)).addresses).toEqual(['192.0.2.2']);
  });

  it('queries the name unchanged, and ignores /etc/hosts and the search list', async () => {
    const server = await startServer(() => 'NXDOMAIN');
    expect(await resolve(server, 'localhost.localdomain')).toEqual([]);
    expect(await resolve(server, 'db')).toEqual([]);
    expect(new Set(server.questions.map(({ name }) => name))).toEqual(
      new Set(['localhost.localdomain', 'db']),
    );
  });

  it('ends immediately when it is aborted, and other look-ups continue', async () => {
    const server = await startServer(({ name }) =>
      name === 'hangs.example.com' ? 'silence' : ['192.0.2.1'],
    );
    const resolver = new NameResolver([server.address]);
    const controllers = Array.from({ length: 50 }, () => new AbortController());
    const hanging = controllers.map(({ signal }) => resolver.lookUp('hangs.example.com', signal));
    const { signal } = new AbortController();
    expect((await resolver.lookUp('hooks.example.com', signal)).addresses).toContain('192.0.2.1');
    for (const controller of controllers) controller.abort();
    expect((await Promise.all(hanging)).map(({ addresses }) => addresses)).toEqual(controllers.map(() => []));
    // This test times out after 5 s, before an unanswered look-up would give up (6 s). So it proves that the abort
    // ended the look-ups.
  }, 5_000);
});

describe('areNameServers', () => {
  it('accepts addresses with and without a port, and nothing else', () => {
    expect(areNameServers(['10.0.0.53', '10.0.0.53:5353', '[::1]:53', '::1'])).toBe(true);
    for (const invalid of [[], [''], ['dns.example.com'], ['10.0.0.1:99999'], ['10.0.0.1', 'x']])
      expect(areNameServers(invalid)).toBe(false);
    expect(() => new NameResolver(['dns.example.com'])).toThrow(TypeError);
  });
});
