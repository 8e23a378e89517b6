/** What every list takes. */
export interface ListQuery<Sort extends string = 'created_at', Include extends string = never> {
  /** Items of a page, 1 to 100. */
  limit?: number;
  /** Items to skip. Records that are made meanwhile shift it: iterate, or hand on `cursor`, to see each one once. */
  offset?: number;
  /** `next_cursor` of the page before; instead of `offset`. */
  cursor?: string;
  /** Default: `created_at`. */
  sort?: Sort;
  /** Default: `desc`. */
  order?: 'asc' | 'desc';
  /** `total` counts all pages' items into `pagination.total`. */
  include?: 'total' | Include | readonly ('total' | Include)[];
}
