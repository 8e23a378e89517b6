// Written by scripts/generate.mjs from the contracts: run `npm run generate`, never edit.
/** How to fix an error, by its code. */
export const RESOLUTIONS: Readonly<Record<string, string>> = {
  authentication_required: 'Send an API key in X-API-Key, or sign the request.',
  invalid_api_key: 'Create or rotate a key, and use it at the base URL of its environment (test or live).',
  invalid_access_token: 'Refresh the token or sign in again. Prefer signed requests.',
  invalid_login: 'Correct the sign-in details and try again.',
  invalid_signature_headers:
    'Send each of the four x-svc-* headers once. Use lower-case hex and a timestamp in Unix milliseconds.',
  invalid_signature: 'Sign the exact method, target, timestamp, nonce and raw body that you send.',
  credentials_ambiguous: 'Send only one of the two headers.',
  credential_in_query: 'Send credentials only in headers, and rotate the exposed key.',
  unknown_public_key: 'Link the public key with POST /v1/auth/cli-identity.',
  timestamp_out_of_window: 'Synchronize your clock, or use the server time in the details, and sign again.',
  nonce_replayed: 'Generate 16 new random bytes for every request, including retries.',
  permission_denied: 'Use a credential with the permission named in the details.',
  ip_not_allowed: 'Send the request from an allowed address, or use another key.',
  not_found: 'Check the id, or list the resource to find it.',
  route_not_found: 'Compare the path with the API reference.',
  method_not_allowed: 'Use one of the methods in the Allow header.',
  malformed_json:
    'Send one JSON value without duplicate keys, at most 32 levels deep, with at most 1,000 keys or items.',
  unsupported_media_type: 'Send Content-Type: application/json and no Content-Encoding.',
  invalid_query: 'Correct the parameters named in the details.',
  validation_failed: 'Correct the fields named in the details.',
  exchange_rule_violated: 'Correct the order; the details name the rule, the value and the limit.',
  insufficient_balance:
    'Reduce the amount. On an exchange account, you can also cancel open orders, or sync it after a deposit.',
  invalid_state: 'Check the state in the details, or retrieve the record.',
  idempotency_key_reused: 'Use a new key for each new request.',
  idempotency_in_progress: 'Wait a moment, then retry with the same key.',
  already_exists: 'Use the existing record, or choose another value for the field in the details.',
  payload_too_large: 'Send less data in one request.',
  rate_limited: 'Wait the number of seconds in Retry-After, then retry.',
  exchange_unavailable: 'Try again later.',
  exchange_credentials_rejected:
    "Check the key, secret and passphrase, and the key's permissions and IP allowlist at the exchange.",
  service_unavailable: 'Wait the number of seconds in Retry-After, then retry.',
  internal_error: 'Try again. If the error persists, contact support with the request_id.',
  namespace_removed: 'Use strategies, copiers and trades.',
  limit_reached: 'Delete records that you no longer need, then retry.',
};
