/** Query parameters of every list. */
export interface ListQuery<Sort extends string = 'created_at', Include extends string = never> {
  /** Items per page, 1 to 100. */
  limit?: number;
  /** Number of items to skip. New records shift the items; to get each item once, iterate or pass `cursor`. */
  offset?: number;
  /** The `next_cursor` of the previous page. Replaces `offset`. */
  cursor?: string;
  /** Sort field. Default: `created_at`. */
  sort?: Sort;
  /** Sort order. Default: `desc`. */
  order?: 'asc' | 'desc';
  /** Additional content of the response. `total` adds `pagination.total`, the number of items on all pages. */
  include?: 'total' | Include | readonly ('total' | Include)[];
}
