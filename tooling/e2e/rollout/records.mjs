import { signRequest } from '@trading-automation/signed-request';

/**
 * Reads every record of a user through every path of an API: a release must be able to show what the other one wrote.
 */

/** Streams do not end. */
const streams = ['/v1/events/stream'];
const itemsMax = 10;
/** The API waits seconds for a worker before it responds that a path is unavailable. */
const itemsOfUnavailableMax = 1;

/**
 * New paths of this release whose responses a worker of this release fetches. While only workers of the previous release run, the APIs
 * have at most responses that are stored for some seconds; otherwise they must say so with 503.
 */
export const pathsOfNewWorkers = [
  '/v1/trade-pairs/{id}/ticker',
  '/v1/trade-pairs/{id}/candles',
  '/v1/trade-pairs/{id}/order-book',
];

/** @param {{ restUrl: string }} release @returns {Promise<any>} */
export const readReference = async ({ restUrl }) => (await fetch(`${restUrl}/openapi.json`)).json();

/**
 * Requests every GET path of the API's own reference. Ids in a path are those of the records in the list before it.
 *
 * @param {{ restUrl: string, name: string }} release
 * @param {string} apiKey
 * @param {readonly string[]} [unavailable] the paths that may respond with 503 `service_unavailable` and Retry-After
 * @returns {Promise<{ responses: number, failures: string[] }>} `failures`: server errors, and codes that this reference does not
 *   contain
 */
export async function readAll({ restUrl, name }, apiKey, unavailable = []) {
  const reference = await readReference({ restUrl });
  const { paths } = reference;
  const isUnavailable = (/** @type {string} */ path) =>
    unavailable.some((template) =>
      new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?')[0] ?? ''),
    );
  const known = Object.keys(paths).filter((path) => 'get' in (paths[path] ?? {}) && !streams.includes(path));
  /** @type {Map<string, Promise<any>>} */
  const bodies = new Map();
  /** @type {string[]} */
  const failures = [];
  const read = (/** @type {string} */ path) => {
    const body = bodies.get(path) ?? request(path);
    bodies.set(path, body);
    return body;
  };
  const request = async (/** @type {string} */ path) => {
    const response = await fetch(`${restUrl}${path}`, { headers: { 'x-api-key': apiKey } });
    const body = /** @type {any} */ (await response.json().catch(() => undefined));
    const saysUnavailable =
      body?.error?.code === 'service_unavailable' && response.headers.has('retry-after');
    if (response.status >= 500 && !(saysUnavailable && isUnavailable(path)))
      failures.push(`${name} GET ${path}: ${response.status} ${JSON.stringify(body)}`);
    return body;
  };
  /**
   * Returns the paths that replace the parameters of a template by ids.
   *
   * @type {(template: string) => Promise<string[]>}
   */
  const pathsOf = async (template) => {
    const max = unavailable.includes(template) ? itemsOfUnavailableMax : itemsMax;
    const at = template.lastIndexOf('/{');
    if (at < 0) return [template];
    const end = template.indexOf('}', at) + 1;
    const prefix = template.slice(0, at);
    if (!known.includes(prefix)) return [];
    const found = [];
    for (const list of await pathsOf(prefix)) {
      const data = (await read(list))?.data;
      for (const item of (Array.isArray(data) ? data : []).slice(0, max)) {
        const id = item.id ?? item.key;
        if (typeof id === 'string') found.push(`${list}/${encodeURIComponent(id)}${template.slice(end)}`);
      }
    }
    return found;
  };
  for (const template of known) {
    const schema = paths[template].get.responses['200']?.content?.['application/json']?.schema;
    for (const path of await pathsOf(template))
      for (const code of new Set(unknownCodes(reference, schema, await read(path))))
        failures.push(`${name} GET ${path}: the reference does not contain the code ${code}`);
  }
  return { responses: bodies.size, failures };
}

/**
 * Returns the values of a body that the enums of its schema do not contain.
 *
 * @param {any} reference the OpenAPI document
 * @param {any} schema
 * @param {any} value
 * @returns {string[]}
 */
