/** Tests which WebSocket handshakes are accepted, and how others are rejected. */

import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { eventually } from '@trading-automation/runtime/testing';
import { TestEnvironment } from '../../../rest-api/test/proofs/test-environment.js';
import { createKeyPair, type KeyPair, openAccount } from '../../../rest-api/test/test-rest-api.js';
import { TcpProxy } from '../tcp-proxy.js';
import { post, startTestGraphqlApi, type TestGraphqlApi } from '../test-graphql-api.js';
import { clientOf, closed, handshake, PROTOCOL, RawClient, signedHandshake } from './socket-clients.js';

let environment: TestEnvironment;
let api: TestGraphqlApi;
let holder: KeyPair;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  api = await startTestGraphqlApi(environment.api.databaseUrl);
  holder = await openAccount(environment.api);
});
afterAll(async () => {
  await api.close();
  await environment.close();
});

const rejectedWith = (reason: string) => ({ code: 4403, reason });
const without = (headers: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
/** Swaps the halves of a signature: the result is well-formed but signs nothing. */
const swapHalves = (signature: string) => signature.slice(64) + signature.slice(0, 64);

describe('a handshake', () => {
  it('that is signed for CONNECT /graphql is accepted', async () => {
    expect(await handshake(api, signedHandshake(holder))).toBe('open');
  });

  it('without credentials is rejected', async () => {
    for (const payload of [undefined, {}, { user: 'me' }])
      expect(await handshake(api, payload)).toEqual(rejectedWith('authentication_required'));
  });

  it.each(['x-svc-pubkey', 'x-svc-timestamp', 'x-svc-nonce', 'x-svc-sig'])(
    'without %s, or with a malformed one, is rejected',
    async (name) => {
      const payload = signedHandshake(holder) as unknown as Record<string, string>;
      expect(await handshake(api, without(payload, name))).toEqual(rejectedWith('invalid_signature_headers'));
      for (const malformed of ['', 'x', 7, null, ['0'], { a: 1 }])
        expect(await handshake(api, { ...payload, [name]: malformed })).toEqual(
          rejectedWith('invalid_signature_headers'),
        );
    },
  );

  it('with a signature over another request is rejected', async () => {
    const payload = signedHandshake(holder);
    const signature = swapHalves(payload['x-svc-sig']);
    expect(await handshake(api, { ...payload, 'x-svc-sig': signature })).toEqual(
      rejectedWith('invalid_signature'),
    );
    for (const more of [
      { method: 'POST' },
      { method: 'GET' },
      { path: '/' },
      { path: '/graphql/' },
      { body: '{}' },
    ])
      expect(await handshake(api, signedHandshake(holder, more))).toEqual(rejectedWith('invalid_signature'));
  });

  it('of an unlinked key is rejected', async () => {
    expect(await handshake(api, signedHandshake(createKeyPair()))).toEqual(
      rejectedWith('unknown_public_key'),
    );
  });

  it('that is too old or from the future is rejected', async () => {
    for (const offset of [-61_000, 61_000]) {
      const payload = signedHandshake(holder, { nowMs: Date.now() + offset });
      expect(await handshake(api, payload)).toEqual(rejectedWith('timestamp_out_of_window'));
    }
  });

  it('is accepted once, even if it is sent twenty times concurrently', async () => {
    const payload = signedHandshake(holder);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => handshake(api, payload)));
    expect(outcomes.filter((outcome) => outcome === 'open')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome !== 'open')).toEqual(
      Array.from({ length: 19 }, () => rejectedWith('nonce_replayed')),
    );
  });

  it('with the nonce of an HTTP request is rejected', async () => {
    const nonce = randomBytes(16).toString('hex');
    const body = JSON.stringify({ query: '{ __typename }' });
    const request = signedHandshake(holder, { method: 'POST', body, nonce });
    expect((await post(api, body, { ...request })).status).toBe(200);
    expect(await handshake(api, signedHandshake(holder, { nonce }))).toEqual(rejectedWith('nonce_replayed'));
  });

  it('with an API key or an access token instead of a signature is rejected', async () => {
    expect(await handshake(api, { 'x-api-key': `svc_test_${'0'.repeat(49)}` })).toEqual(
      rejectedWith('invalid_api_key'),
    );
    expect(await handshake(api, { authorization: 'Bearer e30.e30.e30' })).toEqual(
      rejectedWith('authentication_required'),
    );
  });
});

