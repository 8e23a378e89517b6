import { DomainError } from '@trading-automation/contracts';

const NAMES = /^(?:api_key|apikey|x-api-key|token|x-svc-.*)$/i;
const VALUES = /^svc_(?:live|test)_/;

/**
 * Rejects a request target whose query string contains a key or a signature. The error repeats neither.
 *
 * @throws {DomainError} `credential_in_query`
 */
export function assertNoCredentialInQuery(target: string): void {
  const at = target.indexOf('?');
  if (at < 0) return;
  for (const [name, value] of new URLSearchParams(target.slice(at + 1))) {
    if (NAMES.test(name) || VALUES.test(value)) throw new DomainError('credential_in_query');
  }
}
