import type { DeliveryError } from '@trading-automation/contracts';

/** A failed call, with the published error code. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
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
  // A machine without IPv6, or a local firewall that rejects the connection.
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
  // The body is longer or shorter than its Content-Length.
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'reset',
  EPROTO: 'tls_error',
};

/** OpenSSL's codes for a rejected certificate or handshake. */
const TLS =
  /^(?:ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE))/;
/** The parser's error name for a response that is not HTTP. */
const NOT_HTTP = 'HTTPParserError';

/** Returns the published code of an error of the network or the HTTP client. */
export function errorCodeOf(error: unknown): DeliveryError {
  if (error instanceof OutboundError) return error.deliveryError;
  const { code, name, errors } = (error ?? {}) as { code?: unknown; name?: unknown; errors?: unknown };
  const known = typeof code === 'string' ? CODES[code] : undefined;
  if (known !== undefined) return known;
  if (typeof code === 'string' && TLS.test(code)) return 'tls_error';
  // After such a response, the connection cannot be used again, as after a reset.
  if (name === NOT_HTTP) return 'reset';
  return Array.isArray(errors) ? errorCodeOf(errors[0]) : 'internal';
}
