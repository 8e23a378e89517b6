import { z } from 'zod';

/** Classes of failed attempts. They never contain the receiver's address. */
export const DELIVERY_ERRORS = [
  'dns_error',
  'blocked_address',
  'connect_refused',
  'connect_timeout',
  'tls_error',
  'timeout',
  'reset',
  'response_too_large',
  'http_status',
  'invalid_url',
  'internal',
] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

interface ReasonText {
  /** The class of the reason: a value of `error`, which clients may have known before the reason existed. */
  readonly error: DeliveryError;
  /** What went wrong and how to fix it. It contains no address and no bytes of the receiver. */
  readonly message: string;
}

/**
 * Every reason for a failed attempt. A class is also a reason: it is the reason when nothing more specific is known, and
 * of attempts that were stored before reasons existed.
 */
const REASONS = {
  dns_error: {
    error: 'dns_error',
    message: 'The host name could not be resolved. Check the URL and the DNS records of its domain.',
  },
  dns_name_not_found: {
    error: 'dns_error',
    message:
      'The host name does not exist. Check the spelling of the URL, and the DNS records of its domain.',
  },
  dns_no_address: {
    error: 'dns_error',
    message:
      'The host name exists, but has no A or AAAA record. Add a record with the address of the receiver.',
  },
  dns_server_failure: {
    error: 'dns_error',
    message:
      'The name servers of the domain answered with a failure. Check its delegation and its DNSSEC records.',
  },
  dns_server_timeout: {
    error: 'dns_error',
    message: 'The name servers of the domain did not answer in time. Check that they are reachable.',
  },
  blocked_address: {
    error: 'blocked_address',
    message: 'The host name resolves to an address that is not public. Use a receiver with a public address.',
  },
  connect_refused: {
    error: 'connect_refused',
    message:
      'The receiver refused the connection. Check that it is running, and that it listens on the port of the URL.',
  },
  network_unreachable: {
    error: 'connect_refused',
    message: 'There is no route to the receiver. Check its address, its network and its IPv6 configuration.',
  },
  connect_timeout: {
    error: 'connect_timeout',
    message:
      'The receiver did not accept the connection within 10 s. Check that no firewall drops connections to the port.',
  },
  tls_handshake_timeout: {
    error: 'connect_timeout',
    message:
      'The receiver accepted the connection, but did not complete the TLS handshake within 10 s. Check that the port serves TLS.',
  },
  tls_error: {
    error: 'tls_error',
    message: 'The TLS handshake failed. Check the TLS configuration of the receiver.',
  },
  certificate_self_signed: {
    error: 'tls_error',
    message:
      'The receiver has a self-signed certificate. Install a certificate of a public certificate authority.',
  },
  certificate_untrusted: {
    error: 'tls_error',
    message:
      "The receiver's certificate does not lead to a public certificate authority. Send the intermediate certificates too, or install a certificate of a public authority.",
  },
  certificate_expired: {
    error: 'tls_error',
    message: "The receiver's certificate, or one of its chain, has expired. Renew it.",
  },
  certificate_not_yet_valid: {
    error: 'tls_error',
    message: "The receiver's certificate, or one of its chain, is not valid yet. Check its start date.",
  },
  certificate_name_mismatch: {
    error: 'tls_error',
    message:
      "The receiver's certificate is for another host name. Install a certificate that contains the host name of the URL.",
  },
  certificate_invalid: {
    error: 'tls_error',
    message: "The receiver's certificate is not acceptable for a server. Install a new certificate.",
  },
  client_certificate_required: {
    error: 'tls_error',
    message:
      'The receiver requires a client certificate. Accept connections without one, and verify the signature of each event.',
  },
  tls_not_spoken: {
    error: 'tls_error',
    message:
      'The port of the URL does not serve TLS. Configure TLS at the receiver, or correct the port of the URL.',
  },
  tls_version_unsupported: {
    error: 'tls_error',
    message: 'The receiver supports neither TLS 1.2 nor TLS 1.3. Enable one of them.',
  },
  tls_no_common_cipher: {
    error: 'tls_error',
    message:
      'The receiver rejected the TLS handshake, usually because no cipher suite is common. Enable the default cipher suites of TLS 1.2 or 1.3.',
  },
  tls_name_unknown: {
    error: 'tls_error',
    message:
      'The receiver has no certificate for the host name of the URL. Configure the host name at the receiver.',
  },
  http2_only: {
    error: 'tls_error',
    message: 'The receiver accepts HTTP/2 only. Webhooks are sent by HTTP/1.1; enable it at the receiver.',
  },
  timeout: {
    error: 'timeout',
    message: 'The attempt reached its time limit. Respond at once, and process the event afterwards.',
  },
  timeout_in_dns: {
    error: 'timeout',
    message:
      'The attempt reached its time limit while the host name was looked up. Check the name servers of the domain.',
  },
  timeout_in_connect: {
    error: 'timeout',
    message:
      'The attempt reached its time limit before the connection was open. Check that no firewall drops connections to the port.',
  },
  timeout_in_tls_handshake: {
    error: 'timeout',
    message: 'The attempt reached its time limit during the TLS handshake. Check that the port serves TLS.',
  },
  timeout_in_response: {
    error: 'timeout',
    message:
      'The receiver accepted the request, but did not respond within the time limit. Respond at once, and process the event afterwards.',
  },
  reset: {
    error: 'reset',
    message:
      'The receiver reset the connection before its response was complete. Check its log, and the proxies in front of it.',
  },
  closed_without_response: {
    error: 'reset',
    message:
      'The receiver closed the connection without a response. Check its log. If the port serves TLS, change the URL to https.',
  },
  closed_in_tls_handshake: {
    error: 'reset',
    message:
      'The receiver closed the connection during the TLS handshake. Check that the port serves TLS for the host name of the URL.',
  },
  tls_expected: {
    error: 'reset',
    message: 'The port serves TLS, but the URL begins with http. Change the URL to https.',
  },
  http2_response: {
    error: 'reset',
    message: 'The receiver responded with HTTP/2. Webhooks are sent by HTTP/1.1; enable it at the receiver.',
  },
  not_http: {
    error: 'reset',
    message: 'The receiver sent something other than a valid HTTP/1.1 response. Check the port of the URL.',
  },
  unexpected_upgrade: {
    error: 'reset',
    message:
      'The receiver switched the connection to another protocol (status 101). Respond with a status of 200 to 299.',
  },
  response_too_large: {
    error: 'response_too_large',
    message:
      'The receiver sent more than 256 KiB without completing the head of its response. Send a short response.',
  },
  response_headers_too_large: {
    error: 'response_too_large',
    message: 'The headers of the response are larger than 16 KiB. Send fewer or shorter headers.',
  },
  http_status: {
    error: 'http_status',
    message:
      'The receiver responded with a status outside 200 to 299. Respond with 200 once the event is stored.',
  },
  redirect_not_followed: {
    error: 'http_status',
    message:
      'The receiver responded with a redirect, which is not followed. Set the URL of the webhook to its target.',
  },
  invalid_url: {
    error: 'invalid_url',
    message: 'The URL of the webhook is no longer accepted. Update it.',
  },
  internal: {
    error: 'internal',
    message:
      'The attempt failed for a reason on our side. It is repeated by the schedule; no change is needed.',
  },
} as const satisfies Readonly<Record<string, ReasonText>> & Readonly<Record<DeliveryError, ReasonText>>;

