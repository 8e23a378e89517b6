/**
 * Lists. A page is what one request answers; iterating goes on from page to page.
 *
 * Pages hang together by cursor: what is made or goes meanwhile neither doubles nor hides an item of those that stay.
 * Sorted by a field that changes (`updated_at`), an item that changes meanwhile moves, and may be passed over.
 */
import { ApiPromise, type ApiResponse } from './api-promise.js';
import { UnexpectedAnswerError } from './errors.js';

/** Where a page stands in its list. */
export interface Pagination {
  readonly limit: number;
  readonly offset: number;
  readonly has_more: boolean;
  /** Where the next page begins; null after the last. */
  readonly next_cursor: string | null;
  /** Items of all pages, where the query said `include: 'total'`. */
  readonly total?: number;
}

/** Asks for the page that begins at a cursor. */
type NextPage<T> = (cursor: string) => PromiseLike<Page<T>>;

/** One page of a list, and the way to those after it. */
export class Page<T> implements AsyncIterable<T> {
  constructor(
    /** The items of this page. */
    readonly data: readonly T[],
    readonly pagination: Pagination,
    private readonly next: NextPage<T>,
  ) {}

  /**
   * Whether there is a page after this one.
   *
   * @example
   * const page = await client.trades.list({ limit: 100 });
   * if (page.hasNextPage()) console.log('there are more');
   */
  hasNextPage(): boolean {
    return this.pagination.has_more && this.pagination.next_cursor !== null;
  }

  /**
   * The page after this one.
   *
   * @example
   * const first = await client.trades.list();
   * if (first.hasNextPage()) console.log((await first.getNextPage()).data.length);
   *
   * @throws {RangeError} after the last page
   */
  async getNextPage(): Promise<Page<T>> {
    const { has_more, next_cursor } = this.pagination;
    if (!has_more || next_cursor === null)
      throw new RangeError('This is the last page: ask hasNextPage() first.');
    return this.next(next_cursor);
  }

  /**
   * This page and all after it, each asked for when it is needed.
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

  /** The items of this page and of all after it. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.iterPages()) yield* page.data;
  }
}

/**
 * A promise of the first page, and an iterable over the items of all pages. What fails is thrown where it is awaited
 * or iterated, and nowhere else.
 *
 * @example
 * for await (const trade of client.trades.list({ status: 'FILLED' })) console.log(trade.id);
 */
export class PagePromise<T> extends ApiPromise<Page<T>> implements AsyncIterable<T> {
  constructor(answer: Promise<ApiResponse>, next: NextPage<T>) {
    super(answer, (whole) => pageIn(whole, next));
    // An iterable may wait to be iterated; until then its failure is nobody's to handle.
    answer.catch(() => undefined);
  }

  /** The items of all pages, each page asked for when it is needed. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    yield* await this;
  }

  /**
   * All pages, each asked for when it is needed.
   *
   * @example
   * for await (const page of client.trades.list({ limit: 100 }).iterPages()) console.log(page.data.length);
   */
  async *iterPages(): AsyncGenerator<Page<T>, void, undefined> {
    yield* (await this).iterPages();
  }

  /**
   * The first `limit` items, from as many pages as they are on.
   *
   * @example
   * const trades = await client.trades.list({ limit: 100 }).toArray({ limit: 1_000 });
   *
   * @throws {RangeError} where the limit is no whole number from 1 up
   */
  async toArray({ limit }: { readonly limit: number }): Promise<T[]> {
    if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError('limit is a whole number from 1 up.');
    const items: T[] = [];
    for await (const item of this) {
      items.push(item);
      if (items.length === limit) break;
    }
    return items;
  }
}

function pageIn<T>({ json }: ApiResponse, next: NextPage<T>): Page<T> {
  const { data, pagination } = Object(json) as { data?: T[]; pagination?: Pagination };
  if (!Array.isArray(data) || !pagination) throw new UnexpectedAnswerError('Not a list of the API.');
  return new Page(data, pagination, next);
}
