/** Query parameters of every list. */
export interface ListQuery<Sort extends string = 'created_at', Include extends string = never> {
  /** Items per page, 1 to 100. */
  limit?: number;
  /** Items to skip. New records shift the offset; iterate, or pass `cursor`, to get each item once. */
  offset?: number;
  /** `next_cursor` of the previous page. Replaces `offset`. */
  cursor?: string;
  /** Sort field. Default: `created_at`. */
  sort?: Sort;
  /** Sort order. Default: `desc`. */
  order?: 'asc' | 'desc';
  /** Extra parts of the response. `total` adds the number of items on all pages as `pagination.total`. */
  include?: 'total' | Include | readonly ('total' | Include)[];
}
