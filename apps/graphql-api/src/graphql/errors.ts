/**
 * Formats errors for GraphQL responses. `extensions` contains the code, the details and the request id, as in REST.
 *
 * 1. An error in the document or a variable has the code `validation_failed` and the message of the GraphQL library.
 *    Suggestions are removed, because they would disclose names to callers without introspection. Values are removed,
 *    too.
 * 2. An unexpected error becomes `internal_error`: the caller gets only this code, and the cause is logged. Outages of
 *    required services are logged, too.
 */
import { type DetailCode, DomainError, type ErrorDetail } from '@trading-automation/contracts';
import { toDomainError } from '@trading-automation/core';
import { isExpected, type Logger, toErrorResponse } from '@trading-automation/runtime';
import { GraphQLError } from 'graphql';
import { redactMessage } from './redact-message.js';

export interface FormattedError {
  readonly message: string;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly path?: readonly (string | number)[];
  readonly extensions: {
    readonly code: string;
    readonly details?: readonly ErrorDetail[];
    readonly request_id: string;
    /** Seconds to wait before a retry. */
    readonly retry_after?: number;
  };
}

/** Returns an error about the whole document, with a specific code in its details. */
export function documentError(code: DetailCode, message: string): GraphQLError {
  return new GraphQLError(message, {
    originalError: new DomainError('validation_failed', message, [{ field: 'query', code, message }]),
  });
}

export function formatError(error: Error, requestId: string, logger: Logger): FormattedError {
  const domainError = domainErrorIn(error);
  const context = { request_id: requestId, err: rootCauseOf(error) };
  if (!isExpected(domainError)) logger.error({ event: 'request.failed', ...context }, 'The request failed.');
  else if (domainError.code === 'service_unavailable')
    logger.warn({ event: 'service.unavailable', ...context }, 'A required service is unavailable.');
  const { headers, body } = toErrorResponse(domainError, requestId);
  const { code, message, details } = body.error;
  const retryAfter = headers['retry-after'];
  const { locations, path } = error as GraphQLError;
  return {
    message,
    ...(locations === undefined ? {} : { locations }),
    ...(path === undefined ? {} : { path }),
    extensions: {
      code,
      ...(details === undefined ? {} : { details }),
      request_id: requestId,
      ...(retryAfter === undefined ? {} : { retry_after: Number(retryAfter) }),
    },
  };
}

function domainErrorIn(error: Error): unknown {
  const root = rootCauseOf(error);
  if (!(root instanceof GraphQLError)) return toDomainError(root);
  // If the error has a path, the GraphQL library failed to build the response. Otherwise the request is invalid.
  if ((error as GraphQLError).path !== undefined) return new DomainError('internal_error');
  return new DomainError('validation_failed', redactMessage(error.message));
}

function rootCauseOf(error: Error): Error {
  let root = error;
  while (root instanceof GraphQLError && root.originalError instanceof Error) root = root.originalError;
  return root;
}
