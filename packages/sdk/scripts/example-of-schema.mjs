/** @typedef {{ readonly [keyword: string]: any }} Schema */

const REF = '#/$defs/';
const AT = '2026-01-31T12:00:00.000Z';

/**
 * Returns a value of a JSON schema: required members only, the first of several options, and names as strings.
 *
 * @param {Schema} schema
 * @param {Readonly<Record<string, Schema>>} definitions
 * @param {string} name the member whose value it is
 * @returns {any}
 */
export function exampleOfSchema(schema, definitions, name = 'value') {
  const inner = (/** @type {Schema} */ given, named = name) => exampleOfSchema(given, definitions, named);
  if (schema.$ref === `${REF}Decimal`) return '1';
  if (typeof schema.$ref === 'string') return inner(definitions[schema.$ref.slice(REF.length)]);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [option] = schema.anyOf ?? schema.oneOf ?? [];
  if (option !== undefined) return inner(option);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((/** @type {string} */ member) => [
          member,
          inner(schema.properties[member], member),
        ]),
      );
    case 'array':
      return [inner(schema.items)];
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return schema.examples?.[0] ?? (schema.format === 'date-time' ? AT : name);
  }
}
