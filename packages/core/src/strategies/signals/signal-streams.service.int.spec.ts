import {
  encodeId,
  type StrategyVisibility,
  type TradeSignal,
  tradeSignal,
} from '@trading-automation/contracts';
import {
  inTransaction,
  type Listener,
  newUuid,
  type OnNotify,
  type Tx,
} from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import type { Actor } from '../../operations/index.js';

import { Platform } from '../../platform/index.js';
import { CoreUnderTest } from '../../testing/index.js';
import type { NewSignal } from './signal.js';
import { SIGNAL_BUFFER_MAX, SignalFeed } from './signal-feed.js';
import { SignalStreams } from './signal-streams.service.js';
import { type SignalSubscription, SubscriptionReader } from './signal-subscription.js';
import { appendSignals, SIGNALS_CHANNEL } from './signals.queries.js';

let core: CoreUnderTest;
let streams: SignalStreams;
let otherStreams: SignalStreams;
let pairId: string;
beforeAll(async () => {
  core = await CoreUnderTest.open();
  streams = new SignalStreams(core.platform);
  otherStreams = new SignalStreams(await core.openSecondPlatform());
  pairId = (await core.pair()).uuid;
});
afterAll(async () => {
  await Promise.all([streams.onModuleDestroy(), otherStreams.onModuleDestroy()]);
  await core.close();
});

/** A new user's strategy, with one trade whose fills cause its signals. */
class Leader {
  private constructor(
    readonly actor: Actor,
    readonly uuid: string,
    private readonly accountId: string,
    readonly tradeId: string,
  ) {}

  static async create(visibility: StrategyVisibility = 'PRIVATE', order: object = {}): Promise<Leader> {
    const actor = await core.actor();
    const account = await core.account(actor);
    const uuid = newUuid();
    await core.rows(
      `INSERT INTO strategies (id, user_id, exchange_account_id, name, visibility, status)
       VALUES ($1, $2, $3, 'mine', $4, 'ACTIVE')`,
      uuid,
      actor.userId,
      account.uuid,
      visibility,
    );
    return new Leader(actor, uuid, account.uuid, await insertTrade(actor, account.uuid, order));
  }

  get id(): string {
    return encodeId('str', this.uuid);
  }

  signal(more: Partial<NewSignal> = {}): NewSignal {
    return {
      strategyId: this.uuid,
      kind: 'OPEN',
      side: 'BUY',
      exchangeAccountId: this.accountId,
      tradePairId: pairId,
      symbol: 'BTC/USDT',
      tradingType: 'spot',
      lotTradeId: this.tradeId,
      lotFirstSequence: null,
      lotOpenedAt: new Date(0),
      lotOrderAmount: '2',
      sourceTradeId: this.tradeId,
      sourceFillId: newUuid(),
      filledAmount: '1',
      cumulativeAmount: '1',
      lotAmountBefore: '0',
      lotAmountAfter: '1',
      exitAmount: '0',
      referencePrice: '60000',
      leaderEquity: null,
      signalAt: new Date(0),
      ...more,
    };
  }

  emit(count = 1, more: Partial<NewSignal> = {}, platform = core.platform): Promise<void> {
    const signals = Array.from({ length: count }, () => this.signal(more));
    return inTransaction(platform.database, (tx) => appendSignals(tx, signals));
  }

  async change(tx: Tx, column: string, value: unknown): Promise<void> {
    await tx.query(`UPDATE strategies SET ${column} = $2 WHERE id = $1`, [this.uuid, value]);
  }
}

async function insertTrade(actor: Actor, accountId: string, order: object): Promise<string> {
  const id = newUuid();
  const columns = {
    id,
    user_id: actor.userId,
    exchange_account_id: accountId,
    trade_pair_id: pairId,
    symbol: 'BTC/USDT',
    trading_type: 'spot',
    client_order_id: id,
    origin: 'API',
    type: 'MARKET',
    side: 'BUY',
    reduce_only: false,
    time_in_force: 'GTC',
    amount: '2',
    reserved_asset: 'USDT',
    reserved_amount: '0',
    status: 'PENDING',
    look_at: new Date(),
    ...order,
  };
  const names = Object.keys(columns);
  await core.rows(
    `INSERT INTO trades (${names.join(', ')}) VALUES (${names.map((_, i) => `$${i + 1}`).join(', ')})`,
    ...Object.values(columns),
  );
  return id;
}

