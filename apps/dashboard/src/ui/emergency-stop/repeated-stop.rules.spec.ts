import type { EmergencyStop } from '@trading-automation/sdk';
import { afterRepeat } from './repeated-stop.rules';

type Result = EmergencyStop<'string'>;
const records = (...ids: string[]) => ids.map((id) => ({ id, status: 'PENDING' })) as never[];
const result = (parts: Partial<Result>): Result => ({
  paused_copiers: [],
  open_lots: [],
  closing: [],
  cancelled: [],
  ended_otherwise: [],
  still_open: [],
  ...parts,
});
const idsOf = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);

describe('the result of a repeated stop', () => {
  it('is that of the first stop', () => {
    const first = result({ paused_copiers: records('copier') });
    expect(afterRepeat(undefined, first)).toBe(first);
  });

  it('keeps what the earlier runs did, and has what is open now', () => {
    const before = result({
      paused_copiers: records('copier'),
      cancelled: records('a'),
      ended_otherwise: records('b'),
      closing: records('close'),
      still_open: records('c', 'd'),
    });
    const both = afterRepeat(before, result({ cancelled: records('a', 'c'), still_open: records('d') }));
    expect(idsOf(both.paused_copiers)).toEqual(['copier']);
    expect(idsOf(both.cancelled)).toEqual(['a', 'c']);
    expect(idsOf(both.ended_otherwise)).toEqual(['b']);
    expect(idsOf(both.closing)).toEqual(['close']);
    expect(idsOf(both.still_open)).toEqual(['d']);
  });

  it('does not name an order that closes a position once the order is cancelled', () => {
    const cancelled = [{ id: 'close', status: 'CANCELLED' }] as Result['cancelled'];
    const both = afterRepeat(result({ closing: records('close', 'other') }), result({ cancelled }));
    expect(idsOf(both.closing)).toEqual(['other']);
  });
});
