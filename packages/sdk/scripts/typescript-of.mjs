/**
 * Generates TypeScript declarations from the contract's JSON Schemas. Descriptions become doc comments.
 *
 * 1. A decimal of a response is `DecimalOf<D>`, with D from the client option `decimals`; types that contain a decimal
 *    are generic over D. A decimal of a request is `DecimalInput`.
 * 2. Enums of responses are open (`'FILLED' | (string & {})`), so that a new value does not break a build.
 * 3. An unsupported schema makes the generator fail.
 * 4. For a type without a description in the contract, the doc comment lists the operations that use it.
 */

/** @typedef {{ readonly [keyword: string]: any }} Schema */
/** @typedef {'input' | 'output'} Direction */

/** The name of the schema of an event. Its declaration is a union over all event types. */
const EVENT = 'Event';
const REF = '#/$defs/';
const INPUT_DECIMALS = ['DecimalGiven', 'PositiveDecimal', 'NonNegativeDecimal'];

export class Declarations {
  /** @type {Map<string, { direction: Direction, schema: Schema }>} */
  #named = new Map();
  /** @type {Map<string, boolean>} */
  #holdsDecimals = new Map();
  /** @type {Map<string, Set<string>>} */
  #usesOf = new Map();

  /** @param {{ definitions: Readonly<Record<string, Schema>> }} converted @param {Direction} direction */
  add({ definitions }, direction) {
    for (const [name, schema] of Object.entries(definitions)) {
      const known = this.#named.get(name);
      if (known === undefined) this.#named.set(name, { direction, schema });
      else if (known.direction !== direction || JSON.stringify(known.schema) !== JSON.stringify(schema))
        throw new Error(
          `${name} has two different schemas. Give the request and the response different names`,
        );
    }
  }

  /**
   * Records that an operation uses the named types to which a schema refers.
   *
   * @param {Schema | undefined} schema
   * @param {string} operationId
   */
  recordUse(schema, operationId) {
    for (const name of namesIn(schema?.$ref === undefined ? (schema?.anyOf ?? []) : schema))
      this.#usesOf.set(name, (this.#usesOf.get(name) ?? new Set()).add(operationId));
  }

