/** Renders results and errors as responses, for the path and the `Accept` header of each request. */
import {
  compileSerializer,
  type DecimalMode,
  isRevalidated,
  type Operation,
  type Serializer,
} from '@trading-automation/contracts';
import { type Page, toDomainError } from '@trading-automation/core';
import { isExpected, type Logger } from '@trading-automation/runtime';
import { errorResponse, type HttpResponse } from '@trading-automation/runtime/http';
import type { EventStream } from './event-stream.js';
import { OperationResponse } from './operation.js';
import { aliasOf, headerSafe, PREFIX, pathOf } from './route-table.js';

export interface RenderedResponse extends HttpResponse {
  /** Events that are streamed instead of the body. */
  readonly stream?: EventStream;
}

/** Returns the decimal mode: `string` for `Accept: application/json; decimals=string`, otherwise `number`. */
export function decimalModeOf(accept: string | undefined): DecimalMode {
  return accept?.split(',').some(wantsDecimalsAsStrings) ? 'string' : 'number';
}

function wantsDecimalsAsStrings(mediaRange: string): boolean {
  const [type, ...parameters] = mediaRange.split(';');
  return (
    type!.trim().toLowerCase() === 'application/json' &&
    parameters.some((parameter) => /^\s*decimals\s*=\s*"?string"?\s*$/i.test(parameter))
  );
}

/** Compiles a function that renders the results of an operation. */
export function compileResponses(operation: Operation) {
  const writers: Record<DecimalMode, Serializer> = {
    number: compileSerializer(operation.response, 'number'),
    string: compileSerializer(operation.response, 'string'),
  };
  const handling = { isSecret: operation.returnsSecret === true, isRevalidated: isRevalidated(operation) };
  return (result: unknown, request: { target: string; decimals: DecimalMode }): RenderedResponse => {
    if (operation.stream === true)
      return { status: operation.status, headers: {}, body: '', stream: result as EventStream };
    const { data, options } = result instanceof OperationResponse ? result : { data: result, options: {} };
    const write = writers[request.decimals];
    const { status = operation.status, location = createdLocation(request.target, data) } = options;
    const body =
      operation.list === undefined
        ? `{"success":true,"data":${write(data)}}`
        : writePage(data as Page<unknown>, write);
    if (status !== 201 || location === undefined) return { status, headers: {}, body, ...handling };
    const isAlias = !request.target.startsWith(`${PREFIX}/`);
    const path = isAlias ? aliasOf(location) : location;
    return { status, headers: { location: path }, body, ...handling };
  };
}

/** Returns the path of a created record: the path of the POST followed by its id. */
function createdLocation(target: string, data: unknown): string | undefined {
  const { id } = (data ?? {}) as { id?: unknown };
  return typeof id === 'string' ? `${headerSafe(pathOf(target))}/${id}` : undefined;
}

function writePage({ items, pagination }: Page<unknown>, write: Serializer): string {
  let data = '';
  for (const item of items) data += data === '' ? write(item) : `,${write(item)}`;
  const { limit, offset, has_more, next_cursor, total } = pagination;
  return `{"success":true,"data":[${data}],"pagination":${JSON.stringify({ limit, offset, has_more, next_cursor, total })}}`;
}

/** Returns the response with additional headers, which override its own. */
export function withHeaders(
  rendered: RenderedResponse,
  headers: Readonly<Record<string, string>>,
): RenderedResponse {
  return { ...rendered, headers: { ...rendered.headers, ...headers } };
}

/** Renders an expected or internal error. */
export function renderError(error: unknown, requestId: string): RenderedResponse {
  return errorResponse(toDomainError(error), requestId);
}

/** The fields of a log line that name the request. */
interface RequestContext {
  readonly request_id: string;
  readonly operation: string;
}

/** Logs an error: internal errors with their cause, expected errors at debug level. */
export function logError(logger: Logger, error: unknown, context: RequestContext): void {
  const domainError = toDomainError(error);
  if (!isExpected(domainError))
    logger.error({ event: 'request.failed', ...context, err: error }, 'The request failed.');
  else if (domainError.code === 'service_unavailable')
    logger.warn(
      { event: 'service.unavailable', ...context, err: error },
      'A required service is unavailable.',
    );
  else
    logger.debug(
      { event: 'request.rejected', ...context, code: domainError.code },
      'The request was rejected.',
    );
}
