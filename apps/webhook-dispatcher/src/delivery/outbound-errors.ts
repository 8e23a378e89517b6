import type { DeliveryError } from '@trading-automation/contracts';

/** Ends a call with one of the codes that its caller may see. */
export class OutboundError extends Error {
  override readonly name = 'Refused';
  constructor(readonly deliveryError: DeliveryError) {
    super(deliveryError);
  }
}

const CODES: Readonly<Record<string, DeliveryError>> = {
  ECONNREFUSED: 'connect_refused',
  EHOSTUNREACH: 'connect_refused',
  EHOSTDOWN: 'connect_refused',
  ENETUNREACH: 'connect_refused',
  ENETDOWN: 'connect_refused',
  EADDRNOTAVAIL: 'connect_refused',
  // A machine without IPv6, and a firewall of its own that says no.
  EAFNOSUPPORT: 'connect_refused',
  EACCES: 'connect_refused',
  EPERM: 'connect_refused',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_HEADERS_OVERFLOW: 'response_too_large',
  HPE_HEADER_OVERFLOW: 'response_too_large',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  // Told of an answer whose own lengths contradict each other.
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'reset',
  EPROTO: 'tls_error',
};

/** OpenSSL's words for a certificate or a handshake that it does not take. */
const TLS =
  /^(?:ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE))/;
/** What the client's parser calls an answer that is no HTTP. */
const NO_HTTP = 'HTTPParserError';

/** The code of the closed set that an error of the network or the client is told as. */
export function errorCodeOf(error: unknown): DeliveryError {
  if (error instanceof OutboundError) return error.deliveryError;
  const { code, name, errors } = (error ?? {}) as { code?: unknown; name?: unknown; errors?: unknown };
  const known = typeof code === 'string' ? CODES[code] : undefined;
  if (known !== undefined) return known;
  if (typeof code === 'string' && TLS.test(code)) return 'tls_error';
  // The connection is of no more use than a broken one.
  if (name === NO_HTTP) return 'reset';
  return Array.isArray(errors) ? errorCodeOf(errors[0]) : 'internal';
}
