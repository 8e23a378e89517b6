/** @typedef {{ readonly [keyword: string]: any }} Schema */

const REF = '#/$defs/';
const TIMESTAMP = '2026-01-31T12:00:00.000Z';

/**
 * Returns an example value of a JSON schema. An object has only its required members, a union has its first option, and
 * a string without an example is the name of its member.
 *
 * @param {Schema} schema
 * @param {Readonly<Record<string, Schema>>} definitions
 * @param {string} name the name of the member that the value is for
 * @returns {any}
 */
export function exampleOfSchema(schema, definitions, name = 'value') {
  const exampleOf = (/** @type {Schema} */ inner, memberName = name) =>
    exampleOfSchema(inner, definitions, memberName);
  if (schema.$ref === `${REF}Decimal`) return '1';
  if (typeof schema.$ref === 'string') return exampleOf(definitions[schema.$ref.slice(REF.length)]);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [option] = schema.anyOf ?? schema.oneOf ?? [];
  if (option !== undefined) return exampleOf(option);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((/** @type {string} */ member) => [
          member,
          exampleOf(schema.properties[member], member),
        ]),
      );
    case 'array':
      return Array.from({ length: Math.max(schema.minItems ?? 1, 1) }, () => exampleOf(schema.items));
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return schema.examples?.[0] ?? (schema.format === 'date-time' ? TIMESTAMP : name);
  }
}
