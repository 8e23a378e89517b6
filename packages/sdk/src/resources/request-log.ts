import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { LoggedRequest, RequestLogListQuery } from '../generated/records.js';

/** The requests that your credentials sent. */
export class RequestLog<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists the requests of the last 7 days that your credentials sent to the APIs. A request appears within some seconds.
   *
   * @example
   * for await (const request of client.requestLog.list({ status: '4xx' })) console.log(request.route, request.status);
   */
  list(query: RequestLogListQuery = {}, options?: RequestOptions): PagePromise<LoggedRequest> {
    return this.operations.list('requestLog.list', { query }, options);
  }
}
