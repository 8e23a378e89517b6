import { recordPath } from './record-paths';

describe('recordPath', () => {
  it('leads to the page of the record or of its list', () => {
    expect(recordPath('trade', 'trd_1')).toBe('/trades/trd_1');
    expect(recordPath('reward', 'rwd_1')).toBe('/rewards');
  });

  it('knows no page for a kind of a later release', () => {
    expect(recordPath('planet', 'x')).toBeUndefined();
  });
});
