import { type DeliveryError, type DeliveryReason, deliveryErrorOf } from '@trading-automation/contracts';

/** A failed call, with the published reason. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  constructor(readonly reason: DeliveryReason) {
    super(reason);
  }
}

const CODES: Readonly<Record<string, DeliveryReason>> = {
  ECONNREFUSED: 'connect_refused',
  EHOSTUNREACH: 'network_unreachable',
  EHOSTDOWN: 'network_unreachable',
  ENETUNREACH: 'network_unreachable',
  ENETDOWN: 'network_unreachable',
  EADDRNOTAVAIL: 'network_unreachable',
  // A machine without IPv6, or a local firewall that rejects the connection.
  EAFNOSUPPORT: 'network_unreachable',
  EACCES: 'network_unreachable',
  EPERM: 'network_unreachable',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_HEADERS_OVERFLOW: 'response_headers_too_large',
  HPE_HEADER_OVERFLOW: 'response_headers_too_large',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'closed_without_response',
  // The body is longer or shorter than its Content-Length.
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'reset',

  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_untrusted',
  CERT_UNTRUSTED: 'certificate_untrusted',
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_not_yet_valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_name_mismatch',
  HOSTNAME_MISMATCH: 'certificate_name_mismatch',
};

/** Other codes of OpenSSL for a rejected certificate. */
const CERTIFICATE = /^(?:CERT_|UNABLE_TO_|INVALID_(?:CA|PURPOSE))/;

/** OpenSSL's reasons for a failed handshake, as they occur in error codes and messages. */
const HANDSHAKES: readonly [pattern: RegExp, reason: DeliveryReason][] = [
  [/NO_APPLICATION_PROTOCOL/, 'http2_only'],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|RECORD_LAYER_FAILURE/, 'tls_not_spoken'],
  [/UNSUPPORTED_PROTOCOL|ALERT_PROTOCOL_VERSION/, 'tls_version_unsupported'],
  [/ALERT_CERTIFICATE_REQUIRED/, 'client_certificate_required'],
  [/UNRECOGNIZED_NAME/, 'tls_name_unknown'],
  [/ALERT_HANDSHAKE_FAILURE|NO_SHARED_CIPHER/, 'tls_no_common_cipher'],
];
/** OpenSSL's codes for any failed handshake. `EPROTO`: its reason is only in the message. */
const TLS = /^(?:EPROTO$|ERR_TLS_|ERR_SSL_|ERR_OSSL_)/;

/** The parser's error name for a response that is not HTTP. */
const NOT_HTTP = 'HTTPParserError';
/** The first bytes of a TLS alert, which a TLS server sends to a client that does not use TLS. */
const TLS_ALERT = '\u0015\u0003';

/** Returns the published reason for an error of the network or the HTTP client. */
export function reasonOf(error: unknown): DeliveryReason {
  if (error instanceof OutboundError) return error.reason;
  const { code, name, message, data, errors } = (error ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof code === 'string') {
    const known = CODES[code];
    if (known !== undefined) return known;
    if (CERTIFICATE.test(code)) return 'certificate_invalid';
    if (TLS.test(code)) return handshakeReasonOf(`${code} ${message}`);
  }
  // After such a response, the connection cannot be used again, as after a reset.
  if (name === NOT_HTTP) return protocolReasonOf(String(data));
  return Array.isArray(errors) ? reasonOf(errors[0]) : 'internal';
}

/** Returns the class of the reason for an error. */
export function errorCodeOf(error: unknown): DeliveryError {
  return deliveryErrorOf(reasonOf(error));
}

function handshakeReasonOf(text: string): DeliveryReason {
  const normalized = text.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return HANDSHAKES.find(([pattern]) => pattern.test(normalized))?.[1] ?? 'tls_error';
}

function protocolReasonOf(response: string): DeliveryReason {
  if (response.startsWith(TLS_ALERT)) return 'tls_expected';
  return isHttp2(response) ? 'http2_response' : 'not_http';
}

/** Every HTTP/2 connection begins with a SETTINGS frame: three bytes of length, the type 4, and no flags. */
function isHttp2(response: string): boolean {
  return response.startsWith('\0\0') && response.startsWith('\u0004\0', 3);
}

const LOOK_UPS: Readonly<Record<string, DeliveryReason>> = {
  ENOTFOUND: 'dns_name_not_found',
  ENODATA: 'dns_no_address',
  ESERVFAIL: 'dns_server_failure',
  EREFUSED: 'dns_server_failure',
  ETIMEOUT: 'dns_server_timeout',
  ECONNREFUSED: 'dns_server_timeout',
};

/** Returns the published reason for an error of a look-up. */
export function lookUpReasonOf(error: unknown): DeliveryReason {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return (typeof code === 'string' ? LOOK_UPS[code] : undefined) ?? 'dns_error';
}
