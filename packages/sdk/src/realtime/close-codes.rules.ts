/**
 * What the end of a connection means: whether it passes, and which error it is where it does not.
 *
 * 1. What the guide's table says to mend is thrown, by the class that REST throws for the same refusal.
 * 2. Everything else passes: the network, a server that stops, a code that is not known here.
 * 3. A handshake that was refused for its time passes once the server's time is known.
 */
import { type ApiError, ConnectionError, createApiError, TimeoutError } from '../core/errors.js';
import { statusOf } from '../core/graphql.js';

/** How a connection ended, as a WebSocket tells it. */
export interface CloseInfo {
  readonly code: number;
  readonly reason: string;
}

export interface CloseClass {
  /** `skewed`: passes once the server's time is known. */
  readonly kind: 'fatal' | 'passing' | 'skewed';
  readonly error: ApiError | ConnectionError;
}

const TOO_BIG = 1009;
/** Of this side, where it waits no longer. */
const CLIENT_TIMEOUT = 4499;
const FORBIDDEN = 4403;
const TOO_MANY = 4411;
const CREDENTIAL_ENDED = 4412;
/** Codes that stand for an HTTP status, 4,000 above it: the client or what is between has to be mended. */
const PROTOCOL_ERROR_CODES: readonly number[] = [4400, 4401, 4406, 4409, 4429];

/** @param wasConnected whether the server let this client in before: what was cut may still be counted there */
export function classifyClose(closed: CloseInfo, wasConnected: boolean): CloseClass {
  const { code, reason } = closed;
  if (code === FORBIDDEN) return classifyHandshake(reason);
  if (code === CREDENTIAL_ENDED)
    return fatal(401, 'unknown_public_key', 'The key pair was revoked: sign with another one.');
  if (code === TOO_BIG) return fatal(413, 'payload_too_large', 'The operation is over 64 KiB.');
  if (code === TOO_MANY) {
    const refused = fatal(429, 'rate_limited', 'This credential has too many connections: close one first.');
    return wasConnected ? { ...refused, kind: 'passing' } : refused;
  }
  if (PROTOCOL_ERROR_CODES.includes(code))
    return fatal(code - 4000, 'unknown', `The server closed the connection with ${code}: ${reason}`);
  if (code === CLIENT_TIMEOUT)
    return { kind: 'passing', error: new TimeoutError('Nothing was heard of the server in time.') };
  const why = reason === '' ? '' : `: ${reason}`;
  return { kind: 'passing', error: new ConnectionError(`The connection was cut (${code}${why}).`) };
}

/** The reason of such a goodbye is the code of the refusal. */
function classifyHandshake(code: string): CloseClass {
  const refused = fatal(
    Math.max(statusOf(code), 401),
    code || 'unknown',
    `The handshake was refused: ${code}.`,
  );
  if (code === 'timestamp_out_of_window') return { ...refused, kind: 'skewed' };
  return code === 'nonce_replayed' ? { ...refused, kind: 'passing' } : refused;
}

function fatal(status: number, code: string, message: string): CloseClass {
  const headers = new Headers();
  return {
    kind: 'fatal',
    error: createApiError({ status, code, message, details: [], requestId: undefined, headers }),
  };
}
