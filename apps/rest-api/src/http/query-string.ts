import { DomainError, type ErrorDetail } from '@trading-automation/contracts';

/** Maximum length of a parameter name in an error; longer names are cut. */
const NAME_SHOWN_MAX = 100;

/**
 * Parses the query parameters of a request target. It is stricter than URL parsers: invalid percent-encoding, invalid
 * UTF-8, U+0000 and repeated parameters are errors.
 *
 * @throws {DomainError} `invalid_query`
 */
export function parseQueryString(target: string): Readonly<Record<string, string>> {
  const at = target.indexOf('?');
  if (at < 0 || at === target.length - 1) return {};
  const values = new Map<string, string>();
  const details: ErrorDetail[] = [];
  for (const pair of target.slice(at + 1).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = decode(equals < 0 ? '' : pair.slice(equals + 1));
    const field = name?.slice(0, NAME_SHOWN_MAX);
    if (name === null || value === null) {
      const message = 'Must be percent-encoded UTF-8 without U+0000.';
      details.push({ ...(field === undefined ? {} : { field }), code: 'invalid_encoding', message });
    } else if (values.has(name)) {
      details.push({ field: field!, code: 'duplicate', message: 'The parameter is repeated. Send it once.' });
    } else {
      values.set(name, value);
    }
  }
  if (details.length > 0) throw new DomainError('invalid_query', undefined, details);
  return Object.fromEntries(values);
}

function decode(text: string): string | null {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return decoded.includes('\u0000') ? null : decoded;
  } catch {
    return null;
  }
}
