import { ApiError, GraphqlAddressError, UnexpectedAnswerError } from '@trading-automation/sdk';
import { EXIT, Failure } from './failures.js';
import { safeLine } from './terminal/text-of.js';

/** A server responded that is not the API, for example a proxy, or another program on the port. */
class ForeignServer extends Failure {
  override readonly name = 'ForeignServer';
  override readonly exitCode = EXIT.network;
}

/**
 * Converts an error of the SDK to a failure if the response did not come from the API. Returns any other
 * error unchanged.
 *
 * @param address the address to which the request was sent
 */
export function foreignServerError(error: unknown, address: string | undefined): unknown {
  if (error instanceof GraphqlAddressError)
    return foreignServer(
      error,
      `No GraphQL API responds at ${error.origin}.`,
      'Set SVC_GRAPHQL_URL, or store the address: svc config set graphql_url URL',
    );
  const response = foreignResponseOf(error);
  if (response === undefined) return error;
  return foreignServer(
    error,
    `The server at ${address ?? 'the address'} is not this API. ${response}`,
    'Check the address: --base-url, SVC_BASE_URL, or svc config get base_url. A proxy may also have responded.',
  );
}

/** Whether an error of the SDK is a response of a server that is not the API. */
export const isForeignResponse = (error: unknown) => foreignResponseOf(error) !== undefined;

function foreignServer(cause: unknown, message: string, resolution: string): ForeignServer {
  const failure = new ForeignServer(message, resolution);
  failure.cause = cause;
  return failure;
}

function foreignResponseOf(error: unknown): string | undefined {
  if (error instanceof UnexpectedAnswerError) return error.summary;
  if (!(error instanceof ApiError) || error.code !== 'unknown' || error.graphql !== undefined)
    return undefined;
  // The limit of a proxy in front of the API is a rate limit, too.
  if (error.status === 429) return undefined;
  const type = safeLine(error.headers.get('content-type') ?? 'no content type');
  return `It responded with status ${error.status}, ${type}, and without an error of the API.`;
}
