/** The page: what every list answers with, and how a client walks through all of them. */
import { z } from 'zod';

/** The `pagination` block of a list's answer. `next_cursor` is null exactly where `has_more` is false. */
export const paginationSchema = z.object({
  limit: z.int().describe('The most items that this page could hold.'),
  offset: z.int().describe('Items skipped before this page; 0 where it was asked for by cursor.'),
  has_more: z.boolean().describe('Whether items follow this page.'),
  next_cursor: z.string().nullable().describe('Send it as `cursor` for the next page; null on the last one.'),
  total: z.int().optional().describe('All items of the query, with `include=total` alone.'),
});
export type Pagination = z.infer<typeof paginationSchema>;

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly pagination: Pagination;
  /**
   * The cursor behind which the list goes on after the item at `index` of this page; that of the last item is
   * `next_cursor`, where there is one. Whoever read the page from its source can tell; an answer's reader can't.
   *
   * @throws {RangeError} where the page has no such item
   */
  readonly cursorAt?: (index: number) => string;
}

/** A page of whoever reads the source itself. */
export interface PageWithCursors<Item> extends Page<Item> {
  readonly cursorAt: (index: number) => string;
}

/** Fetches one page; `cursor` is undefined for the first. */
export type FetchPage<Item> = (cursor: string | undefined) => Promise<Page<Item>>;

/**
 * Every item of a list, page after page, fetched as they are needed. An item that moved while the walk went on
 * (a record whose sort field changed) may come by again: an id already seen is dropped, so the walk remembers
 * the ids it has given.
 *
 * @throws {Error} where a page's next cursor is the one it was fetched with: the walk would never end
 */
export async function* paginate<Item extends { readonly id: string }>(
  fetchPage: FetchPage<Item>,
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (;;) {
    const { items, pagination } = await fetchPage(cursor);
    for (const item of items) {
      if (seen.has(item.id)) continue;
      seen.add(item.id);
      yield item;
    }
    if (!pagination.has_more || pagination.next_cursor === null) return;
    if (pagination.next_cursor === cursor)
      throw new Error('the list answered with the cursor it was asked with');
    cursor = pagination.next_cursor;
  }
}
