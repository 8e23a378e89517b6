import { shapeDifferences } from './shapes.js';

describe('the comparison of a rendered answer with recordings', () => {
  const recorded = [{ id: '1', list: [{ price: '2', side: 'Buy' }], next: null }];

  it.each<[string, unknown, readonly string[]]>([
    ['the same fields and types', { id: 'x', list: [{ price: '9', side: 'Sell' }], next: null }, []],
    ['an empty list', { id: 'x', list: [], next: 'cursor' }, []],
    ['another type', { id: 7, list: [], next: null }, ['id: number instead of string']],
    ['a missing field', { id: 'x', list: [{ price: '9' }], next: null }, ['list.side: missing']],
    ['a field that was not recorded', { id: 'x', list: [], next: null, extra: 1 }, ['extra: not recorded']],
    ['a list instead of an object', [], ['the answer: array instead of object']],
  ])('%s', (_name, rendered, expected) => {
    expect(shapeDifferences(rendered, recorded)).toEqual(expected);
  });

  it('accepts a field that only some recorded items have', () => {
    const some = [[{ a: 1, b: 'x' }, { a: 2 }]];
    expect(shapeDifferences([{ a: 3 }, { a: 4, b: 'y' }], some)).toEqual([]);
    expect(shapeDifferences([{ b: 'y' }], some)).toEqual(['a: missing']);
  });

  it('accepts the fields of several recordings of one call', () => {
    expect(shapeDifferences({ spot: 1 }, [{ spot: 1 }, { linear: 1 }])).toEqual([]);
  });

  it('accepts any type in a list of several types', () => {
    expect(shapeDifferences([[7, '8', 9, '10']], [[[1, '2', '3', 4, '5']]])).toEqual([]);
  });

  it('ignores what is documented and not recorded', () => {
    const rendered = { id: 'x', list: [{ price: 9, side: 'Buy', fee: { rate: '1' } }], next: null };
    expect(shapeDifferences(rendered, recorded, { documented: ['list.price', 'list.fee'] })).toEqual([]);
    expect(shapeDifferences(rendered, recorded, { documented: ['list.pri'] })).toHaveLength(2);
  });

  it('compares the members of maps with each other, whatever their keys are', () => {
    const byId = [{ result: { 'A-1': { price: '2' }, 'A-2': { price: '3' }, count: 2 } }];
    const maps = ['result'];
    expect(shapeDifferences({ result: { 'B-1': { price: '9' }, count: 1 } }, byId, { maps })).toEqual([]);
    expect(shapeDifferences({ result: { count: 0 } }, byId, { maps })).toEqual([]);
    expect(shapeDifferences({ result: { 'B-1': { price: 9 }, total: 1 } }, byId, { maps })).toEqual([
      'result.count: missing',
      'result.total: not recorded',
      'result.*.price: number instead of string',
    ]);
  });
});