export type DeliveryReason = keyof typeof REASONS;
export const DELIVERY_REASONS = Object.keys(REASONS) as [DeliveryReason, ...DeliveryReason[]];

/** Returns the class of a reason. */
export function deliveryErrorOf(reason: DeliveryReason): DeliveryError {
  return REASONS[reason].error;
}

/** Reasons to abandon a delivery before its last attempt, with their sentences. */
const ABANDONMENTS = {
  webhook_inactive:
    'The webhook was deactivated, so the remaining attempts were not made. Activate it, then retry the dead letter.',
} as const;

export const DEAD_LETTER_ERRORS = [...DELIVERY_ERRORS, 'webhook_inactive'] as const;
export const DEAD_LETTER_REASONS = [...DELIVERY_REASONS, 'webhook_inactive'] as const;
export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];

export interface DeliveryFailure {
  readonly error: DeliveryError;
  readonly error_reason: DeliveryReason;
  readonly error_message: string;
}

/**
 * Returns the fields that explain a failed attempt. Returns undefined for a reason that this release does not know,
 * which a later release may store while it is rolled out.
 */
export function deliveryFailureOf(reason: string): DeliveryFailure | undefined {
  if (!isDeliveryReason(reason)) return undefined;
  const { error, message } = REASONS[reason];
  return { error, error_reason: reason, error_message: message };
}

export interface DeadLetterFailure {
  readonly last_error: (typeof DEAD_LETTER_ERRORS)[number];
  readonly last_error_reason: DeadLetterReason;
  readonly last_error_message: string;
}

/** Returns the fields that explain a dead letter, or undefined, like {@link deliveryFailureOf}. */
export function deadLetterFailureOf(reason: string): DeadLetterFailure | undefined {
  if (reason === 'webhook_inactive')
    return { last_error: reason, last_error_reason: reason, last_error_message: ABANDONMENTS[reason] };
  const failure = deliveryFailureOf(reason);
  if (failure === undefined) return undefined;
  return {
    last_error: failure.error,
    last_error_reason: failure.error_reason,
    last_error_message: failure.error_message,
  };
}

function isDeliveryReason(reason: string): reason is DeliveryReason {
  return Object.hasOwn(REASONS, reason);
}

const REASON_MEANING = 'More specific than';
const MESSAGE_MEANING = 'What went wrong and how to fix it. The wording may change; programs should compare';

/** The three fields that explain a failed attempt. */
export const deliveryFailureFields = {
  error: z
    .enum(DELIVERY_ERRORS)
    .optional()
    .describe('Class of the failure. Absent if the attempt succeeded.'),
  error_reason: z.enum(DELIVERY_REASONS).optional().describe(`${REASON_MEANING} \`error\`.`),
  error_message: z.string().optional().describe(`${MESSAGE_MEANING} \`error_reason\`.`),
};

/** The three fields that explain a dead letter. */
export const deadLetterFailureFields = {
  last_error: z
    .enum(DEAD_LETTER_ERRORS)
    .optional()
    .describe('Why the last attempt failed. `webhook_inactive`: the remaining attempts were not made.'),
  last_error_reason: z.enum(DEAD_LETTER_REASONS).optional().describe(`${REASON_MEANING} \`last_error\`.`),
  last_error_message: z.string().optional().describe(`${MESSAGE_MEANING} \`last_error_reason\`.`),
};
