import { isSelected, selectorsOf, serverFilterOf, unknownAmong } from './selectors.js';

describe('event selectors', () => {
  it('are split at commas and deduplicated; the default is all', () => {
    expect(selectorsOf(['trade.filled, trade.*', 'trade.filled', ''])).toEqual(['trade.filled', 'trade.*']);
    expect(selectorsOf([])).toEqual(['*']);
    expect(selectorsOf(['trade.filled', '*'])).toEqual(['*']);
  });

  it.each([
    ['*', 'trade.filled', true],
    ['trade.filled', 'trade.filled', true],
    ['trade.*', 'trade.filled', true],
    ['trade.*', 'trader.filled', false],
    ['trade', 'trade.filled', false],
    ['trade.fill', 'trade.filled', false],
  ])('with %s include %s: %s', (selector, type, isCovered) => {
    expect(isSelected(['reward.claimed', selector], type)).toBe(isCovered);
  });

  it('are sent to the server as a filter if there is only one', () => {
    expect(serverFilterOf(['trade.*'])).toEqual({ type: 'trade.*' });
    expect(serverFilterOf(['*'])).toEqual({});
    expect(serverFilterOf(['trade.*', 'reward.*'])).toEqual({});
  });

  it('are unknown if they match no event type', () => {
    expect(unknownAmong(['trade.*', 'trade.fill', 'x.*'], ['trade.filled'])).toEqual(['trade.fill', 'x.*']);
  });
});