/** Reads the next signals of a stream and leaves it open. */
async function read(stream: SignalSubscription, count: number): Promise<TradeSignal[]> {
  const signals: TradeSignal[] = [];
  while (signals.length < count) {
    const { value, done } = await stream.next();
    if (done) break;
    signals.push(value);
  }
  return signals;
}
const sequences = async (stream: SignalSubscription, count: number) =>
  (await read(stream, count)).map(({ sequence }) => sequence);
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const done = { done: true, value: undefined };
const errorOf = (code: string) => expect.objectContaining({ code });

describe('a stream of signals', () => {
  it('delivers each signal as its contract defines, with the filled order and the fraction that an exit closed', async () => {
    const leader = await Leader.create('PRIVATE', {
      type: 'STOP_LIMIT',
      price: '60100.50',
      stop_price: '60000',
    });
    const stream = await streams.open(leader.actor, leader.id);
    const signalAt = new Date('2026-03-01T00:00:00.000Z');
    await leader.emit(1, { leaderEquity: '90000', signalAt });
    const sale = await insertTrade(leader.actor, (await core.account(leader.actor)).uuid, { side: 'SELL' });
    await leader.emit(1, {
      kind: 'REDUCE',
      side: 'SELL',
      sourceTradeId: sale,
      lotFirstSequence: 1,
      filledAmount: '0.2',
      exitAmount: '0.2',
      lotAmountBefore: '0.3',
      lotAmountAfter: '0.1',
      signalAt,
    });
    const [entry, exit] = await read(stream, 2);
    const rows = await core.rows(
      'SELECT id, emitted_at FROM signals WHERE strategy_id = $1 ORDER BY sequence',
      leader.uuid,
    );
    const emittedAt = rows.map(({ emitted_at }) => (emitted_at as Date).toISOString());
    const common = {
      strategy_id: leader.id,
      symbol: 'BTC/USDT',
      trading_type: 'spot',
      reference_price: '60000',
      expires_at: '2026-03-01T00:01:00.000Z',
    };
    expect([entry, exit]).toEqual([
      {
        ...common,
        id: encodeId('sig', String(rows[0]?.id)),
        sequence: 1,
        kind: 'OPEN',
        side: 'BUY',
        order_type: 'STOP_LIMIT',
        price: '60100.5',
        stop_price: '60000',
        filled_amount: '1',
        leader_ratio: '0.666666666666666667',
        source_trade_id: encodeId('trd', leader.tradeId),
        emitted_at: emittedAt[0],
      },
      {
        ...common,
        id: encodeId('sig', String(rows[1]?.id)),
        sequence: 2,
        kind: 'REDUCE',
        side: 'SELL',
        order_type: 'MARKET',
        filled_amount: '0.2',
        position_fraction_closed: '0.666666666666666667',
        source_trade_id: encodeId('trd', sale),
        emitted_at: emittedAt[1],
      },
    ]);
    for (const signal of [entry, exit]) expect(tradeSignal.parse(signal)).toEqual(signal);
    await stream.return();
  });

  it('starts with new signals or after any earlier signal, in any process, without loss or duplicates', async () => {
    const leader = await Leader.create();
    await leader.emit(5);
    const fromNow = await streams.open(leader.actor, leader.id);
    const resumed = await Promise.all(
      upTo(5, 0).map((seen) => (seen % 2 === 0 ? streams : otherStreams).open(leader.actor, leader.id, seen)),
    );
    await leader.emit(2);
    for (const [seen, stream] of resumed.entries()) {
      expect(await sequences(stream, 7 - seen)).toEqual(upTo(7, seen + 1));
    }
    expect(await sequences(fromNow, 2)).toEqual([6, 7]);
    await leader.emit(1);
    for (const stream of [fromNow, ...resumed]) expect(await sequences(stream, 1)).toEqual([8]);
    await Promise.all([fromNow, ...resumed].map((stream) => stream.return()));
  });

  it('delivers signals in order of sequence if several processes commit them concurrently, even after a reconnect', async () => {
    const leader = await Leader.create();
    const platforms = [core.platform, await core.openSecondPlatform()] as const;
    const first = await streams.open(leader.actor, leader.id);
    const emitting = Promise.all(upTo(60).map((n) => leader.emit((n % 3) + 1, {}, platforms[n % 2])));
    const seen = await sequences(first, 50);
    await first.return();
    const second = await otherStreams.open(leader.actor, leader.id, seen.at(-1));
    await emitting;
    expect([...seen, ...(await sequences(second, 70))]).toEqual(upTo(120));
    await second.return();
  });

  it('delivers one object to all subscribers of a process other than the owner, and another one to the owner', async () => {
    const leader = await Leader.create('PUBLIC');
    const actors = [await core.actor(), await core.actor(), await core.actor(), leader.actor];
    const open = await Promise.all(actors.map((actor) => streams.open(actor, leader.id)));
    await leader.emit(3);
    const [one, two, three, own] = await Promise.all(open.map((stream) => read(stream, 3)));
    for (const [i, signal] of one!.entries()) {
      expect([two?.[i] === signal, three?.[i] === signal]).toEqual([true, true]);
      expect(signal.filled_amount).toBeNull();
      expect(own?.[i]?.filled_amount).not.toBeNull();
    }
    await Promise.all(open.map((stream) => stream.return()));
  });

  it('buffers at most 256 signals per strategy, and still delivers all signals to a slow subscriber', async () => {
    const leader = await Leader.create();
    const feed = new SignalFeed(core.platform.database, leader.uuid, leader.actor.userId, 0);
    const createReader = () => new SubscriptionReader(leader.actor.userId, feed, 0, () => undefined);
    const [slow, quick] = [createReader(), createReader()];
    for (const reader of [slow, quick]) feed.add(reader);
    for (let i = 0; i < 10; i += 1) {
      await leader.emit(100);
      feed.requestPoll();
      expect(await sequences(quick.stream, 100)).toEqual(upTo(i * 100 + 100, i * 100 + 1));
      expect(feed.bufferedCount).toBeLessThanOrEqual(SIGNAL_BUFFER_MAX);
    }
    expect(feed.bufferedCount).toBe(SIGNAL_BUFFER_MAX);
    expect(await sequences(slow.stream, 1_000)).toEqual(upTo(1_000));
    const pending = [slow.stream.next(), quick.stream.next()];
    await leader.emit(1);
    feed.requestPoll();
    const [slowResult, quickResult] = await Promise.all(pending);
    expect(slowResult?.value).toBe(quickResult?.value);
    await Promise.all([slow.stream.return(), quick.stream.return()]);
  });

  it('delivers signals even if notifications are lost', async () => {
    const leader = await Leader.create();
    const unnotified = await core.openSecondPlatform();
    await unnotified.listener.stop();
    const unnotifiedStreams = new SignalStreams(unnotified);
    const [stream, live] = [
      await unnotifiedStreams.open(leader.actor, leader.id),
      await streams.open(leader.actor, leader.id),
    ];
    await leader.emit(1);
    expect([await sequences(stream, 1), await sequences(live, 1)]).toEqual([[1], [1]]);
    await Promise.all([live.return(), unnotifiedStreams.onModuleDestroy()]);
  });

  it('loses no signal in an outage of the database, whether its reader is up to date or behind', async () => {
    const leader = await Leader.create();
    await leader.emit(3);
    const [live, behind] = [
      await streams.open(leader.actor, leader.id),
      await streams.open(leader.actor, leader.id, 0),
    ];
    const results = await inTransaction(core.platform.database, async (tx) => {
      await tx.query('LOCK TABLE strategies IN ACCESS EXCLUSIVE MODE');
      const reads = [sequences(live, 1), sequences(behind, 4)];
      // One connection polls for the feed, the other reads a page for the subscriber that is behind.
      const pids = await connectionsWaitingForLock(2);
      await core.rows('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS cut (pid)', pids);
      return reads;
    });
    await leader.emit(1);
    expect(await Promise.all(results)).toEqual([[4], [1, 2, 3, 4]]);
    await Promise.all([live.return(), behind.return()]);
  });

  it('fails if a query fails for another reason than an outage, instead of waiting forever', async () => {
    const leader = await Leader.create();
    const stream = await streams.open(leader.actor, leader.id);
    const pending = stream.next();
    await core.rows('ALTER TABLE signals RENAME TO signals_elsewhere');
    await expect(pending).rejects.toThrow(/signals/);
    await core.rows('ALTER TABLE signals_elsewhere RENAME TO signals');
    expect([await stream.next(), stream.ended.aborted]).toEqual([done, true]);
  });

  it('cannot be opened after a sequence that no signal of the strategy has', async () => {
    const leader = await Leader.create();
    await leader.emit(2);
    for (const after of [-1, 3, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      await expect(streams.open(leader.actor, leader.id, after)).rejects.toMatchObject({
        code: 'invalid_query',
        details: [{ field: 'after_sequence' }],
      });
    }
    for (const after of [0, 2]) await (await streams.open(leader.actor, leader.id, after)).return();
  });
});

describe('signals', () => {
  it('may be read by the owner of the strategy and, while it is public and active, by every user with READ', async () => {
    const otherActor = await core.actor();
    const [own, shared] = [await Leader.create(), await Leader.create('PUBLIC')];
    const { manager } = core.platform.database;
    const tryOpen = async (actor: Actor, leader: Leader) => {
      const stream = await streams.open(actor, leader.id).catch(({ code }) => code);
      if (typeof stream === 'string') return stream;
      await stream.return();
      return 'open';
    };
    expect([await tryOpen(own.actor, own), await tryOpen(otherActor, own)]).toEqual(['open', 'not_found']);
    expect([await tryOpen(shared.actor, shared), await tryOpen(otherActor, shared)]).toEqual([
      'open',
      'open',
    ]);
    await shared.change(manager, 'status', 'ARCHIVED');
    expect([await tryOpen(shared.actor, shared), await tryOpen(otherActor, shared)]).toEqual([
      'open',
      'not_found',
    ]);
    await shared.change(manager, 'deleted_at', new Date());
    expect([await tryOpen(shared.actor, shared), await tryOpen(otherActor, shared)]).toEqual([
      'not_found',
      'not_found',
    ]);
    for (const id of [encodeId('str', newUuid()), encodeId('trd', own.uuid), 'str_x']) {
      await expect(streams.open(own.actor, id)).rejects.toEqual(errorOf('not_found'));
    }
    const withoutPermissions: Actor = {
      ...own.actor,
      credential: { ...own.actor.credential, permissions: [] },
    };
    await expect(streams.open(withoutPermissions, own.id)).rejects.toEqual(errorOf('permission_denied'));
  });

  it.each([
    ['private', 'visibility', 'PRIVATE'],
    ['archived', 'status', 'ARCHIVED'],
    ['deleted', 'deleted_at', new Date()],
  ])(
    'may not be read by other users once the strategy is %s, so that no later signal reaches them',
    async (_case, column, value) => {
      const leader = await Leader.create('PUBLIC');
      const otherActor = await core.actor();
      const owner = await streams.open(leader.actor, leader.id);
      const [waiting, idle, remote] = [
        await streams.open(otherActor, leader.id),
        await streams.open(otherActor, leader.id),
        await otherStreams.open(otherActor, leader.id),
      ];
      await leader.emit(1);
      for (const stream of [owner, waiting, remote]) expect(await sequences(stream, 1)).toEqual([1]);
      const pending = Promise.allSettled([waiting.next(), remote.next()]);
      await inTransaction(core.platform.database, async (tx) => {
        await leader.change(tx, column, value);
        await appendSignals(tx, [leader.signal()]);
      });
      const rejected = { status: 'rejected', reason: errorOf('not_found') };
      expect(await pending).toEqual([rejected, rejected]);
      expect([await waiting.next(), waiting.ended.aborted]).toEqual([done, true]);
      await expect(idle.next()).rejects.toEqual(errorOf('not_found'));
      if (column === 'deleted_at') await expect(owner.next()).rejects.toEqual(errorOf('not_found'));
      else expect(await sequences(owner, 1)).toEqual([2]);
      await owner.return();
    },
  );

  it('may not be read by other users once the strategy is private, even if they are read from the database', async () => {
    const leader = await Leader.create('PUBLIC');
    const otherActor = await core.actor();
    await leader.emit(300);
    // The feed has not polled since the change, so the read itself must check the access.
    const feed = new SignalFeed(core.platform.database, leader.uuid, leader.actor.userId, 300);
    const reader = new SubscriptionReader(otherActor.userId, feed, 0, () => undefined);
    expect(await sequences(reader.stream, 100)).toEqual(upTo(100));
    await leader.change(core.platform.database.manager, 'visibility', 'PRIVATE');
    await expect(reader.stream.next()).rejects.toEqual(errorOf('not_found'));
  });
});

/** Wraps a platform so that its subscriptions and reads are counted; the connections are real. */
function countingPlatform({ world, database, listener }: Platform) {
  const channels: string[] = [];
  let reads = 0;
  const counted: Platform['database'] = Object.create(database, {
    manager: {
      get: () => {
        reads += 1;
        return database.manager;
      },
    },
  });
  const recordingListener: Listener = Object.create(listener, {
    subscribe: {
      value: (channel: string, onNotify: OnNotify) => {
        channels.push(channel);
        const end = listener.subscribe(channel, onNotify);
        return () => {
          channels.splice(channels.indexOf(channel), 1);
          end();
        };
      },
    },
  });
  return { channels, reads: () => reads, platform: new Platform(world, counted, recordingListener) };
}

describe('streams of signals', () => {
  it('end immediately, even while a signal is awaited; once the last stream of a strategy has ended, its signals are no longer polled', async () => {
    const { channels, reads, platform } = countingPlatform(core.platform);
    const control = countingPlatform(core.platform);
    const [own, controlStreams] = [new SignalStreams(platform), new SignalStreams(control.platform)];
    const [leader, second] = [await Leader.create(), await Leader.create()];
    const [one, two] = [await own.open(leader.actor, leader.id), await own.open(leader.actor, leader.id)];
    const three = await own.open(second.actor, second.id);
    await controlStreams.open(leader.actor, leader.id);
    expect(channels).toEqual([SIGNALS_CHANNEL]);
    const pending = one.next();
    expect(await one.return()).toEqual(done);
    expect([await pending, one.ended.aborted]).toEqual([done, true]);
    await leader.emit(1);
    expect(await sequences(two, 1)).toEqual([1]);
    await two.return();
    expect(channels).toEqual([SIGNALS_CHANNEL]);
    await three.return();
    expect(channels).toEqual([]);
    const [before, controlBefore] = [reads(), control.reads()];
    await eventually(() => control.reads() >= controlBefore + 3);
    expect(reads()).toBe(before);
    const again = await own.open(leader.actor, leader.id, 0);
    expect(await sequences(again, 1)).toEqual([1]);
    await Promise.all([own.onModuleDestroy(), controlStreams.onModuleDestroy()]);
    expect([await again.next(), channels, control.channels]).toEqual([done, [], []]);
    await expect(own.open(leader.actor, leader.id)).rejects.toEqual(errorOf('service_unavailable'));
  });
});

/** Waits until at least `count` connections wait for a lock, and returns their process ids. */
async function connectionsWaitingForLock(count: number): Promise<number[]> {
  return eventually(async () => {
    const rows = await core.rows(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rows.length >= count && rows.map(({ pid }) => pid as number);
  });
}
