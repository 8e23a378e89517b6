import { type Page, paginate } from './page.js';

const page = (ids: string[], nextCursor: string | null): Page<{ id: string }> => ({
  items: ids.map((id) => ({ id })),
  pagination: { limit: 2, offset: 0, has_more: nextCursor !== null, next_cursor: nextCursor },
});

async function idsOf(pages: Record<string, Page<{ id: string }>>, requested: string[] = []) {
  const ids: string[] = [];
  const fetchPage = async (cursor = 'first') => {
    requested.push(cursor);
    return pages[cursor]!;
  };
  for await (const { id } of paginate(fetchPage)) ids.push(id);
  return ids;
}

describe('paginate', () => {
  it('yields every item of every page in order', async () => {
    const pages = { first: page(['a', 'b'], 'c1'), c1: page(['c', 'd'], 'c2'), c2: page([], null) };
    const requested: string[] = [];
    expect(await idsOf(pages, requested)).toEqual(['a', 'b', 'c', 'd']);
    expect(requested).toEqual(['first', 'c1', 'c2']);
  });

  it('skips an item that appears again', async () => {
    expect(await idsOf({ first: page(['a', 'b'], 'c1'), c1: page(['b', 'c'], null) })).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('requests no page that the caller does not reach', async () => {
    const requested: (string | undefined)[] = [];
    const fetchPage = async (cursor: string | undefined) => {
      requested.push(cursor);
      return page(['a', 'b'], 'more');
    };
    for await (const { id } of paginate(fetchPage)) if (id === 'b') break;
    expect(requested).toEqual([undefined]);
  });

  it('throws if a page returns the cursor with which it was fetched', async () => {
    await expect(idsOf({ first: page(['a'], 'c1'), c1: page(['b'], 'c1') })).rejects.toThrow('cursor');
  });
});
