import { EVENT_TYPES } from '@trading-automation/contracts';
import { keysOfEvent } from './event-keys';

describe('an event', () => {
  it('makes the records old that it is about, and the lists of events and notifications', () => {
    expect(keysOfEvent('trade.filled')).toEqual(
      expect.arrayContaining(['trades', 'lots', 'notifications', 'events']),
    );
    expect(keysOfEvent('position.margin_call')).toContain('positions');
    expect(keysOfEvent('withdrawal.completed')).toEqual(expect.arrayContaining(['withdrawals', 'rewards']));
  });

  it('of every type makes records old', () => {
    const always = keysOfEvent('unknown.kind').length;
    const without = EVENT_TYPES.filter((type) => keysOfEvent(type).length === always);
    expect(without).toEqual([]);
  });
});
