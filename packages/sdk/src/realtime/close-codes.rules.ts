/**
 * Classifies the end of a connection by its close code. After a fatal end the client does not reconnect, and throws the
 * error class that REST uses for the same error. docs/guides/graphql.md describes the close codes.
 *
 * | Close code                   | Cause                                     | Class                                  |
 * | ---------------------------- | ----------------------------------------- | -------------------------------------- |
 * | 1009                         | the message is too large                  | fatal                                  |
 * | 4400, 4401, 4406, 4409, 4429 | a mistake of the client or of a proxy     | fatal                                  |
 * | 4403                         | rejected handshake: nonce already used    | transient                              |
 * | 4403                         | rejected handshake: wrong timestamp       | skewed: retried with the server's time |
 * | 4403                         | rejected handshake: any other reason      | fatal                                  |
 * | 4411                         | the credential has too many connections   | fatal before the first connection      |
 * |                              |                                           | was accepted, transient afterwards     |
 * | 4412                         | the key pair was revoked                  | fatal                                  |
 * | any other, or none           | network failure, server stop, unknown     | transient                              |
 */
import { type ApiError, ConnectionError, createApiError, TimeoutError } from '../core/errors.js';
import { statusOf } from '../core/graphql.js';

/** The close code and reason of a WebSocket. */
export interface CloseInfo {
  readonly code: number;
  readonly reason: string;
}

export interface CloseClass {
  /** `skewed`: can be retried once the server's time is known. */
  readonly kind: 'fatal' | 'transient' | 'skewed';
  readonly error: ApiError | ConnectionError;
}

const TOO_BIG = 1009;
/** Used by this client when the server does not respond in time. */
const CLIENT_TIMEOUT = 4499;
const FORBIDDEN = 4403;
const TOO_MANY_CONNECTIONS = 4411;
const CREDENTIAL_ENDED = 4412;
/** HTTP statuses plus 4,000, for mistakes of the client or a proxy. */
const PROTOCOL_ERROR_CODES: readonly number[] = [4400, 4401, 4406, 4409, 4429];

/**
 * Classifies a close code.
 *
 * @param wasConnected whether the server accepted this client before. The server may still count the dropped
 *   connection, so that "too many connections" is then transient.
 */
export function classifyClose(closed: CloseInfo, wasConnected: boolean): CloseClass {
  const { code, reason } = closed;
  if (code === FORBIDDEN) return classifyHandshake(reason);
  if (code === CREDENTIAL_ENDED)
    return fatal(401, 'unknown_public_key', 'The key pair was revoked. Sign with another one.');
  if (code === TOO_BIG)
    return fatal(413, 'payload_too_large', 'The operation is larger than 64 KiB. Send a smaller one.');
  if (code === TOO_MANY_CONNECTIONS) {
    const rejected = fatal(429, 'rate_limited', 'This credential has too many connections. Close one first.');
    return wasConnected ? { ...rejected, kind: 'transient' } : rejected;
  }
  if (PROTOCOL_ERROR_CODES.includes(code))
    return fatal(code - 4000, 'unknown', `The server closed the connection with ${code}: ${reason}`);
  if (code === CLIENT_TIMEOUT)
    return { kind: 'transient', error: new TimeoutError('The server did not respond in time.') };
  const suffix = reason === '' ? '' : `: ${reason}`;
  return { kind: 'transient', error: new ConnectionError(`The connection closed (${code}${suffix}).`) };
}

/** Classifies a rejected handshake. The close reason is the error code. */
function classifyHandshake(code: string): CloseClass {
  const rejected = fatal(
    Math.max(statusOf(code), 401),
    code || 'unknown',
    `The server rejected the handshake: ${code}.`,
  );
  if (code === 'timestamp_out_of_window') return { ...rejected, kind: 'skewed' };
  return code === 'nonce_replayed' ? { ...rejected, kind: 'transient' } : rejected;
}

function fatal(status: number, code: string, message: string): CloseClass {
  const headers = new Headers();
  return {
    kind: 'fatal',
    error: createApiError({ status, code, message, details: [], requestId: undefined, headers }),
  };
}
