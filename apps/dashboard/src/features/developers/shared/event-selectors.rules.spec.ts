import { isChosen, isPartlyChosen, selectorText, subjectsOf, toggled } from './event-selectors.rules';

describe('event selectors', () => {
  it('groups types by subject in the order of the list', () => {
    const types = [{ type: 'trade.filled' }, { type: 'key.created' }, { type: 'trade.closed' }];
    expect(subjectsOf(types)).toEqual([
      { subject: 'trade', types: [{ type: 'trade.filled' }, { type: 'trade.closed' }] },
      { subject: 'key', types: [{ type: 'key.created' }] },
    ]);
  });

  it('covers a type by its name, its subject or all', () => {
    expect(isChosen(['trade.filled'], 'trade.filled')).toBe(true);
    expect(isChosen(['trade.*'], 'trade.filled')).toBe(true);
    expect(isChosen(['*'], 'trade.filled')).toBe(true);
    expect(isChosen(['key.*', 'trade.closed'], 'trade.filled')).toBe(false);
  });

  it('covers a subject in part by one of its types', () => {
    expect(isPartlyChosen(['trade.filled'], 'trade')).toBe(true);
    expect(isPartlyChosen(['trade.*'], 'trade')).toBe(false);
    expect(isPartlyChosen(['key.created'], 'trade')).toBe(false);
    expect(isPartlyChosen(['*'], 'trade')).toBe(false);
  });

  it('replaces the types of a subject by the subject', () => {
    expect(toggled(['trade.filled', 'key.created'], 'trade.*')).toEqual(['key.created', 'trade.*']);
    expect(toggled(['trade.*'], 'trade.*')).toEqual([]);
    expect(toggled([], 'trade.filled')).toEqual(['trade.filled']);
  });

  it('describes selectors in a few words', () => {
    expect(selectorText(['*'])).toBe('All events');
    expect(selectorText(['trade.*'])).toBe('trade.*');
    expect(selectorText(['trade.*', 'key.created', 'reward.*'])).toBe('trade.* and 2 more');
  });
});
