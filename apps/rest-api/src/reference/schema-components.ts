/**
 * Converts the contract's zod schemas to JSON Schema 2020-12, which OpenAPI 3.1 uses. Each schema with an id becomes
 * one component of the document.
 */
import { DECIMAL_SCHEMAS, jsonSchemaOf, type SchemaDirection } from '@trading-automation/contracts';
import type { z } from 'zod';
import type { Json, JsonObject } from './json.js';

export class SchemaComponents {
  private readonly components = new Map<string, JsonObject>();

  /** Returns the JSON schema, or a reference to its component if the schema has an id. */
  of(schema: z.ZodType, direction: SchemaDirection): JsonObject {
    const { root, definitions } = jsonSchemaOf(schema, direction);
    this.registerDecimals(JSON.stringify([root, definitions]));
    for (const [id, definition] of Object.entries(definitions))
      this.register(id, rewriteRefs(definition as JsonObject) as JsonObject);
    return rewriteRefs(root as JsonObject) as JsonObject;
  }

  /** Registers the decimals that a schema references. Their definitions are not part of its conversion. */
  private registerDecimals(schema: string): void {
    const decimals = DECIMAL_SCHEMAS as Readonly<Record<string, JsonObject>>;
    for (const [, name] of schema.matchAll(/"#\/\$defs\/(\w+)"/g))
      if (decimals[name!] !== undefined) this.register(name!, decimals[name!]!);
  }

  /** Adds a component that has no zod schema in the contract. */
  define(id: string, schema: JsonObject): void {
    this.register(id, schema);
  }

  all(): JsonObject {
    return Object.fromEntries([...this.components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** @throws {Error} if two different schemas have the same id, because a client can have only one type for an id */
  private register(id: string, schema: JsonObject): void {
    const known = this.components.get(id);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`the schema id ${id} names two schemas`);
    this.components.set(id, schema);
  }
}

function rewriteRefs(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => rewriteRefs(item)!);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string'
        ? member.replace('#/$defs/', '#/components/schemas/')
        : rewriteRefs(member),
    ]),
  );
}
