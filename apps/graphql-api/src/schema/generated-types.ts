/**
 * Generates the types, inputs and root fields of the schema from the contracts.
 *
 * 1. Responses become types, bodies become inputs (`TradeCreate` is `TradeCreateInput`), lists become connections.
 * 2. A decimal is `Decimal`, an instant `DateTime`, an id `ID`; a map or any JSON is `JSON`.
 * 3. Optional and nullable members are nullable. So is a member of any JSON, because null is JSON. Defaults stay in the
 *    contract and are not defaults of inputs.
 * 4. The generator throws for a schema that GraphQL cannot express or that has no name.
 */
import type { Operation } from '@trading-automation/contracts';
import { camelCase, ENUMS, isLong, pascalCase, TYPE_ALIASES, TYPES } from './names.js';
import type { RootField } from './root-fields.js';

/** The members of a zod schema that the generator and the converters read. */
export interface SchemaNode {
  readonly def: {
    readonly type: string;
    readonly shape?: Record<string, SchemaNode>;
    readonly element?: SchemaNode;
    readonly innerType?: SchemaNode;
    readonly in?: SchemaNode;
    readonly out?: SchemaNode;
    readonly options?: readonly SchemaNode[];
    readonly values?: readonly unknown[];
    readonly entries?: Readonly<Record<string, string>>;
    readonly checks?: readonly { readonly _zod: { readonly def: { readonly format?: string } } }[];
    readonly format?: string;
  };
  readonly description?: string;
  meta(): { readonly id?: string; readonly format?: string } | undefined;
}

type SchemaDirection = 'input' | 'output';
const WRAPPERS = ['optional', 'nullable', 'default', 'prefault', 'readonly'];
/** The sorted member names of the response to a deletion. */
const DELETION = 'deleted,id';
const LIST_ARGUMENTS = ['first: Int', 'after: String', 'sort: String', 'order: SortOrder'];

export class GeneratedTypes {
  private readonly definitions = new Map<string, string>();

  /** Adds the types of an operation's response and body. */
  add(operation: Operation): void {
    const item = this.typeOf(operation.response as unknown as SchemaNode, 'output', operation.id);
    if (operation.list !== undefined) this.addConnection(withoutNonNull(item));
    if (operation.body !== undefined)
      this.typeOf(operation.body as unknown as SchemaNode, 'input', `${operation.id}.body`);
    for (const [name, filter] of Object.entries(operation.query?.shape ?? {}))
      this.typeOf(filter as unknown as SchemaNode, 'input', `${operation.id}.${name}`);
  }

  /** Adds the type of a payload that is not the response of an operation. */
  addPayload(schema: unknown): void {
    this.typeOf(schema as SchemaNode, 'output', '');
  }

  /** Returns the definition of a root field whose operation was added. */
  rootField({ operation, name, description, params }: RootField): string {
    const { id, list, response } = operation;
    const item = withoutNonNull(this.typeOf(response as unknown as SchemaNode, 'output', id));
    const args = this.argumentsOf(operation, params);
    const argumentList = args.length === 0 ? '' : `(${args.join(', ')})`;
    return `${descriptionLine(description, '  ')}  ${name}${argumentList}: ${list === undefined ? item : `${item}Connection`}`;
  }

  private argumentsOf(
    { id, params, query, body, bodyOptional, list }: Operation,
    renamed: RootField['params'],
  ): readonly string[] {
    const argumentOf = new Map(Object.entries(renamed).map(([argument, wireName]) => [wireName, argument]));
    const membersOf = (shape: Readonly<Record<string, unknown>> = {}) =>
      Object.entries(shape).map(([wireName, member]) => {
        const type = this.typeOf(member as SchemaNode, 'input', `${id}.${wireName}`);
        return `${argumentOf.get(wireName) ?? camelCase(wireName)}: ${type}`;
      });
    const input = body && withoutNonNull(this.typeOf(body as unknown as SchemaNode, 'input', `${id}.body`));
    return [
      ...membersOf(params?.shape),
      ...(list === undefined ? [] : LIST_ARGUMENTS),
      ...membersOf(query?.shape),
      ...(list?.includes ?? []).map((included) => `${camelCase(`include_${included}`)}: Boolean`),
      ...(input === undefined ? [] : [`input: ${input}${bodyOptional === true ? '' : '!'}`]),
    ];
  }

