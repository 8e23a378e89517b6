/**
 * Answers as they go out. Everything is written to text here, once: what is sent, what is kept for an
 * Idempotency-Key and what comes again are the same bytes.
 */
import {
  compileSerializer,
  type DecimalMode,
  type Operation,
  type Serializer,
} from '@trading-automation/contracts';
import { type Page, toDomainError } from '@trading-automation/core';
import { isExpected, type Logger } from '@trading-automation/runtime';
import { errorResponse, type HttpResponse } from '@trading-automation/runtime/http';
import type { EventStream } from './event-stream.js';
import { OperationResponse } from './operation.js';
import { headerSafe, PREFIX, pathOf } from './route-table.js';

export interface RenderedResponse extends HttpResponse {
  /** What comes instead of the body, as it happens. */
  readonly stream?: EventStream;
}

const DECIMALS_AS_STRINGS =
  /(?:^|,)\s*application\/json\s*(?:;[^,;]*)*?;\s*decimals\s*=\s*"?string"?\s*(?:[;,]|$)/i;

/** How the caller wants decimals: `Accept: application/json; decimals=string`, or numbers. */
export function decimalModeOf(accept: string | undefined): DecimalMode {
  return accept !== undefined && DECIMALS_AS_STRINGS.test(accept) ? 'string' : 'number';
}

/** Compiles the form of an operation's answers, from what its controller gave. */
export function compileResponses(operation: Operation) {
  const writers: Record<DecimalMode, Serializer> = {
    number: compileSerializer(operation.response, 'number'),
    string: compileSerializer(operation.response, 'string'),
  };
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
    if (status !== 201 || location === undefined) return { status, headers: {}, body };
    const isAlias = !request.target.startsWith(`${PREFIX}/`);
    const shown = isAlias && location.startsWith(`${PREFIX}/`) ? location.slice(PREFIX.length) : location;
    return { status, headers: { location: shown }, body };
  };
}

/** A record is made by a POST to its collection, and stands below it by its id. */
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

/** A refusal or a fault as its answer. */
export function renderError(error: unknown, requestId: string): RenderedResponse {
  return errorResponse(toDomainError(error), requestId);
}

/** Writes to the log what went wrong: faults of ours whole, refusals for those who debug. */
export function logError(logger: Logger, error: unknown, context: Readonly<Record<string, unknown>>): void {
  const refusal = toDomainError(error);
  if (!isExpected(refusal)) logger.error({ ...context, err: error }, 'request failed');
  else if (refusal.code === 'service_unavailable')
    logger.warn({ ...context, err: error }, 'a needed service is away');
  else logger.debug({ ...context, code: refusal.code }, 'request refused');
}
