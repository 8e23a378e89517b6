/** The request log without the requests of browsers. The API selects a credential, but cannot leave one out. */
import type { LoggedRequest, PagePromise } from '@trading-automation/sdk';

type Rows = Pick<Awaited<PagePromise<LoggedRequest>>, 'data' | 'pagination'>;

/** As many as a window shows. */
const ROWS_MIN = 25;
const PAGES_MAX = 20;

const isOther = ({ credential }: LoggedRequest) => credential.kind !== 'browser_session';

/** Reads on until a window is full, the log ends, or the limit of pages is reached. */
async function firstRows(list: PagePromise<LoggedRequest>): Promise<Rows> {
  const data: LoggedRequest[] = [];
  let page = await list;
  for (let pages = 1; ; pages += 1) {
    data.push(...page.data.filter(isOther));
    if (data.length >= ROWS_MIN || pages === PAGES_MAX || !page.hasNextPage()) break;
    page = await page.getNextPage();
  }
  return { data, pagination: page.pagination };
}

async function* allRows(list: AsyncIterable<LoggedRequest>) {
  for await (const request of list) if (isOther(request)) yield request;
}

/** The requests of a list that no browser session sent. It reads nothing until it is awaited or iterated. */
class OtherRequests implements PromiseLike<Rows>, AsyncIterable<LoggedRequest> {
  constructor(private readonly list: PagePromise<LoggedRequest>) {}

  // biome-ignore lint/suspicious/noThenProperty: a list is awaited for its first page, like that of the SDK.
  then: Promise<Rows>['then'] = (onRows, onError) => firstRows(this.list).then(onRows, onError);

  [Symbol.asyncIterator] = () => allRows(this.list);
}

/** Leaves out the requests of browser sessions. */
export const withoutBrowsers = (list: PagePromise<LoggedRequest>) => new OtherRequests(list);
