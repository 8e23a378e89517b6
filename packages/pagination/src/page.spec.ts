import { type Page, paginate } from './page.js';

const page = (ids: string[], next: string | null): Page<{ id: string }> => ({
  items: ids.map((id) => ({ id })),
  pagination: { limit: 2, offset: 0, has_more: next !== null, next_cursor: next },
});

async function idsOf(pages: Record<string, Page<{ id: string }>>, asked: string[] = []) {
  const ids: string[] = [];
  const fetchPage = async (cursor = 'first') => {
    asked.push(cursor);
    return pages[cursor]!;
  };
  for await (const { id } of paginate(fetchPage)) ids.push(id);
  return ids;
}

describe('paginate', () => {
  it('gives every item of every page, in order', async () => {
    const pages = { first: page(['a', 'b'], 'c1'), c1: page(['c', 'd'], 'c2'), c2: page([], null) };
    const asked: string[] = [];
    expect(await idsOf(pages, asked)).toEqual(['a', 'b', 'c', 'd']);
    expect(asked).toEqual(['first', 'c1', 'c2']);
  });

  it('drops an item that comes by again', async () => {
    expect(await idsOf({ first: page(['a', 'b'], 'c1'), c1: page(['b', 'c'], null) })).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('asks for no page that the caller does not reach', async () => {
    const asked: (string | undefined)[] = [];
    const fetchPage = async (cursor: string | undefined) => {
      asked.push(cursor);
      return page(['a', 'b'], 'more');
    };
    for await (const { id } of paginate(fetchPage)) if (id === 'b') break;
    expect(asked).toEqual([undefined]);
  });

  it('fails where the list would never end', async () => {
    await expect(idsOf({ first: page(['a'], 'c1'), c1: page(['b'], 'c1') })).rejects.toThrow('cursor');
  });
});
