import { EVENT_STREAMS_MAX, encodeId } from '@trading-automation/contracts';
import { appendEvent, newUuid, sequenceEvents } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import type { IncomingRequest } from '../access/index.js';
import type { Actor } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { CoreUnderTest } from '../testing/index.js';
import { type EventStreamRequest, EventStreamsService } from './event-streams.service.js';
import { type EventSubscription, QUEUE_MAX_BYTES } from './event-subscription.js';

const STREAMS_PER_USER = 15;

const incoming: IncomingRequest = {
  method: 'GET',
  target: '/v1/events/stream',
  rawHeaders: [],
  body: new Uint8Array(),
  address: '127.0.0.1',
};

let core: CoreUnderTest;
let streams: EventStreamsService;
let otherStreams: EventStreamsService;
beforeAll(async () => {
  core = await CoreUnderTest.open();
  streams = new EventStreamsService(core.platform, STREAMS_PER_USER);
  otherStreams = new EventStreamsService(await core.openSecondPlatform(), STREAMS_PER_USER);
});
afterAll(async () => {
  await Promise.all([streams.onModuleDestroy(), otherStreams.onModuleDestroy()]);
  await core.close();
});

const createCaller = (userId?: string) => core.keyPairActor(userId);

/** Appends an event in a transaction that stays open until `commit` is called. */
async function appendUncommitted(actor: Actor, type = 'trade.filled', size = 0) {
  const runner = core.platform.database.createQueryRunner();
  await runner.startTransaction();
  const id = newUuid();
  const data = 'x'.repeat(size);
  const payload = Buffer.from(`{"event_id":"${encodeId('evt', id)}","data":"${data}"}`);
  await appendEvent(runner.manager, { id, userId: actor.userId, type, payload });
  const commit = async () => {
    await runner.commitTransaction();
    await runner.release();
    return encodeId('evt', id);
  };
  return { commit };
}
const append = async (actor: Actor, type?: string, size?: number) =>
  (await appendUncommitted(actor, type, size)).commit();

const leasesOf = (actor: Actor) =>
  core.rows('SELECT FROM event_streams WHERE credential_id = $1', actor.credential.id);
const open = (actor: Actor, request: EventStreamRequest = {}, service = streams) =>
  service.open(actor, incoming, request);

/** Returns a function that reads the ids of the next events of a stream and leaves it open. */
function createReader(stream: EventSubscription) {
  const events = stream.events();
  return async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    while (ids.length < count) {
      const { value, done } = await events.next();
      if (done) break;
      ids.push(value!.id);
    }
    return ids;
  };
}
const idsInOrder = async (actor: Actor): Promise<string[]> => {
  await sequenceEvents(core.platform.database);
  const rows = await core.rows(
    'SELECT id FROM outbox_events WHERE user_id = $1 ORDER BY position',
    actor.userId,
  );
  return rows.map(({ id }) => encodeId('evt', id as string));
};

