import { type NameServer, openNameServer } from '../../test/network-fixtures.js';
import { areNameServers, NameResolver } from './name-resolver.js';

const servers: NameServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(...given: Parameters<typeof openNameServer>): Promise<NameServer> {
  const server = await openNameServer(...given);
  servers.push(server);
  return server;
}
const ask = (server: NameServer, name = 'hooks.example.com', signal = new AbortController().signal) =>
  new NameResolver([server.address]).addressesOf(name, signal);

describe('a look-up', () => {
  it('sends one A and one AAAA query, and returns all addresses, IPv4 first', async () => {
    const server = await serve(({ type }) =>
      type === 'A' ? ['192.0.2.1', '192.0.2.2'] : ['2001:db8::1', '2001:db8::2'],
    );
    expect(await ask(server)).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2']);
    expect(server.questions.map(({ name, type }) => `${type} ${name}`).sort()).toEqual([
      'A hooks.example.com',
      'AAAA hooks.example.com',
    ]);
  });

  it.each([
    ['has no records', []],
    ['does not exist', 'NXDOMAIN'],
    ['is refused an answer', 'SERVFAIL'],
  ] as const)('uses the other family if one %s', async (_what, none) => {
    const v4 = await serve(({ type }) => (type === 'A' ? ['192.0.2.1'] : none));
    const v6 = await serve(({ type }) => (type === 'A' ? none : ['2001:db8::1']));
    expect(await ask(v4)).toEqual(['192.0.2.1']);
    expect(await ask(v6)).toEqual(['2001:db8::1']);
  });

  it.each(['NXDOMAIN', 'SERVFAIL'] as const)('returns no addresses for the response %s', async (said) => {
    expect(await ask(await serve(() => said))).toEqual([]);
  });

  it('caches nothing: each look-up queries again', async () => {
    let asked = 0;
    const server = await serve(({ type }) => (type === 'A' ? [`192.0.2.${++asked}`] : []));
    const resolver = new NameResolver([server.address]);
    const { signal } = new AbortController();
    expect(await resolver.addressesOf('hooks.example.com', signal)).toEqual(['192.0.2.1']);
    expect(await resolver.addressesOf('hooks.example.com', signal)).toEqual(['192.0.2.2']);
  });

  it('ignores /etc/hosts and the search list: it resolves the name unchanged', async () => {
    const server = await serve(() => 'NXDOMAIN');
    expect(await ask(server, 'localhost.localdomain')).toEqual([]);
    expect(await ask(server, 'db')).toEqual([]);
    expect(new Set(server.questions.map(({ name }) => name))).toEqual(
      new Set(['localhost.localdomain', 'db']),
    );
  });

  it('ends immediately when it is aborted, without effect on others', async () => {
    const server = await serve(({ name }) => (name === 'hangs.example.com' ? 'silence' : ['192.0.2.1']));
    const resolver = new NameResolver([server.address]);
    const clocks = Array.from({ length: 50 }, () => new AbortController());
    const hanging = clocks.map(({ signal }) => resolver.addressesOf('hangs.example.com', signal));
    const { signal } = new AbortController();
    expect(await resolver.addressesOf('hooks.example.com', signal)).toContain('192.0.2.1');
    for (const clock of clocks) clock.abort();
    expect(await Promise.all(hanging)).toEqual(clocks.map(() => []));
    // Sooner than the timeout of a silent server.
  }, 5_000);
});

describe('a setting of name servers', () => {
  it('accepts addresses with and without a port, and nothing else', () => {
    expect(areNameServers(['10.0.0.53', '10.0.0.53:5353', '[::1]:53', '::1'])).toBe(true);
    for (const wrong of [[], [''], ['dns.example.com'], ['10.0.0.1:99999'], ['10.0.0.1', 'x']])
      expect(areNameServers(wrong)).toBe(false);
    expect(() => new NameResolver(['dns.example.com'])).toThrow(TypeError);
  });
});
