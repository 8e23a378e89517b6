import type { LoggedRequest, PagePromise } from '@trading-automation/sdk';
import { withoutBrowsers } from './without-browsers.rules';

const KINDS = { k: 'api_key', b: 'browser_session' } as const;
type Page = Awaited<PagePromise<LoggedRequest>>;

/** A log whose pages are words: `k` is a request with an API key, `b` one of a browser. Counts the pages that are read. */
function logOf(...pages: readonly string[]) {
  const read = { pages: 0 };
  const pageAt = (i: number): Page => {
    read.pages += 1;
    const data = [...pages[i]!].map((letter, j) => ({
      id: `${i}.${j}`,
      credential: { kind: KINDS[letter as 'k' | 'b'], id: letter },
    }));
    const hasMore = i + 1 < pages.length;
    return {
      data,
      pagination: { limit: 100, offset: 0, has_more: hasMore, next_cursor: hasMore ? `${i + 1}` : null },
      hasNextPage: () => hasMore,
      getNextPage: async () => pageAt(i + 1),
    } as unknown as Page;
  };
  const list = {
    // biome-ignore lint/suspicious/noThenProperty: stands for the SDK's promise, which is a list too.
    then: (onPage: (page: Page) => unknown) => Promise.resolve(pageAt(0)).then(onPage),
    async *[Symbol.asyncIterator]() {
      for (let i = 0; i < pages.length; i += 1) yield* pageAt(i).data;
    },
  };
  return { read, list: list as unknown as PagePromise<LoggedRequest> };
}

describe('the log without browsers', () => {
  it('reads on until it has other requests, and continues after the last page that it read', async () => {
    const { list, read } = logOf('bbb', 'bkb', 'k'.repeat(30), 'k');
    const { data, pagination } = await withoutBrowsers(list);
    expect(data.map(({ id }) => id).slice(0, 2)).toEqual(['1.1', '2.0']);
    expect(data).toHaveLength(31);
    expect([pagination.next_cursor, read.pages]).toEqual(['3', 3]);
  });

  it('reads at most 20 pages at once', async () => {
    const { list, read } = logOf(...Array.from({ length: 25 }, () => 'b'));
    const { data, pagination } = await withoutBrowsers(list);
    expect([data, pagination.has_more, read.pages]).toEqual([[], true, 20]);
  });

  it('exports the same requests, and reads each page once', async () => {
    const { list, read } = logOf('bk', 'kb');
    const ids: string[] = [];
    for await (const { id } of withoutBrowsers(list)) ids.push(id);
    expect([ids, read.pages]).toEqual([['0.1', '1.0'], 2]);
  });
});