describe('a stream of events', () => {
  it('sends the events that follow its opening, as stored', async () => {
    const actor = await createCaller();
    await append(actor);
    const stream = await open(actor);
    const id = await append(actor, 'trade.closed');
    const { value } = await stream.events().next();
    expect(value).toEqual({ id, type: 'trade.closed', data: `{"event_id":"${id}","data":""}` });
    await stream.close();
  });

  it('sends events in the order of their commits, not of their inserts', async () => {
    const actor = await createCaller();
    const [live, lagging] = [await open(actor), await open(actor, {}, otherStreams)];
    const uncommitted = [
      await appendUncommitted(actor),
      await appendUncommitted(actor),
      await appendUncommitted(actor),
    ];
    const read = createReader(live);
    const ids: string[] = [];
    for (const { commit } of uncommitted.toReversed()) {
      const id = await commit();
      expect(await read(1)).toEqual([id]);
      ids.push(id);
    }
    expect(await createReader(lagging)(3)).toEqual(ids);
    await Promise.all([live.close(), lagging.close()]);
  });

  it('resumes after any event that it sent, in any process, without loss or duplicates', async () => {
    const actor = await createCaller();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await append(actor));
    for (let seen = 0; seen < 5; seen++) {
      const stream = await open(actor, { lastEventId: ids[seen] }, seen % 2 === 0 ? streams : otherStreams);
      const late = await append(actor);
      ids.push(late);
      expect(await createReader(stream)(ids.length - seen - 1)).toEqual(ids.slice(seen + 1));
      await stream.close();
    }
  });

  it('can be resumed from its start, even if it sent no events', async () => {
    const actor = await createCaller();
    const first = await open(actor);
    await first.close();
    const ids = [await append(actor), await append(actor)];
    const second = await open(actor, { lastEventId: first.resumeAfter });
    expect(await createReader(second)(2)).toEqual(ids);
    const third = await open(actor);
    expect(third.resumeAfter).toBe(ids[1]);
    await Promise.all([second.close(), third.close()]);
  });

  it('sends only its user’s events of the requested types', async () => {
    const [actor, otherUser] = [await createCaller(), await createCaller()];
    const live = await open(actor, { type: 'trade.*' });
    await append(otherUser, 'trade.filled');
    await append(actor, 'copier.started');
    const ids = [await append(actor, 'trade.created'), await append(actor, 'trade.filled')];
    await append(otherUser, 'trade.filled');
    const caughtUp = await open(actor, { type: 'trade.filled', lastEventId: live.resumeAfter });
    expect(await createReader(live)(2)).toEqual(ids);
    expect(await createReader(caughtUp)(1)).toEqual([ids[1]]);
    const end = await append(actor, 'trade.filled');
    expect(await createReader(live)(1)).toEqual([end]);
    expect(await createReader(caughtUp)(1)).toEqual([end]);
    await Promise.all([live.close(), caughtUp.close()]);
  });

  it('starts with the oldest retained event if the event of its last event id has expired', async () => {
    const actor = await createCaller();
    const [olderExpired, newerExpired] = [await append(actor), await append(actor)];
    const ids = [await append(actor), await append(actor)];
    await sequenceEvents(core.platform.database);
    await core.rows(
      "UPDATE outbox_events SET created_at = now() - interval '31 days' WHERE user_id = $1 AND position <= $2",
      actor.userId,
      await positionOf(actor, 1),
    );
    // The id of a deleted event of 2001: ids contain their creation time.
    const removed = encodeId('evt', '00e3a15f-0000-7000-8000-000000000000');
    for (const lastEventId of [olderExpired, newerExpired, removed]) {
      const stream = await open(actor, { lastEventId });
      expect(await createReader(stream)(2)).toEqual(ids);
      await stream.close();
    }
  });
  const positionOf = async (actor: Actor, index: number) => {
    const rows = await core.rows(
      'SELECT position FROM outbox_events WHERE user_id = $1 ORDER BY position',
      actor.userId,
    );
    return rows[index]!.position;
  };

  it.each([
    ['is malformed', () => 'evt_x'],
    ['is the id of another record type', () => encodeId('trd', newUuid())],
    ['does not exist', () => encodeId('evt', newUuid())],
    ['is the id of another user’s event', async () => append(await createCaller())],
  ])('is rejected if its last event id %s', async (_case, lastEventId) => {
    const stream = open(await createCaller(), { lastEventId: await lastEventId() });
    await expect(stream).rejects.toMatchObject({
      code: 'invalid_query',
      details: [{ field: 'last_event_id', code: 'invalid' }],
    });
  });

  it('queues at most 256 KiB for a stalled reader, who still receives every event', async () => {
    const actor = await createCaller();
    const stream = await open(actor);
    const size = 40_000;
    let maxBytes = 0;
    for (let i = 0; i < 30; i++) {
      await append(actor, 'trade.filled', size);
      maxBytes = Math.max(maxBytes, stream.waitingBytes);
    }
    await eventually(() => stream.waitingBytes > QUEUE_MAX_BYTES / 2);
    expect(Math.max(maxBytes, stream.waitingBytes)).toBeLessThanOrEqual(QUEUE_MAX_BYTES);
    const read = createReader(stream);
    expect(await read(30)).toEqual(await idsInOrder(actor));
    const last = await append(actor);
    expect(await read(1)).toEqual([last]);
    await stream.close();
  });

  it('sends every event once, in one order, to readers of two processes during concurrent commits', async () => {
    const actor = await createCaller();
    const openStreams = await Promise.all([
      open(actor),
      open(actor),
      open(actor, {}, otherStreams),
      open(actor, {}, otherStreams),
    ]);
    const reading = Promise.all(openStreams.map((stream) => createReader(stream)(120)));
    await Promise.all(
      Array.from({ length: 6 }, async (_, writer) => {
        for (let i = 0; i < 20; i++)
          await append(actor, 'trade.filled', (writer + i) % 3 === 0 ? 50_000 : 10);
      }),
    );
    const read = await reading;
    const order = await idsInOrder(actor);
    expect(order).toHaveLength(120);
    for (const ids of read) expect(ids).toEqual(order);
    await Promise.all(openStreams.map((stream) => stream.close()));
  });
});

