import { decodeId, encodeId, eventOperations, StoredJson } from '@trading-automation/contracts';
import { appendEvent, inTransaction, newUuid } from '@trading-automation/persistence';

import { type Actor, querySchemaOf } from '../operations/index.js';
import { CoreUnderTest } from '../testing/index.js';
import { EventsService } from './events.service.js';

let core: CoreUnderTest;
let events: EventsService;
beforeAll(async () => {
  core = await CoreUnderTest.open();
  events = new EventsService(core.platform, core.lists);
});
afterAll(() => core.close());

/** Appends events of these types in order, and returns their ids. */
async function appendEvents(actor: Actor, ...types: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const type of types) {
    const id = newUuid();
    const payload = Buffer.from(
      `{"event_id":"${encodeId('evt', id)}","type":"${type}","data":{"amount":1.10}}`,
    );
    await inTransaction(core.platform.database, (tx) =>
      appendEvent(tx, { id, userId: actor.userId, type, payload }),
    );
    ids.push(encodeId('evt', id));
  }
  return ids;
}
const backdate = (id: string, days: number) =>
  core.rows(
    "UPDATE outbox_events SET created_at = now() - $2 * interval '1 day' WHERE id = $1",
    decodeId('evt', id),
    days,
  );
const query = (parameters: Record<string, string> = {}) =>
  querySchemaOf(eventOperations.list).parse(parameters) as never;
const idsOf = (items: readonly StoredJson[]) => items.map(({ text }) => JSON.parse(text).event_id);

describe('the list of events', () => {
  it('shows the caller’s events, newest first, as the stored bytes', async () => {
    const [actor, other] = [await core.actor('READ'), await core.actor('READ')];
    const ids = await appendEvents(actor, 'trade.created', 'trade.filled');
    await appendEvents(other, 'trade.created');
    const page = await events.list(actor, query());
    expect(idsOf(page.items)).toEqual(ids.toReversed());
    expect(page.items[0]!.text).toBe(`{"event_id":"${ids[1]}","type":"trade.filled","data":{"amount":1.10}}`);
  });

  it('shows only events of the types that a selector covers', async () => {
    const actor = await core.actor('READ');
    const [created, started, filled] = await appendEvents(
      actor,
      'trade.created',
      'copier.started',
      'trade.filled',
    );
    const listed = async (type: string) => idsOf((await events.list(actor, query({ type }))).items);
    expect(await listed('trade.*')).toEqual([filled, created]);
    expect(await listed('copier.started')).toEqual([started]);
    expect(await listed('reward.*')).toEqual([]);
    expect(await listed('*')).toEqual([filled, started, created]);
  });

  it('omits events older than 30 days, which the lookup by id does not find either', async () => {
    const actor = await core.actor('READ');
    const [expired, retained] = (await appendEvents(actor, 'trade.created', 'trade.filled')) as [
      string,
      string,
    ];
    await backdate(expired, 30.001);
    await backdate(retained, 29.999);
    expect(idsOf((await events.list(actor, query({ include: 'total' }))).items)).toEqual([retained]);
    await expect(events.get(actor, expired)).rejects.toMatchObject({ code: 'not_found' });
    expect(idsOf([await events.get(actor, retained)])).toEqual([retained]);
  });

  it('has cursors that are valid only for the user and the types of their list', async () => {
    const [actor, other] = [await core.actor('READ'), await core.actor('READ')];
    const ids = await appendEvents(actor, ...Array.from({ length: 5 }, () => 'trade.created'));
    const listedIds: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<EventsService['list']>> = await events.list(
        actor,
        query({ limit: '2', type: 'trade.*', ...(cursor === null ? {} : { cursor }) }),
      );
      listedIds.push(...idsOf(page.items));
      cursor = page.pagination.next_cursor;
      if (cursor === null) continue;
      await expect(events.list(other, query({ limit: '2', type: 'trade.*', cursor }))).rejects.toMatchObject({
        code: 'invalid_query',
      });
      await expect(events.list(actor, query({ limit: '2', type: 'copier.*', cursor }))).rejects.toMatchObject(
        { code: 'invalid_query' },
      );
    } while (cursor !== null);
    expect(listedIds).toEqual(ids.toReversed());
  });

  it.each([
    ['without a filter', {}, 'outbox_events_user_created_idx'],
    ['with a type filter', { type: 'trade.filled' }, 'outbox_events_user_type_created_idx'],
  ])(
    'is read %s in the order of an index, without sorting',
    async (_case, filter: { type?: string }, index) => {
      const actor = await core.actor('READ');
      await core.rows(
        `INSERT INTO outbox_events (id, user_id, type, payload)
       SELECT gen_random_uuid(), $1, CASE WHEN n % 50 = 0 THEN 'trade.filled' ELSE 'trade.created' END, '{}'
       FROM generate_series(1, 5000) n`,
        actor.userId,
      );
      await core.rows('ANALYZE outbox_events');
      const typeCondition = filter.type === undefined ? '' : `AND e.type = '${filter.type}'`;
      const plan = await core.rows(
        `EXPLAIN SELECT e.payload FROM outbox_events e WHERE e.user_id = '${actor.userId}' ${typeCondition}
         AND e.created_at > now() - interval '30 days' AND (e.created_at, e.id) < (now(), '${newUuid()}')
       ORDER BY e.created_at DESC, e.id DESC LIMIT 21`,
      );
      const text = plan.map((row) => row['QUERY PLAN']).join('\n');
      expect(text).toContain(index);
      expect(text).not.toContain('Sort');
    },
  );
});

describe('the lookup of an event by its id', () => {
  it('fails for another user, and for a malformed or unknown id', async () => {
    const [actor, other] = [await core.actor('READ'), await core.actor('READ')];
    const [id] = (await appendEvents(actor, 'trade.created')) as [string];
    await expect(events.get(other, id)).rejects.toMatchObject({ code: 'not_found' });
    for (const unknownId of ['evt_x', encodeId('evt', newUuid()), id.replace('evt_', 'trd_')])
      await expect(events.get(actor, unknownId)).rejects.toMatchObject({ code: 'not_found' });
  });
});