function unknownCodes(reference, schema, value) {
  if (schema === undefined || value === null || value === undefined) return [];
  if (schema.$ref !== undefined) {
    const names = schema.$ref.slice(2).split('/');
    const resolved = names.reduce(
      (/** @type {any} */ node, /** @type {string} */ part) => node?.[part],
      reference,
    );
    return unknownCodes(reference, resolved, value);
  }
  const inAll = (schema.allOf ?? []).flatMap((/** @type {any} */ part) =>
    unknownCodes(reference, part, value),
  );
  if (typeof value === 'string')
    return schema.enum === undefined || schema.enum.includes(value) ? inAll : [...inAll, value];
  const members = Array.isArray(value)
    ? value.map((item) => [schema.items, item])
    : Object.entries(value).map(([name, member]) => [schema.properties?.[name], member]);
  return [...inAll, ...members.flatMap(([part, member]) => unknownCodes(reference, part, member))];
}

/**
 * Reads the fields of every list of the GraphQL API that need no arguments, two levels deep.
 *
 * @param {{ graphqlUrl: string, name: string }} release
 * @param {Uint8Array} privateKey
 * @returns {Promise<{ responses: number, failures: string[] }>} `failures`: documents with errors
 */
export async function readAllByGraphql({ graphqlUrl, name }, privateKey) {
  const send = async (/** @type {string} */ query) => {
    const body = JSON.stringify({ query });
    const signature = signRequest({ method: 'POST', path: '/graphql', body: Buffer.from(body), privateKey });
    const response = await fetch(`${graphqlUrl}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signature },
      body,
    });
    return /** @type {any} */ (await response.json());
  };
  const { data } = await send(introspection);
  const types = new Map(data.__schema.types.map((/** @type {any} */ type) => [type.name, type]));
  const query = types.get(data.__schema.queryType.name);
  /** @type {string[]} */
  const failures = [];
  let responses = 0;
  for (const field of query.fields.filter(needsNoArguments)) {
    const selection = selectionOf(types, field, 3);
    if (selection === undefined) continue;
    const { errors } = await send(`{ ${field.name}${selection} }`);
    responses++;
    const unexpected = (errors ?? []).filter(isServerError);
    if (unexpected.length > 0)
      failures.push(`${name} GraphQL ${field.name}: ${JSON.stringify(unexpected).slice(0, 500)}`);
  }
  return { responses, failures };
}

const typeRef = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }';
const introspection = `{ __schema { queryType { name } types { name kind fields(includeDeprecated: true) {
  name args { name defaultValue type { kind } } type { ${typeRef} } } } } }`;

/** @param {any} field */
const needsNoArguments = ({ args }) =>
  args.every(
    (/** @type {any} */ { type, defaultValue }) => type.kind !== 'NON_NULL' || defaultValue !== null,
  );

/** @param {any} error */
const isServerError = ({ extensions }) =>
  extensions?.code === undefined || /internal|unavailable/i.test(extensions.code);

/** @param {any} type @returns {any} */
const namedType = (type) => (type.ofType == null ? type : namedType(type.ofType));

/**
 * Returns the selection of a field: its scalars and enums, and those of its objects up to `depth`. Returns undefined for an
 * object without any.
 *
 * @param {Map<string, any>} types
 * @param {any} field
 * @param {number} depth
 * @returns {string | undefined}
 */
function selectionOf(types, field, depth) {
  const { kind, name } = namedType(field.type);
  if (kind === 'SCALAR' || kind === 'ENUM') return '';
  if (kind !== 'OBJECT' || depth < 0) return undefined;
  const fields = types.get(name).fields.filter(needsNoArguments);
  const selected = fields.flatMap((/** @type {any} */ each) => {
    const selection = selectionOf(types, each, depth - 1);
    return selection === undefined ? [] : [`${each.name}${selection}`];
  });
  return selected.length === 0 ? undefined : ` { ${selected.join(' ')} }`;
}