describe('the streams of a user', () => {
  it('are limited over all credentials and processes, even concurrently, until one of them ends', async () => {
    const first = await createCaller();
    const callers = await Promise.all(Array.from({ length: 5 }, () => createCaller(first.userId)));
    const opening = await Promise.allSettled(
      callers.flatMap((caller) =>
        Array.from({ length: 4 }, (_, i) => open(caller, {}, i % 2 === 0 ? streams : otherStreams)),
      ),
    );
    const opened = opening.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const errors = opening.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(opened).toHaveLength(STREAMS_PER_USER);
    for (const error of errors)
      expect(error).toMatchObject({
        code: 'rate_limited',
        message:
          'A user may have 15 event streams open with all credentials together. Close one of them first.',
        retryAfterSeconds: 30,
      });
    await opened[0]!.close();
    const again = await open(first);
    const unrelated = await open(await createCaller());
    await Promise.all([...opened, again, unrelated].map((stream) => stream.close()));
  });
});

describe('the streams of a credential', () => {
  it('are limited to five over all processes, even concurrently, until one of them ends', async () => {
    const actor = await createCaller();
    const opening = await Promise.allSettled(
      Array.from({ length: 9 }, (_, i) => open(actor, {}, i % 2 === 0 ? streams : otherStreams)),
    );
    const opened = opening.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const errors = opening.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(opened).toHaveLength(EVENT_STREAMS_MAX);
    for (const error of errors) expect(error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 30 });
    await opened[0]!.close();
    const again = await open(actor);
    await expect(open(actor)).rejects.toMatchObject({ code: 'rate_limited' });
    const unrelated = await open(await createCaller());
    await Promise.all([...opened, again, unrelated].map((stream) => stream.close()));
    expect(await leasesOf(actor)).toEqual([]);
  });

  it('count towards the limit until their leases expire, even if their process died', async () => {
    const actor = await createCaller();
    const insertLeases = (seconds: number) =>
      core.rows(
        `INSERT INTO event_streams SELECT gen_random_uuid(), $1, clock_timestamp() + $2 * interval '1 second'
         FROM generate_series(1, 5)`,
        actor.credential.id,
        seconds,
      );
    await insertLeases(10);
    await expect(open(actor)).rejects.toMatchObject({ code: 'rate_limited' });
    await core.rows(
      "UPDATE event_streams SET lease_until = clock_timestamp() - interval '1 second' WHERE credential_id = $1",
      actor.credential.id,
    );
    await (await open(actor)).close();
    expect(await leasesOf(actor)).toEqual([]);
  });
});

describe('a stream of events ends', () => {
  it('when its credential is revoked, in every process', async () => {
    const [actor, unrelated] = [await createCaller(), await createCaller()];
    const openStreams = [
      await open(actor),
      await open(actor, {}, otherStreams),
      await open(unrelated),
    ] as const;
    const reading = [createReader(openStreams[0])(1), createReader(openStreams[1])(1)];
    await core.rows('UPDATE public_keys SET revoked_at = now() WHERE id = $1', actor.credential.id);
    expect(await Promise.all(reading)).toEqual([[], []]);
    expect(openStreams.map(({ ended }) => ended.aborted)).toEqual([true, true, false]);
    await expect(open(actor)).rejects.toMatchObject({ code: 'unknown_public_key' });
    await openStreams[2].close();
  });

  it('when its credential can no longer be verified', async () => {
    const platform: Platform = await core.openSecondPlatform();
    const separateStreams = new EventStreamsService(platform, STREAMS_PER_USER);
    const stream = await open(await createCaller(), {}, separateStreams);
    await platform.database.destroy();
    expect(await createReader(stream)(1)).toEqual([]);
    await separateStreams.onModuleDestroy();
    await platform.listener.stop();
  });

  it('when its process ends, which releases all leases and opens no further streams', async () => {
    const actor = await createCaller();
    const platform = await core.openSecondPlatform();
    const ending = new EventStreamsService(platform, STREAMS_PER_USER);
    const stream = await open(actor, {}, ending);
    const reading = createReader(stream)(1);
    await ending.onModuleDestroy();
    expect(await reading).toEqual([]);
    expect(await leasesOf(actor)).toEqual([]);
    await expect(open(actor, {}, ending)).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
