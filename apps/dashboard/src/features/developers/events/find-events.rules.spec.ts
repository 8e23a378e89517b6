import type { WebhookEvent } from '@trading-automation/sdk';
import { findEvents, isEventId } from './find-events.rules';

type Event = WebhookEvent<'string'>;
const DATA = [
  { id: 'trd_1' },
  { id: 'trd_2', copier_id: 'cpr_1' },
  { id: 'trd_1', fee: { currency: 'BTC' } },
];

async function* events() {
  for (const [i, data] of DATA.entries()) yield { event_id: `evt_${i}`, data } as unknown as Event;
}
const idsOf = (found: readonly Event[]) => found.map(({ event_id }) => event_id);

describe('the search for the events of a record', () => {
  it('finds those that are about it, and those that refer to it', async () => {
    const limits = { searched: 10, found: 10 };
    const ofTrade = await findEvents(events(), 'trd_1', limits);
    expect(idsOf(ofTrade.events)).toEqual(['evt_0', 'evt_2']);
    expect(ofTrade).toMatchObject({ searched: 3, hasMore: false });
    expect(idsOf((await findEvents(events(), 'cpr_1', limits)).events)).toEqual(['evt_1']);
    expect((await findEvents(events(), 'trd', limits)).events).toEqual([]);
  });

  it('says whether events are left that it did not compare', async () => {
    const few = await findEvents(events(), 'trd_1', { searched: 2, found: 10 });
    expect([idsOf(few.events), few.searched, few.hasMore]).toEqual([['evt_0'], 2, true]);
    const first = await findEvents(events(), 'trd_1', { searched: 10, found: 1 });
    expect([idsOf(first.events), first.searched, first.hasMore]).toEqual([['evt_0'], 1, true]);
  });
});

it('an event is found by its own id without a search', () => {
  expect([isEventId('evt_01j'), isEventId('trd_01j')]).toEqual([true, false]);
});