describe('a socket is closed', () => {
  it('with 4401 when it sends an operation before the handshake', async () => {
    const client = await RawClient.open(api);
    client.subscribe('1', '{ __typename }');
    expect(await client.closed).toMatchObject({ code: 4401 });
  });

  it('with 4429 for a second connection_init, before or after acceptance', async () => {
    const joined = await RawClient.join(api, holder);
    joined.sendMessage({ type: 'connection_init', payload: signedHandshake(holder) });
    expect(await joined.closed).toMatchObject({ code: 4429 });
    const hasty = await RawClient.open(api);
    for (let i = 0; i < 2; i++)
      hasty.sendMessage({ type: 'connection_init', payload: signedHandshake(holder) });
    expect(await hasty.closed).toMatchObject({ code: 4429 });
  });

  it('with 4409 for two operations with one id', async () => {
    const client = await RawClient.join(api, holder);
    const subscription = 'subscription { tradeSignal(strategyId: "str_x") { id } }';
    for (let i = 0; i < 2; i++) client.subscribe('same', subscription);
    expect(await client.closed).toEqual({ code: 4409, reason: 'Subscriber for same already exists' });
  });

  it.each([
    ['a message that is not JSON', 'hello'],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x00, 0x81])],
    ['a key twice', '{"type":"ping","type":"ping"}'],
    ['a __proto__ member', '{"type":"ping","payload":{"__proto__":{}}}'],
    ['too many levels', `{"type":"ping","payload":{"a":${'['.repeat(40)}${']'.repeat(40)}}}`],
    ['an array', '[]'],
    ['a message in a string', JSON.stringify('{"type":"ping","type":"ping"}')],
    ['a message of an unknown type', '{"type":"start","id":"1"}'],
  ])('with 4400 for %s', async (_what, sent) => {
    const client = await RawClient.join(api, holder);
    client.socket.send(sent);
    expect(await client.closed).toMatchObject({ code: 4400 });
  });

  it('with 4406 without a subprotocol', async () => {
    const client = await RawClient.open(api, []);
    expect(await client.closed).toMatchObject({ code: 4406 });
  });

  it('with 4406 for another subprotocol', async () => {
    expect(await closeCodeOf(api, 'graphql-ws')).toBe(4406);
  });

  it('with 1009 for a frame of more than 64 KiB, before or after acceptance', async () => {
    const message = (bytes: number) => {
      const empty = JSON.stringify({ type: 'ping', payload: { a: '' } });
      return empty.replace('""', `"${'a'.repeat(bytes - empty.length)}"`);
    };
    const joined = await RawClient.join(api, holder);
    joined.socket.send(message(65_536));
    await joined.until(() => joined.messages.some(({ type }) => type === 'pong'));
    joined.socket.send(message(65_537));
    expect(await joined.closed).toMatchObject({ code: 1009 });
    const stranger = await RawClient.open(api);
    stranger.socket.send(message(65_537));
    expect(await stranger.closed).toMatchObject({ code: 1009 });
  });

  it('with 4408 without a connection_init in time', async () => {
    const impatient = await startTestGraphqlApi(environment.api.databaseUrl, {}, { initWaitMs: 50 });
    try {
      const client = await RawClient.open(impatient);
      expect(await client.closed).toEqual({ code: 4408, reason: 'Connection initialisation timeout' });
    } finally {
      await impatient.close();
    }
  });
});