  /** Returns the definitions in the schema definition language, sorted by name. */
  get text(): string {
    return [...this.definitions]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, definition]) => definition)
      .join('\n\n');
  }

  /**
   * Defines the type of a schema and returns a reference to it. A schema without a name gets its name from its
   * location `at`: an operation id, or the operation or type and the member, joined by a dot.
   */
  private typeOf(schema: SchemaNode, direction: SchemaDirection, at: string): string {
    const [inner, isNullable] = unwrap(schema);
    return isNullable || inner.def.type === 'unknown'
      ? this.nullableTypeOf(inner, direction, at)
      : `${this.nullableTypeOf(inner, direction, at)}!`;
  }

  private nullableTypeOf(schema: SchemaNode, direction: SchemaDirection, at: string): string {
    const format = schema.meta()?.format;
    const field = at.slice(at.lastIndexOf('.') + 1);
    if (format === 'decimal') return 'Decimal';
    if (format === 'typeid') return 'ID';
    if (format === 'date-time') return 'DateTime';
    switch (schema.def.type) {
      case 'object':
        return this.objectOf(schema, direction, at);
      case 'array':
        return `[${this.typeOf(schema.def.element!, direction, at)}]`;
      case 'enum':
        return this.enumOf(Object.values(schema.def.entries!), at);
      case 'number':
        if (!isInteger(schema)) return 'Float';
        return isLong(field) ? 'Long' : 'Int';
      case 'boolean':
        return 'Boolean';
      case 'string':
        return field === 'id' ? 'ID' : 'String';
      case 'literal':
        return typeof schema.def.values?.[0] === 'boolean' ? 'Boolean' : 'String';
      case 'union':
        return schema.def.options!.every(({ def }) => def.type === 'string') ? 'String' : 'JSON';
      case 'record':
      case 'unknown':
        return 'JSON';
      default:
        throw new Error(`${at}: GraphQL has no type for ${schema.def.type}`);
    }
  }

  private enumOf(values: readonly string[], at: string): string {
    if (values.some((value) => !/^[A-Za-z_]\w*$/.test(value))) return 'String';
    // A query parameter with the values `true` and `false` is a boolean.
    if (values.join() === 'true,false') return 'Boolean';
    const [name] = Object.entries(ENUMS).find(([, known]) => known.join() === values.join()) ?? [];
    if (name === undefined) throw new Error(`${at}: the enum ${values.join(', ')} needs a name in names.ts`);
    if (this.definitions.has(name) && !this.isEnum(name)) throw new Error(`${at}: ${name} names two types`);
    this.definitions.set(name, `enum ${name} {\n${values.map((value) => `  ${value}`).join('\n')}\n}`);
    return name;
  }

  private objectOf(schema: SchemaNode, direction: SchemaDirection, at: string): string {
    const shape = schema.def.shape!;
    const baseName = schema.meta()?.id ?? nameAt(at, shape);
    const name = direction === 'input' ? `${baseName}Input` : baseName;
    const typeName = TYPE_ALIASES[name] ?? name;
    if (this.isEnum(name)) throw new Error(`${at}: ${name} names two types`);
    if (this.definitions.has(name)) return typeName;
    const keyword = direction === 'input' ? 'input' : 'type';
    this.definitions.set(name, '');
    const fields = Object.entries(shape).map(
      ([wireName, member]) =>
        `${descriptionLine(descriptionOf(member), '  ')}  ${camelCase(wireName)}: ${this.typeOf(member, direction, `${baseName}.${wireName}`)}`,
    );
    if (typeName === name)
      this.definitions.set(
        name,
        `${descriptionLine(schema.description, '')}${keyword} ${name} {\n${fields.join('\n')}\n}`,
      );
    else this.definitions.delete(name);
    return typeName;
  }

  private isEnum(name: string): boolean {
    return this.definitions.get(name)?.startsWith('enum ') === true;
  }

  private addConnection(item: string): void {
    this.definitions.set(
      `${item}Connection`,
      `type ${item}Connection {
  edges: [${item}Edge!]!
  "The items of the page, without their cursors."
  nodes: [${item}!]!
  pageInfo: PageInfo!
  "Number of all matching items. It is counted only if selected."
  totalCount: Int!
}`,
    );
    this.definitions.set(
      `${item}Edge`,
      `type ${item}Edge {\n  "Cursor after this item."\n  cursor: String!\n  node: ${item}!\n}`,
    );
  }
}

function nameAt(at: string, shape: Record<string, SchemaNode>): string {
  const explicitName = TYPES[at];
  if (explicitName !== undefined) return explicitName;
  if (Object.keys(shape).sort().join() === DELETION) return 'Deletion';
  const [type, field] = at.split('.');
  if (type === undefined || field === undefined || !/^[A-Z]/.test(type))
    throw new Error(`${at}: the response needs a name in names.ts`);
  return `${type}${pascalCase(field)}`;
}

/** Removes wrappers such as optional, default and pipe; also returns whether the value may be null or absent. */
export function unwrap(schema: SchemaNode): readonly [SchemaNode, isNullable: boolean] {
  let inner = schema;
  let isNullable = false;
  for (;;) {
    const { type, innerType, in: input, out: output } = inner.def;
    if (WRAPPERS.includes(type)) {
      isNullable ||= type !== 'readonly';
      inner = innerType!;
    } else if (type === 'pipe' && inner.meta()?.format === undefined) {
      // A preprocessed value is described by the schema behind the transformation.
      inner = input!.def.type === 'transform' ? output! : input!;
    } else {
      return [inner, isNullable];
    }
  }
}

function isInteger(schema: SchemaNode): boolean {
  return (
    schema.def.format === 'safeint' ||
    (schema.def.checks ?? []).some(({ _zod }) => _zod.def.format === 'safeint')
  );
}

/** Returns the description of a schema or of a schema that it wraps. */
function descriptionOf(schema: SchemaNode): string | undefined {
  return (
    schema.description ??
    (schema.def.innerType === undefined ? undefined : descriptionOf(schema.def.innerType))
  );
}

function descriptionLine(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}${JSON.stringify(text)}\n`;
}

const withoutNonNull = (type: string) => type.replace(/!$/, '');
