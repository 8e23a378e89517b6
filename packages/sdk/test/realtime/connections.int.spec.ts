/** Tests the shared connection of all streams: signing, keep-alive, failures and reconnects. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  Client,
  ConflictError,
  ConnectionError,
  RateLimitError,
  TimeoutError,
} from '../../src/index.js';
import { closeRealtime, failureOf, openRealtime, take } from './open-realtime.js';
import { StubRealtimeServer } from './stub-realtime-server.js';

let server: StubRealtimeServer;
beforeEach(async () => {
  server = await StubRealtimeServer.open();
});
afterEach(async () => {
  await closeRealtime();
  await server.close();
});

const TICKS = 'subscription ($after: Int) { tick(after: $after) }';

describe('a connection', () => {
  it('has its own signature, over the method CONNECT and a new nonce', async () => {
    const signed: string[] = [];
    const stream = openRealtime(
      server.client({ onSign: (canonical) => signed.push(canonical) }),
    ).tradeSignals('str_1', {
      afterSequence: 0,
    });
    for (let round = 1; round <= 3; round++) {
      server.signal();
      await take(stream, 1);
      server.cut();
    }
    server.signal();
    await take(stream, 1);
    expect(new Set(server.handshakes.map((headers) => headers['x-svc-nonce'])).size).toBe(4);
    for (const canonical of signed) expect(canonical).toMatch(/^CONNECT\n\/graphql\n\d+\n[0-9a-f]{32}\n/);
    for (const headers of server.handshakes)
      expect(Object.keys(headers).sort()).toEqual([
        'x-svc-nonce',
        'x-svc-pubkey',
        'x-svc-sig',
        'x-svc-timestamp',
      ]);
  });

  it('is shared by many streams and closes after the last one', async () => {
    const realtime = openRealtime(server.client());
    const streams = Array.from({ length: 20 }, () => realtime.tradeSignals('str_1', { afterSequence: 0 }));
    server.signal();
    await Promise.all(streams.map((stream) => take(stream, 1)));
    expect(server.handshakes).toHaveLength(1);
    for (const stream of streams) stream.close();
    await server.waitUntil(() => server.openSockets === 0);
    expect(server.completes).toBe(20);
  });

  it('carries fifty streams and rejects one more without affecting the others', async () => {
    const realtime = openRealtime(server.client());
    const streams = Array.from({ length: 50 }, () => realtime.tradeSignals('str_1', { afterSequence: 0 }));
    const { error } = await failureOf(realtime.tradeSignals('str_1'));
    expect(error).toBeInstanceOf(ConflictError);
    expect(error).toMatchObject({ code: 'limit_reached' });
    server.signal();
    await Promise.all(streams.map((stream) => take(stream, 1)));
  });

  it('is opened again with the server’s time after its timestamp was rejected', async () => {
    server.skewMs = 300_000;
    const client = server.client();
    const realtime = openRealtime(client);
    const streams = [1, 2].map(() => realtime.tradeSignals('str_1', { afterSequence: 0 }));
    server.signal();
    await Promise.all(streams.map((stream) => take(stream, 1)));
    expect(server.handshakes).toHaveLength(2);
    expect(await client.graphql('{ me { id } }')).toEqual({ me: { id: 'usr_1' } });
    // The server's clock changes again.
    server.skewMs = -300_000;
    server.cut();
    server.signal();
    await Promise.all(streams.map((stream) => take(stream, 1)));
    expect(server.handshakes).toHaveLength(4);
  });

  it('fails if its timestamp is rejected even with the server’s time', async () => {
    server.refusal = [4403, 'timestamp_out_of_window'];
    const { error } = await failureOf(openRealtime(server.client()).tradeSignals('str_1'));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ code: 'timestamp_out_of_window' });
    expect(server.handshakes).toHaveLength(2);
  });

  it('is replaced if the server stops responding', async () => {
    const stream = openRealtime(server.client(), { heartbeat: 50 }).tradeSignals('str_1', {
      afterSequence: 0,
    });
    server.signal();
    await take(stream, 1);
    server.stopResponding();
    server.signal();
    expect(await take(stream, 1)).toMatchObject([{ sequence: 2 }]);
    expect(server.handshakes.length).toBeGreaterThan(1);
  });

  it('stays open without data while the server answers pings', async () => {
    const stream = openRealtime(server.client(), { heartbeat: 700 }).tradeSignals('str_1', {
      afterSequence: 0,
    });
    await server.waitUntil(() => server.pings === 2);
    server.signal();
    await take(stream, 1);
    expect(server.handshakes).toHaveLength(1);
  });

  it('is retried without a limit while the server is unavailable, if it was accepted once', async () => {
    const stream = openRealtime(server.client(), { maxRetries: 0 }).tradeSignals('str_1', {
      afterSequence: 0,
    });
    server.signal();
    await take(stream, 1);
    await server.close();
    const next = take(stream, 1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await server.listen();
    server.signal();
    expect(await next).toMatchObject([{ sequence: 2 }]);
  });

  describe('to a server that accepts it and does not respond', () => {
    let listener: Server;
    let graphqlURL: string;
    beforeEach(async () => {
      listener = createServer().listen(0, '127.0.0.1');
      await once(listener, 'listening');
      graphqlURL = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    });
    afterEach(() => void listener.close());

    it('fails after the time limit', async () => {
      const realtime = openRealtime(server.client({ graphqlURL }), { timeout: 20, maxRetries: 1 });
      expect((await failureOf(realtime.orderbook('tpr_1'))).error).toBeInstanceOf(TimeoutError);
    });

    it('is terminated immediately when all streams that wait for it are closed', async () => {
      const accepted = once(listener, 'connection');
      const realtime = openRealtime(server.client({ graphqlURL }), { timeout: 3_600_000 });
      const streams = [realtime.orderbook('tpr_1'), realtime.orderbook('tpr_2')];
      const [socket] = (await accepted) as [Socket];
      const ended = once(socket.resume(), 'close');
      for (const stream of streams) stream.close();
      await ended;
    });
  });

  it('is reconnected with growing delays until data arrives', async () => {
    const failureCounts: number[] = [];
    const reconnectDelay = (failures: number) => {
      failureCounts.push(failures);
      return 1;
    };
    const stream = openRealtime(server.client(), { reconnectDelay }).tradeSignals('str_1', {
      afterSequence: 0,
    });
    for (let round = 1; round <= 3; round++) {
      server.signal();
      await take(stream, 1);
      server.refusal = [1013, 'service_unavailable'];
      server.cut();
      await server.waitUntil(() => failureCounts.length >= 3 * round);
      server.refusal = undefined;
    }
    server.signal();
    await take(stream, 1);
    const failureRuns = failureCounts.join().split(/(?<=\d),(?=0)/);
    expect(failureRuns).toHaveLength(3);
    for (const run of failureRuns)
      expect(run).toBe(
        run
          .split(',')
          .map((_, i) => i)
          .join(),
      );
  });

  it('is retried only maxRetries times if it was never accepted', async () => {
    await server.close();
    const failureCounts: number[] = [];
    const reconnectDelay = (failures: number) => failureCounts.push(failures);
    const stream = openRealtime(server.client(), { maxRetries: 3, reconnectDelay }).tradeSignals('str_1');
    const { error } = await failureOf(stream);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(String(error)).toContain(`127.0.0.1:${server.port}`);
    expect(String(error)).toContain('graphqlURL is not set');
    expect(failureCounts).toEqual([0, 1, 2, 3]);
  });

  it.each([
    [4403, 'unknown_public_key', AuthenticationError, 'unknown_public_key'],
    [4403, 'permission_denied', ApiError, 'permission_denied'],
    [4412, 'Credential ended', AuthenticationError, 'unknown_public_key'],
    [4411, 'Too many sockets', RateLimitError, 'rate_limited'],
    [1009, 'Max payload size exceeded', ApiError, 'payload_too_large'],
    [4406, 'Subprotocol not acceptable', ApiError, 'unknown'],
    [4400, 'Invalid message received', BadRequestError, 'unknown'],
    [4401, 'Unauthorized', AuthenticationError, 'unknown'],
    [4409, 'Subscriber already exists', ConflictError, 'unknown'],
    [4429, 'Too many initialisation requests', RateLimitError, 'unknown'],
  ])('is not retried after the close code %d %s', async (code, reason, ErrorClass, errorCode) => {
    server.refusal = [code, reason];
    const { error } = await failureOf(openRealtime(server.client()).tradeSignals('str_1'));
    expect(error).toBeInstanceOf(ErrorClass);
    expect(error).toMatchObject({ code: errorCode });
    expect(server.handshakes).toHaveLength(1);
  });

  it.each([
    [1001, 'Going away'],
    [1013, 'service_unavailable'],
    [1012, ''],
    [4403, 'nonce_replayed'],
    [4408, 'No pong'],
    [4410, 'Too slow'],
    [4411, 'Too many sockets'],
    [4500, 'Internal server error'],
    [4999, 'a code that the SDK does not know'],
  ])('is opened again after the close code %d %s', async (code, reason) => {
    const stream = openRealtime(server.client()).tradeSignals('str_1', { afterSequence: 0 });
    server.signal();
    await take(stream, 1);
    server.refusal = [code, reason];
    server.closeAll(code, reason);
    await server.waitUntil(() => server.handshakes.length >= 3);
    server.refusal = undefined;
    server.signal();
    expect(await take(stream, 1)).toMatchObject([{ sequence: 2 }]);
  });

  it('ends every stream with the error unknown_public_key when the key pair is revoked', async () => {
    const realtime = openRealtime(server.client());
    const streams = [realtime.tradeSignals('str_1', { afterSequence: 0 }), realtime.orderbook('tpr_1')];
    await server.waitUntil(() => server.subscribes.length === 2);
    const failures = Promise.all(streams.map((stream) => failureOf(stream)));
    server.closeAll(4412, 'Credential ended');
    for (const { error } of await failures) expect(error).toMatchObject({ code: 'unknown_public_key' });
  });

  it('is not opened with an API key, which is only for REST', async () => {
    const apiKey = `svc_test_${'a'.repeat(43)}`;
    const client = new Client({ baseURL: `http://127.0.0.1:${server.port}`, apiKey, logLevel: 'off' });
    const { error } = await failureOf(openRealtime(client).tradeSignals('str_1'));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('signer');
    expect(server.handshakes).toHaveLength(0);
  });

  it('fails with the error of the signer', async () => {
    const signerError = new Error('the keyring is locked');
    const signer = { publicKey: '02'.repeat(33), sign: () => Promise.reject(signerError) };
    const { error } = await failureOf(openRealtime(server.client({ signer })).tradeSignals('str_1'));
    expect(error).toBe(signerError);
  });

  it('cannot be configured with an invalid option', () => {
    for (const invalid of [{ timeout: 0 }, { heartbeat: -1 }, { heartbeat: Number.NaN }, { maxRetries: 0.5 }])
      expect(() => openRealtime(server.client(), invalid)).toThrow(RangeError);
  });

  it('uses the configured WebSocket class', async () => {
    let created = 0;
    class CountedWebSocket extends WebSocket {
      constructor(...args: ConstructorParameters<typeof WebSocket>) {
        super(...args);
        created++;
      }
    }
    const stream = openRealtime(server.client(), { webSocketImpl: CountedWebSocket }).tradeSignals('str_1', {
      afterSequence: 0,
    });
    server.signal();
    await take(stream, 1);
    expect(created).toBe(1);
  });
});

describe('a stream', () => {
  it('ends after leaving its loop', async () => {
    server.signal(3);
    for await (const { sequence } of openRealtime(server.client()).tradeSignals('str_1', {
      afterSequence: 0,
    }))
      if (sequence === 2) break;
    await server.waitUntil(() => server.completes === 1 && server.openSockets === 0);
  });

  it('resolves waiting readers and drops unread items when it is closed', async () => {
    const realtime = openRealtime(server.client());
    const [stream, unread] = [0, 0].map((afterSequence) => realtime.tradeSignals('str_1', { afterSequence }));
    server.signal();
    await take(stream!, 1);
    const waiting = [stream!.next(), stream!.next()];
    stream!.close();
    for (const next of waiting) expect(await next).toEqual({ done: true, value: undefined });
    // The results of a connection arrive in order: once this one has arrived, `unread` has its signal.
    await take(realtime.subscribe('{ me { id } }'), 1);
    unread!.close();
    expect(await unread!.next()).toEqual({ done: true, value: undefined });
  });

  it('throws the reason of an abort before it starts, while it connects and once it is connected', async () => {
    const reason = new Error('enough');
    const open = (signal: AbortSignal) => openRealtime(server.client()).tradeSignals('str_1', { signal });
    expect(await failureOf(open(AbortSignal.abort(reason)))).toEqual({ error: reason, items: 0 });
    const [early, late] = [new AbortController(), new AbortController()];
    const failures = [open(early.signal), open(late.signal)].map((stream) => failureOf(stream));
    early.abort(reason);
    await server.waitUntil(() => server.subscribes.length === 1);
    late.abort(reason);
    expect(await Promise.all(failures)).toEqual([
      { error: reason, items: 0 },
      { error: reason, items: 0 },
    ]);
    await server.waitUntil(() => server.openSockets === 0);
  });

  it('can be aborted while it waits to reconnect', async () => {
    const ending = new AbortController();
    const reconnectDelay = () => 3_600_000;
    const stream = openRealtime(server.client(), { reconnectDelay }).orderbook('tpr_1', {
      signal: ending.signal,
    });
    await take(stream, 1);
    server.cut();
    await server.waitUntil(() => server.openSockets === 0);
    const failure = failureOf(stream);
    ending.abort('enough');
    expect(await failure).toEqual({ error: 'enough', items: 0 });
  });

  it('ends when its Realtime is closed, which then throws a TypeError for a new stream', async () => {
    const realtime = openRealtime(server.client());
    const streams = [realtime.orderbook('tpr_1'), realtime.tradeSignals('str_1')];
    await server.waitUntil(() => server.subscribes.length === 2);
    await realtime.close();
    for (const stream of streams) for await (const _ of stream);
    await server.waitUntil(() => server.openSockets === 0);
    expect(() => realtime.orderbook('tpr_1')).toThrow(TypeError);
  });

  it('of a caller’s GraphQL document is sent again after a disconnect, with its current variables', async () => {
    let seen = 0;
    const stream = openRealtime(server.client()).subscribe<{ tick: number }, { after: number }>(
      TICKS,
      () => ({
        after: seen,
      }),
    );
    for (let round = 1; round <= 5; round++) {
      server.tick();
      const [{ tick }] = (await take(stream, 1)) as [{ tick: number }];
      expect(tick).toBe(round);
      seen = tick;
      server.cut();
    }
    expect(server.subscribes.slice(0, 5)).toEqual([0, 1, 2, 3, 4].map((after) => ({ after })));
  });

  it('of a query or a mutation ends with its result; a mutation keeps its Idempotency-Key on retries', async () => {
    const realtime = openRealtime(server.client());
    const results: unknown[] = [];
    for await (const result of realtime.subscribe('{ me { id } }')) results.push(result);
    expect(results).toEqual([{ me: { id: 'usr_1' } }]);
    server.failures.push('service_unavailable');
    for await (const result of realtime.subscribe('mutation { order(amount: "1.5") }')) results.push(result);
    expect(results[1]).toEqual({ order: 'order 1, amount 1.5' });
    const [, firstKey, retryKey] = server.idempotencyKeys;
    expect(firstKey).toMatch(/^[0-9a-f]{32}$/);
    expect(retryKey).toBe(firstKey);
  });

  it('ends with an error if its results are not read, instead of exhausting memory', async () => {
    const realtime = openRealtime(server.client());
    const stream = realtime.subscribe('subscription { tick(after: 0) }');
    server.ticks = 5_000;
    const { error, items } = await (async () => {
      await server.waitUntil(() => server.completes === 1);
      return failureOf(stream);
    })();
    expect(items).toBe(1_000);
    expect(String(error)).toContain('Read faster');
  });

  it('is not opened for an operation that exceeds the maximum message size', async () => {
    const realtime = openRealtime(server.client());
    const { error } = await failureOf(realtime.subscribe('{ me { id } }', { text: 'x'.repeat(70_000) }));
    expect(error).toBeInstanceOf(RangeError);
    expect(server.handshakes).toHaveLength(0);
  });
});
