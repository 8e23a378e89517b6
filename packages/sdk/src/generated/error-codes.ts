// Written by scripts/generate.mjs from the contracts: run `npm run generate`, never edit.
/** Every error code of the API. New codes may be added. */
export type ErrorCode =
  | 'authentication_required'
  | 'invalid_api_key'
  | 'invalid_access_token'
  | 'invalid_login'
  | 'invalid_signature_headers'
  | 'invalid_signature'
  | 'credentials_ambiguous'
  | 'credential_in_query'
  | 'unknown_public_key'
  | 'timestamp_out_of_window'
  | 'nonce_replayed'
  | 'permission_denied'
  | 'ip_not_allowed'
  | 'not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'malformed_json'
  | 'unsupported_media_type'
  | 'invalid_query'
  | 'validation_failed'
  | 'exchange_rule_violated'
  | 'insufficient_balance'
  | 'invalid_state'
  | 'idempotency_key_reused'
  | 'idempotency_in_progress'
  | 'already_exists'
  | 'payload_too_large'
  | 'rate_limited'
  | 'exchange_unavailable'
  | 'exchange_credentials_rejected'
  | 'service_unavailable'
  | 'internal_error'
  | 'namespace_removed'
  | 'limit_reached'
  | (string & {});

/** The error codes of each HTTP status. */
export const CODES_OF_STATUS: Readonly<Record<number, string>> = {
  400: 'credential_in_query malformed_json invalid_query',
  401: 'authentication_required invalid_api_key invalid_access_token invalid_login invalid_signature_headers invalid_signature credentials_ambiguous unknown_public_key timestamp_out_of_window nonce_replayed',
  403: 'permission_denied ip_not_allowed',
  404: 'not_found route_not_found',
  405: 'method_not_allowed',
  409: 'invalid_state idempotency_in_progress already_exists limit_reached',
  410: 'namespace_removed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'validation_failed exchange_rule_violated insufficient_balance idempotency_key_reused exchange_credentials_rejected',
  429: 'rate_limited',
  500: 'internal_error',
  502: 'exchange_unavailable',
  503: 'service_unavailable',
};
