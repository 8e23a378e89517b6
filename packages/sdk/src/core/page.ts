/**
 * Lists. One request returns one page; iteration continues from page to page.
 *
 * Pages are linked by cursor: a record that is created or deleted during iteration neither repeats nor hides other
 * items. If the list is sorted by a field that can change (`updated_at`), an item that changes during iteration may
 * be skipped.
 */
import { ApiPromise, type ApiResponse } from './api-promise.js';
import { UnexpectedAnswerError } from './errors.js';

/** Describes the position of a page in its list. */
export interface Pagination {
  /** Maximum number of items on the page. */
  readonly limit: number;
  /** Number of items skipped before this page; 0 if the page was requested by cursor. */
  readonly offset: number;
  /** Whether there are more items after this page. */
  readonly has_more: boolean;
  /** Cursor of the next page; null on the last page. */
  readonly next_cursor: string | null;
  /** Number of items on all pages; present with `include: 'total'`. */
  readonly total?: number;
}

/** Requests the page at a cursor. */
type NextPage<T> = (cursor: string) => PromiseLike<Page<T>>;

/** One page of a list, with access to the pages after it. */
export class Page<T> implements AsyncIterable<T> {
  constructor(
    /** The items of this page. */
    readonly data: readonly T[],
    /** The position of this page in its list. */
    readonly pagination: Pagination,
    private readonly next: NextPage<T>,
  ) {}

  /**
   * Returns whether there is a page after this one.
   *
   * @example
   * const page = await client.trades.list({ limit: 100 });
   * if (page.hasNextPage()) console.log('there are more');
   */
  hasNextPage(): boolean {
    return this.pagination.has_more && this.pagination.next_cursor !== null;
  }

  /**
   * Returns the page after this one.
   *
   * @example
   * const first = await client.trades.list();
   * if (first.hasNextPage()) console.log((await first.getNextPage()).data.length);
   *
   * @throws {RangeError} on the last page
   */
  async getNextPage(): Promise<Page<T>> {
    const { has_more, next_cursor } = this.pagination;
    if (!has_more || next_cursor === null)
      throw new RangeError('This is the last page. Check hasNextPage() first.');
    return this.next(next_cursor);
  }

  /**
   * Iterates over this page and the pages after it. Each page is requested when it is needed.
   *
   * @example
   * const first = await client.trades.list({ limit: 100 });
   * for await (const page of first.iterPages()) console.log(page.data.length);
   */
  async *iterPages(): AsyncGenerator<Page<T>, void, undefined> {
    let page: Page<T> = this;
    yield page;
    while (page.hasNextPage()) {
      page = await page.getNextPage();
      yield page;
    }
  }

  /** Iterates over the items of this page and of the pages after it. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.iterPages()) yield* page.data;
  }
}

/**
 * A promise of the first page that is also an iterable over the items of all pages. Errors are thrown when you await or
 * iterate it.
 *
 * @example
 * for await (const trade of client.trades.list({ status: 'FILLED' })) console.log(trade.id);
 */
export class PagePromise<T> extends ApiPromise<Page<T>> implements AsyncIterable<T> {
  constructor(response: Promise<ApiResponse>, next: NextPage<T>) {
    super(response, (received) => parsePage(received, next));
    // The iteration may start later; a failure before that must not be an unhandled rejection.
    response.catch(() => undefined);
  }

  /** Iterates over the items of all pages. Each page is requested when it is needed. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    yield* await this;
  }

  /**
   * Iterates over all pages. Each page is requested when it is needed.
   *
   * @example
   * for await (const page of client.trades.list({ limit: 100 }).iterPages()) console.log(page.data.length);
   */
  async *iterPages(): AsyncGenerator<Page<T>, void, undefined> {
    yield* (await this).iterPages();
  }

  /**
   * Returns the first `limit` items, reading as many pages as needed.
   *
   * @example
   * const trades = await client.trades.list({ limit: 100 }).toArray({ limit: 1_000 });
   *
   * @throws {RangeError} if `limit` is not an integer of 1 or more
   */
  async toArray({ limit }: { readonly limit: number }): Promise<T[]> {
    if (!Number.isSafeInteger(limit) || limit < 1)
      throw new RangeError(`limit must be an integer of 1 or more; got ${limit}.`);
    const items: T[] = [];
    for await (const item of this) {
      items.push(item);
      if (items.length === limit) break;
    }
    return items;
  }
}

function parsePage<T>({ json }: ApiResponse, next: NextPage<T>): Page<T> {
  const { data, pagination } = Object(json) as { data?: T[]; pagination?: Pagination };
  if (!Array.isArray(data) || !pagination)
    throw new UnexpectedAnswerError('The response is not a list of the API.');
  return new Page(data, pagination, next);
}
