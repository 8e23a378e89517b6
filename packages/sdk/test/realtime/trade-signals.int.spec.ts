/** Tests that signals of a strategy are neither lost nor repeated over failing connections. */
import { BadRequestError, NotFoundError } from '../../src/index.js';
import { closeRealtime, failureOf, openRealtime, take } from './open-realtime.js';
import { StubRealtimeServer, TIMESTAMP } from './stub-realtime-server.js';

let server: StubRealtimeServer;
beforeEach(async () => {
  server = await StubRealtimeServer.open();
});
afterEach(async () => {
  await closeRealtime();
  await server.close();
});

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const sequencesOf = (signals: readonly { sequence: number }[]) => signals.map(({ sequence }) => sequence);

describe('a signal', () => {
  it('has the form of a REST record: the same names, no null fields, and decimals as numbers', async () => {
    server.signal();
    const [signal] = await take(openRealtime(server.client()).tradeSignals('str_1', { afterSequence: 0 }), 1);
    expect(signal).toEqual({
      id: 'sig_1',
      sequence: 1,
      strategy_id: 'str_1',
      kind: 'OPEN',
      symbol: 'BTC/USDT',
      trading_type: 'spot',
      side: 'BUY',
      order_type: 'LIMIT',
      price: 60000.5,
      filled_amount: 0.1,
      reference_price: 60000.25,
      source_trade_id: 'trd_1',
      emitted_at: TIMESTAMP,
      expires_at: TIMESTAMP,
    });
  });

  it('has decimals as strings, without loss of digits, if the client requests strings', async () => {
    server.signal();
    const client = server.client({ decimals: 'string' });
    const [signal] = await take(openRealtime(client).tradeSignals('str_1', { afterSequence: 0 }), 1);
    expect(signal).toMatchObject({ price: '60000.5', filled_amount: '0.1000000000000000005' });
  });
});

describe('a stream of signals', () => {
  it('starts after the requested sequence', async () => {
    server.signal(5);
    const stream = openRealtime(server.client()).tradeSignals('str_1', { afterSequence: 3 });
    expect(sequencesOf(await take(stream, 2))).toEqual([4, 5]);
  });

  it('starts with the next signal by default, and resumes after the last received one', async () => {
    server.signal(5);
    const stream = openRealtime(server.client()).tradeSignals('str_1');
    await server.waitUntil(() => server.subscribes.length === 1);
    server.signal();
    expect(sequencesOf(await take(stream, 1))).toEqual([6]);
    server.cut();
    server.signal();
    expect(sequencesOf(await take(stream, 1))).toEqual([7]);
    expect(server.subscribes).toEqual([{ strategy: 'str_1' }, { strategy: 'str_1', after: 6 }]);
  });

  it('neither loses nor repeats a signal over twenty disconnects, even if some signals are unread', async () => {
    const stream = openRealtime(server.client()).tradeSignals('str_1', { afterSequence: 0 });
    const sequences: number[] = [];
    for (let round = 0; round < 20; round++) {
      // Ensures that there is a connection to drop.
      await server.waitUntil(() => server.subscribes.length > round);
      server.signal(10);
      sequences.push(...sequencesOf(await take(stream, 1 + (round % 10))));
      server.cut();
      server.signal(3);
    }
    sequences.push(...sequencesOf(await take(stream, 20 * 13 - sequences.length)));
    expect(sequences).toEqual(upTo(260));
    expect(server.handshakes.length).toBeGreaterThanOrEqual(20);
  });

  it('requests a missing signal again and ignores a repeated one', async () => {
    [server.skipped, server.doubled] = [3, 5];
    server.signal(7);
    const stream = openRealtime(server.client()).tradeSignals('str_1', { afterSequence: 0 });
    expect(sequencesOf(await take(stream, 7))).toEqual(upTo(7));
    expect(server.subscribes).toEqual([
      { strategy: 'str_1', after: 0 },
      { strategy: 'str_1', after: 2 },
    ]);
  });

  it('resumes with the shortest delay after the server completes the subscription', async () => {
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
      expect(sequencesOf(await take(stream, 1))).toEqual([round]);
      server.completeAll();
    }
    server.signal();
    await take(stream, 1);
    expect(failureCounts).toEqual([0, 0, 0]);
    expect(server.handshakes).toHaveLength(1);
  });

  it('is not requested again before the delay that the server requests has passed', async () => {
    const stream = openRealtime(server.client(), { heartbeat: 200 }).tradeSignals('str_1', {
      afterSequence: 0,
    });
    server.signal();
    await take(stream, 1);
    server.retryAfter = 3_600;
    server.failures.push('rate_limited');
    server.completeAll();
    await server.waitUntil(() => server.subscribes.length === 2);
    // Until the next ping, the client has time to request the stream again, but must not.
    const { pings } = server;
    await server.waitUntil(() => server.pings > pings);
    expect(server.subscribes).toHaveLength(2);
  });

  it('buffers 1,000 signals for a slow reader, then pauses the subscription, and loses no signal', async () => {
    server.signal(2_000);
    const stream = openRealtime(server.client()).tradeSignals('str_1', { afterSequence: 0 });
    const signals = await take(stream, 1);
    await server.waitUntil(() => server.completes === 1);
    expect(server.subscribes).toHaveLength(1);
    signals.push(...(await take(stream, 400)));
    // Most of the buffer is unread, so there is no new subscription.
    expect(server.subscribes).toHaveLength(1);
    signals.push(...(await take(stream, 1_599)));
    expect(sequencesOf(signals)).toEqual(upTo(2_000));
    const [, resumed] = server.subscribes;
    expect(resumed!.after).toBeLessThanOrEqual(1_001);
  });

  it('of an unknown strategy throws the same error as REST', async () => {
    const { error, items } = await failureOf(
      openRealtime(server.client()).tradeSignals('absent', { afterSequence: 0 }),
    );
    expect(items).toBe(0);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ code: 'not_found', status: 404, requestId: 'request of not_found' });
  });

  it('throws an error once, after all earlier signals', async () => {
    server.signal(3);
    const stream = openRealtime(server.client()).tradeSignals('private after 2', { afterSequence: 0 });
    expect(await failureOf(stream)).toMatchObject({ error: { code: 'not_found' }, items: 2 });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it('survives transient errors after its first signal; before that, it throws after maxRetries', async () => {
    const stream = openRealtime(server.client(), { maxRetries: 1 }).tradeSignals('str_1', {
      afterSequence: 0,
    });
    server.failures.push('service_unavailable');
    server.signal();
    await take(stream, 1);
    server.failures.push(...Array(5).fill('service_unavailable'));
    server.completeAll();
    server.signal();
    expect(sequencesOf(await take(stream, 1))).toEqual([2]);
    server.failures.push('internal_error', 'rate_limited');
    const other = openRealtime(server.client(), { maxRetries: 1 }).tradeSignals('str_1', {
      afterSequence: 0,
    });
    expect(await failureOf(other)).toMatchObject({ error: { code: 'rate_limited', status: 429 }, items: 0 });
  });

  it('is not retried after an invalid argument', async () => {
    server.failures.push('invalid_query', 'invalid_query');
    const { error } = await failureOf(
      openRealtime(server.client()).tradeSignals('str_1', { afterSequence: 9 }),
    );
    expect(error).toBeInstanceOf(BadRequestError);
    expect(server.failures).toHaveLength(1);
  });
});
