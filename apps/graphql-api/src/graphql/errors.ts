/**
 * Errors as GraphQL answers with them: the code, the details and the request id of REST, in `extensions`.
 *
 * 1. A refusal says what it is. What the document or a variable does wrong is `validation_failed`, in the words of the
 *    GraphQL library without its suggestions, which would tell names to who can't introspect, and without the value.
 * 2. Anything else is a fault of ours: the caller learns that it happened, and the log has the rest; as it has of what is
 *    away.
 */
import { DomainError, type ErrorDetail } from '@trading-automation/contracts';
import { toDomainError } from '@trading-automation/core';
import { isExpected, type Logger, toErrorResponse } from '@trading-automation/runtime';
import { GraphQLError } from 'graphql';

export interface FormattedError {
  readonly message: string;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly path?: readonly (string | number)[];
  readonly extensions: {
    readonly code: string;
    readonly details?: readonly ErrorDetail[];
    readonly request_id: string;
    /** Seconds to wait before the next try. */
    readonly retry_after?: number;
  };
}

/** A refusal of the whole document: with a code of its own for those who show it to a person. */
export function documentError(code: string, message: string): GraphQLError {
  return new GraphQLError(message, {
    originalError: new DomainError('validation_failed', message, [{ field: 'query', code, message }]),
  });
}

export function formatError(error: Error, requestId: string, logger: Logger): FormattedError {
  const refusal = domainErrorIn(error);
  const logged = { request_id: requestId, err: rootOf(error) };
  if (!isExpected(refusal)) logger.error(logged, 'operation failed');
  else if (refusal.code === 'service_unavailable') logger.warn(logged, 'a needed service is away');
  const { headers, body } = toErrorResponse(refusal, requestId);
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
  const root = rootOf(error);
  if (!(root instanceof GraphQLError)) return toDomainError(root);
  // An error of the library that stands at a place of the answer is about the answer.
  if ((error as GraphQLError).path !== undefined) return new DomainError('internal_error');
  return new DomainError('validation_failed', redactMessage(error.message));
}

function rootOf(error: Error): Error {
  let root = error;
  while (root instanceof GraphQLError && root.originalError instanceof Error) root = root.originalError;
  return root;
}

/** Without suggestions, and without the value that was given: it may be a secret. What follows a value goes first. */
function redactMessage(message: string): string {
  return message
    .replace(/ Did you mean .*\?$/s, '')
    .replace(/( cannot represent [^:]*): .*$/s, '$1.')
    .replace(/(Expected value of type "[^"]*"), found .*$/s, '$1.')
    .replace(/Value .* does not exist in ("[^"]*" enum).*$/s, 'The value does not exist in $1.')
    .replace(/ got invalid value .*( at "[^"]*"; )/s, ' got an invalid value$1')
    .replace(/ got invalid value .*; /s, ' got an invalid value; ');
}
