/** Signals of a strategy over a connection that fails: none is lost, none comes twice. */
import { BadRequestError, NotFoundError } from '../../src/index.js';
import { closeRealtime, failureOf, openRealtime, take } from './open-realtime.js';
import { StubRealtimeServer, WHEN } from './stub-realtime-server.js';

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
  it('is the record that REST would write: its names, no member that is not there, decimals as numbers', async () => {
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
      emitted_at: WHEN,
      expires_at: WHEN,
    });
  });

  it('has decimals as text, to the last digit, where the client reads them so', async () => {
    server.signal();
    const client = server.client({ decimals: 'string' });
    const [signal] = await take(openRealtime(client).tradeSignals('str_1', { afterSequence: 0 }), 1);
    expect(signal).toMatchObject({ price: '60000.5', filled_amount: '0.1000000000000000005' });
  });
});

describe('a stream of signals', () => {
  it('begins after the sequence that is named', async () => {
    server.signal(5);
    const stream = openRealtime(server.client()).tradeSignals('str_1', { afterSequence: 3 });
    expect(sequencesOf(await take(stream, 2))).toEqual([4, 5]);
  });

  it('begins now where none is named, and is resumed after the last that came', async () => {
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

  it('loses none and doubles none over twenty cuts, whether or not what came was read before the cut', async () => {
    const stream = openRealtime(server.client()).tradeSignals('str_1', { afterSequence: 0 });
    const got: number[] = [];
    for (let round = 0; round < 20; round++) {
      // So that it is a connection that is cut.
      await server.waitUntil(() => server.subscribes.length > round);
      server.signal(10);
      got.push(...sequencesOf(await take(stream, 1 + (round % 10))));
      server.cut();
      server.signal(3);
    }
    got.push(...sequencesOf(await take(stream, 20 * 13 - got.length)));
    expect(got).toEqual(upTo(260));
    expect(server.handshakes.length).toBeGreaterThanOrEqual(20);
  });

  it('asks again for one that was left out on the way, and hands out none that comes twice', async () => {
    [server.skipped, server.doubled] = [3, 5];
    server.signal(7);
    const stream = openRealtime(server.client()).tradeSignals('str_1', { afterSequence: 0 });
    expect(sequencesOf(await take(stream, 7))).toEqual(upTo(7));
    expect(server.subscribes).toEqual([
      { strategy: 'str_1', after: 0 },
      { strategy: 'str_1', after: 2 },
    ]);
  });

  it('goes on where the server says that there is no more, after as short a wait as at first', async () => {
    const delays: number[] = [];
    const reconnectDelay = (failures: number) => {
      delays.push(failures);
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
    expect(delays).toEqual([0, 0, 0]);
    expect(server.handshakes).toHaveLength(1);
  });

  it('is not asked for again before the server wants it', async () => {
    const stream = openRealtime(server.client(), { heartbeat: 200 }).tradeSignals('str_1', {
      afterSequence: 0,
    });
    server.signal();
    await take(stream, 1);
    server.retryAfter = 3_600;
    server.failures.push('rate_limited');
    server.completeAll();
    await server.waitUntil(() => server.subscribes.length === 2);
    const { pings } = server;
    await server.waitUntil(() => server.pings > pings);
    expect(server.subscribes).toHaveLength(2);
  });

  it('keeps a bounded number for a slow reader, asks for no more meanwhile, and loses none', async () => {
    server.signal(2_000);
    const stream = openRealtime(server.client()).tradeSignals('str_1', { afterSequence: 0 });
    const got = await take(stream, 1);
    await server.waitUntil(() => server.completes === 1);
    expect(server.subscribes).toHaveLength(1);
    got.push(...(await take(stream, 400)));
    // Most of what is kept is unread: the server was asked for nothing.
    expect(server.subscribes).toHaveLength(1);
    got.push(...(await take(stream, 1_599)));
    expect(sequencesOf(got)).toEqual(upTo(2_000));
    const [, again] = server.subscribes;
    expect(again!.after).toBeLessThanOrEqual(1_001);
  });

  it('of a strategy that is not there is refused as REST refuses it', async () => {
    const { error, items } = await failureOf(
      openRealtime(server.client()).tradeSignals('absent', { afterSequence: 0 }),
    );
    expect(items).toBe(0);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ code: 'not_found', status: 404, requestId: 'request of not_found' });
  });

  it('throws a refusal after all that came before it, once', async () => {
    server.signal(3);
    const stream = openRealtime(server.client()).tradeSignals('private after 2', { afterSequence: 0 });
    expect(await failureOf(stream)).toMatchObject({ error: { code: 'not_found' }, items: 2 });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it('waits out what passes at the server once it has worked, and gives up after a few tries before', async () => {
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

  it('is not tried again where its own argument is wrong', async () => {
    server.failures.push('invalid_query', 'invalid_query');
    const { error } = await failureOf(
      openRealtime(server.client()).tradeSignals('str_1', { afterSequence: 9 }),
    );
    expect(error).toBeInstanceOf(BadRequestError);
    expect(server.failures).toHaveLength(1);
  });
});