describe('an upgrade', () => {
  it('at another path gets no response', async () => {
    for (const path of ['/', '/graphql/', '/graphqlx', '/v1/trades', '//graphql'])
      expect(await upgrade(api, path, PROTOCOL)).toEqual(Buffer.alloc(0));
  });

  it('at /graphql is accepted with any query', async () => {
    expect(String(await upgrade(api, '/graphql?a=1', PROTOCOL, 1))).toMatch(/^HTTP\/1\.1 101 /);
  });
});

describe('a client that disconnects during its handshake', () => {
  it('leaves no lease', async () => {
    const account = await openAccount(environment.api);
    const leases = () => environment.rows("SELECT FROM event_streams WHERE kind = 'sockets'");
    await eventually(async () => (await leases()).length === 0);
    // A connection of its own holds a lock, which delays every lease until all clients have disconnected.
    const lockHolder = await environment.api.openSecondPlatform(1);
    await lockHolder.database.transaction(async (tx) => {
      await tx.query('LOCK TABLE event_streams IN ACCESS EXCLUSIVE MODE');
      const clients = await Promise.all(Array.from({ length: 20 }, () => RawClient.open(api)));
      for (const client of clients)
        client.sendMessage({ type: 'connection_init', payload: signedHandshake(account) });
      await eventually(async () => (await waitingForLease()) > 0);
      for (const client of clients) client.cut();
      await Promise.all(clients.map((client) => client.closed));
    });
    // A credential may have five sockets, so five are accepted only if no lease is left. Abandoned handshakes that are
    // still being processed hold a lease briefly.
    let five: RawClient[] = [];
    await eventually(
      async () => {
        const joins = await Promise.allSettled(Array.from({ length: 5 }, () => RawClient.join(api, account)));
        five = joins.flatMap((join) => (join.status === 'fulfilled' ? [join.value] : []));
        if (five.length === 5) return true;
        for (const client of five) client.cut();
        return false;
      },
      { everyMs: 100 },
    );
    expect(await leases()).toHaveLength(5);
    for (const client of five) client.cut();
    await eventually(async () => (await leases()).length === 0);
  });
});

async function waitingForLease(): Promise<number> {
  const rows = await environment.rows(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%event_streams%'`,
  );
  return rows.length;
}

describe('while Redis is unavailable', () => {
  let redis: TcpProxy;
  beforeAll(async () => {
    redis = await TcpProxy.start(process.env.TEST_REDIS_URL ?? '');
  });
  afterAll(() => redis.close());

  it('every handshake is rejected with 1013, so that clients retry', async () => {
    const proxied = await startTestGraphqlApi(environment.api.databaseUrl, { REDIS_URL: redis.url });
    try {
      expect(await handshake(proxied, signedHandshake(holder))).toBe('open');
      redis.refuseConnections();
      expect(await handshake(proxied, signedHandshake(holder))).toEqual({
        code: 1013,
        reason: 'service_unavailable',
      });
      redis.resume();
      await eventually(async () => (await handshake(proxied, signedHandshake(holder))) === 'open');
    } finally {
      await proxied.close();
    }
  });
});

it('a rejected graphql-ws client gets the close code in its closed event', async () => {
  const client = clientOf(api, createKeyPair());
  const end = closed(client);
  client.subscribe({ query: '{ __typename }' }, { next() {}, error() {}, complete() {} });
  expect(await end).toEqual(rejectedWith('unknown_public_key'));
});

/** Returns the response to an upgrade until the connection ends or the given number of bytes is received. */
async function upgrade(
  { port }: { readonly port: number },
  path: string,
  protocol: string,
  byteLimit = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  const key = createHash('md5').update('websocket key').digest('base64');
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
  );
  const chunks: Buffer[] = [];
  let byteCount = 0;
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      byteCount += chunk.length;
      if (byteCount >= byteLimit) resolve();
    });
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
  });
  socket.destroy();
  return Buffer.concat(chunks);
}

/** Returns the code of the close frame after the upgrade. */
async function closeCodeOf(at: { readonly port: number }, protocol: string): Promise<number> {
  const bytes = await upgrade(at, '/graphql', protocol, 200);
  const frame = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
  return frame.readUInt16BE(2);
}
