/** Fills the samples of the OpenAPI document with the address of the API and with the values of "Try it". */
import type { ApiOperation } from './openapi.rules';

const TARGETS = [/\$API_URL([^"]*)/g, /\$\{process\.env\.API_URL\}([^`]*)/g];

/** Escapes what `encodeURIComponent` leaves and a shell could interpret. */
const escapePart = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * Returns the code of a sample. A value replaces the example of its path parameter. If a query parameter has a value, the
 * query has exactly the parameters with values, as the request of "Try it".
 *
 * @param apiUrl the origin of the REST API
 */
export function sampleWith(
  source: string,
  apiUrl: string,
  { path }: Pick<ApiOperation, 'path'>,
  values: Readonly<Record<string, string>>,
): string {
  return TARGETS.reduce(
    (code, pattern) =>
      code.replaceAll(pattern, (_, target: string) => `${apiUrl}${targetWith(target, path, values)}`),
    source,
  );
}

function targetWith(target: string, template: string, values: Readonly<Record<string, string>>): string {
  const [path = '', query] = target.split('?');
  const names = template.split('/').map((part) => /^\{(\w+)\}$/.exec(part)?.[1]);
  const filled = path.split('/').map((part, i) => {
    const value = values[names[i] ?? ''] ?? '';
    return value === '' ? part : escapePart(value);
  });
  const typed = Object.entries(values)
    .filter(([name, value]) => value !== '' && !names.includes(name))
    .map(([name, value]) => `${escapePart(name)}=${escapePart(value)}`);
  const search = typed.length > 0 ? typed.join('&') : query;
  return search === undefined ? filled.join('/') : `${filled.join('/')}?${search}`;
}
