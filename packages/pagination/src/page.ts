/** Defines a page, the response of every list, and iterates over the pages of a list. */
import { z } from 'zod';

/** The `pagination` block of a list response. `next_cursor` is null exactly if `has_more` is false. */
export const paginationSchema = z.object({
  limit: z.int().describe('Maximum number of items of this page.'),
  offset: z
    .int()
    .describe('Number of items skipped before this page. 0 if the page was requested by cursor.'),
  has_more: z.boolean().describe('Whether there are more items after this page.'),
  next_cursor: z
    .string()
    .nullable()
    .describe('Cursor of the next page: send it as `cursor`. Null on the last page.'),
  total: z
    .int()
    .optional()
    .describe('Number of all items that match the query. Present only with `include=total`.'),
});
export type Pagination = z.infer<typeof paginationSchema>;

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly pagination: Pagination;
  /**
   * Returns the cursor after the item at `index` of this page; for the last item it equals `next_cursor`, if that is set.
   * Available only on the server, not in a response.
   *
   * @throws {RangeError} if the page has no such item
   */
  readonly cursorAt?: (index: number) => string;
}

/** A page on the server, which has the cursor of each item. */
export interface PageWithCursors<Item> extends Page<Item> {
  readonly cursorAt: (index: number) => string;
}

/** Fetches one page; `cursor` is undefined for the first. */
export type FetchPage<Item> = (cursor: string | undefined) => Promise<Page<Item>>;

/**
 * Iterates over all items of a list and fetches pages as needed. An item whose sort field changes during the iteration
 * may be on two pages. The iteration therefore remembers all ids and skips repeated items.
 *
 * @throws {Error} if a page returns the cursor with which it was fetched, because the iteration would never end
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
      throw new Error('The list returned the cursor it was requested with.');
    cursor = pagination.next_cursor;
  }
}