  /** Returns a doc comment that lists the uses of a type. @param {string} name @param {Direction} direction */
  #docFromUses(name, direction) {
    const words = wordsOf(name);
    const operationIds = [...(this.#usesOf.get(name) ?? [])].map((operationId) => `\`${operationId}\``);
    if (operationIds.length > 0)
      return direction === 'input'
        ? `/** Input of ${listed(operationIds)}. */\n`
        : `/** ${words}: returned by ${listed(operationIds)}. */\n`;
    const containingTypes = [...this.#named].filter(([, { schema }]) => namesIn(schema).includes(name));
    if (containingTypes.length === 0) return `/** ${words}. */\n`;
    return `/** ${words}: part of ${listed(containingTypes.map(([containingType]) => `\`${containingType}\``))}. */\n`;
  }

  /** Returns whether a schema contains a decimal of a response. @param {Schema} schema @returns {boolean} */
  holdsDecimals(schema) {
    const text = JSON.stringify(schema);
    if (text.includes(`"${REF}Decimal"`)) return true;
    return [...text.matchAll(/"#\/\$defs\/(\w+)"/g)].some(([, name]) =>
      this.#nameHoldsDecimals(String(name)),
    );
  }

  /** @param {string} name */
  #nameHoldsDecimals(name) {
    const known = this.#holdsDecimals.get(name);
    if (known !== undefined) return known;
    this.#holdsDecimals.set(name, false);
    const named = this.#named.get(name);
    const holds = name === EVENT || (named !== undefined && this.holdsDecimals(named.schema));
    this.#holdsDecimals.set(name, holds);
    return holds;
  }

  /**
   * Returns the type expression of a schema.
   *
   * @param {Schema} schema
   * @param {Direction} direction
   * @param {string} path
   * @returns {string}
   */
  typeOf(schema, direction, path) {
    if (typeof schema.$ref === 'string') return this.#reference(schema.$ref.slice(REF.length));
    if ('const' in schema) return literal(schema.const);
    if (schema.enum !== undefined) {
      // A boolean of a query, which is sent as a string.
      if (direction === 'input' && schema.enum.join() === 'true,false') return 'boolean';
      const choices = schema.enum.map(literal).join(' | ');
      return direction === 'output' ? `${choices} | (string & {})` : choices;
    }
    const options = schema.anyOf ?? schema.oneOf;
    if (options !== undefined)
      return options.map((/** @type {Schema} */ option) => this.typeOf(option, direction, path)).join(' | ');
    if (Array.isArray(schema.type))
      return schema.type.map((type) => this.#simple({ type }, direction, path)).join(' | ');
    return this.#simple(schema, direction, path);
  }

  /** @param {string} name */
  #reference(name) {
    if (name === EVENT) return 'WebhookEvent<D>';
    if (name === 'Decimal') return 'DecimalOf<D>';
    if (INPUT_DECIMALS.includes(name)) return 'DecimalInput';
    return this.#nameHoldsDecimals(name) ? `${name}<D>` : name;
  }

  /** @param {Schema} schema @param {Direction} direction @param {string} path @returns {string} */
  #simple(schema, direction, path) {
    switch (schema.type) {
      case 'string':
        return 'string';
      case 'integer':
      case 'number':
        return 'number';
      case 'boolean':
        return 'boolean';
      case 'null':
        return 'null';
      case 'array': {
        const item = this.typeOf(schema.items, direction, path);
        const { minItems, maxItems } = schema;
        if (minItems !== undefined && minItems === maxItems)
          return `readonly [${Array(minItems).fill(item).join(', ')}]`;
        return `${direction === 'input' ? 'readonly ' : ''}${/[ |]/.test(item) ? `(${item})` : item}[]`;
      }
      case 'object':
        if (schema.properties === undefined) {
          const { additionalProperties: value } = schema;
          return `Record<string, ${typeof value === 'object' ? this.typeOf(value, direction, path) : 'unknown'}>`;
        }
        return this.members(schema, direction, path);
      case undefined:
        return 'unknown';
      default:
        throw new Error(`${path}: unsupported schema: ${JSON.stringify(schema)}`);
    }
  }

  /**
   * Returns the members of an object in braces.
   *
   * @param {Schema} schema
   * @param {Direction} direction
   * @param {string} path
   * @returns {string}
   */
  members(schema, direction, path) {
    const required = new Set(schema.required ?? []);
    const lines = Object.entries(schema.properties).map(([name, member]) => {
      const type = this.typeOf(member, direction, `${path}.${name}`);
      return `${docOf(member)}${/^\w+$/.test(name) ? name : literal(name)}${required.has(name) ? '' : '?'}: ${type};`;
    });
    return `{\n${lines.join('\n')}\n}`;
  }

  /** Returns the declaration of an event, a union over all event types. @param {Schema} schema */
  #eventUnion({ properties: { type: _type, data: _data, ...properties }, required }) {
    const rest = this.members({ properties, required }, 'output', EVENT).slice(1, -1);
    return `/** An event of one type. */
export interface WebhookEventOf<Type extends keyof EventData, D extends DecimalForm = 'number'> {
type: Type;
/** The record at the time of the event, as the API returns it. */
data: EventData<D>[Type];${rest}}

/**
 * An event of webhooks, lists and streams; \`type\` determines the record in \`data\`. Ignore event types that you do
 * not know: new ones may be added.
 */
export type WebhookEvent<D extends DecimalForm = 'number'> = { [Type in keyof EventData]: WebhookEventOf<Type, D> }[keyof EventData];`;
  }

  /** Returns all named types, sorted by name. */
  get text() {
    return [...this.#named]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { direction, schema }]) => {
        if (name === EVENT) return this.#eventUnion(schema);
        const generic = this.#nameHoldsDecimals(name) ? "<D extends DecimalForm = 'number'>" : '';
        const doc = docOf(schema) || this.#docFromUses(name, direction);
        if (schema.properties !== undefined && schema.anyOf === undefined)
          return `${doc}export interface ${name}${generic} ${this.members(schema, direction, name)}`;
        return `${doc}export type ${name}${generic} = ${this.typeOf(schema, direction, name)};`;
      })
      .join('\n\n');
  }
}

/** Returns the names that a schema refers to. @param {unknown} schema */
function namesIn(schema) {
  return [...JSON.stringify(schema).matchAll(/"#\/\$defs\/(\w+)"/g)].map(([, name]) => String(name));
}

/** Formats `TradePair` as words: Trade pair. @param {string} name */
function wordsOf(name) {
  const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return words
    .replace(/\b(api|cli)\b/g, (word) => word.toUpperCase())
    .replace(/^./, (first) => first.toUpperCase());
}

/** @param {readonly string[]} items */
function listed(items) {
  const sorted = [...items].sort();
  return sorted.length < 2 ? sorted.join() : `${sorted.slice(0, -1).join(', ')} and ${sorted.at(-1)}`;
}

/** @param {unknown} value */
function literal(value) {
  return typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : String(value);
}

/** @param {Schema} schema */
function docOf({ description, default: fallback }) {
  const defaultNote =
    fallback === undefined || typeof fallback === 'object' ? '' : `Default: ${JSON.stringify(fallback)}.`;
  const words = [description, defaultNote].filter(Boolean).join(' ').replaceAll('*/', '*\\/');
  return words === '' ? '' : `/** ${words} */\n`;
}
