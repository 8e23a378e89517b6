/** Refusals in the names that GraphQL has for things: the contract's own words speak of the wire. */
import { DomainError, type ErrorDetail, type Operation } from '@trading-automation/contracts';
import { type Described, unwrapped } from '../schema/generated-types.js';
import { camelCase } from '../schema/names.js';

const LIST_NAMES = [
  ['limit', 'first'],
  ['cursor', 'after'],
] as const;

export class FieldNameTranslator {
  /** Wire names that messages may hold, and what they are here. */
  private readonly names = new Map<string, string>();

  /** @param params arguments that are parameters of the path under other names */
  constructor(operation: Operation, params: Readonly<Record<string, string>> = {}) {
    for (const schema of [operation.params, operation.query, operation.body])
      if (schema !== undefined) this.collect(schema as unknown as Described);
    for (const [field, wire] of Object.entries(params)) this.names.set(wire, field);
    if (operation.list !== undefined) for (const [wire, field] of LIST_NAMES) this.names.set(wire, field);
  }

  /** The same error, its details by argument; one that is no refusal stays what it is. */
  translateError(error: unknown): Error {
    if (!(error instanceof DomainError)) return error instanceof Error ? error : new Error(String(error));
    const { code, message, details, retryAfterSeconds } = error;
    const told = details.map((detail) => this.translateDetail(detail));
    return new DomainError(code, this.translateMessage(message), told, {
      cause: error.cause,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  }

  private translateDetail(detail: ErrorDetail): ErrorDetail {
    const { field, message } = detail;
    const told = { ...detail, message: this.translateMessage(message) };
    return field === undefined ? told : { ...told, field: this.translatePath(field) };
  }

  /** A path; what lies within a value that is any JSON has its own names. */
  private translatePath(path: string): string {
    const parts = path.split('.');
    const free = parts.indexOf('value');
    return parts
      .map((part, at) => (free >= 0 && at > free ? part : (this.names.get(part) ?? camelCase(part))))
      .join('.');
  }

  private translateMessage(message: string): string {
    return message.replace(/\b[a-z]+(?:_[a-z0-9]+)*\b/g, (word, at: number) => {
      const name = this.names.get(word);
      // A single word is a name only where it begins what is said of it: `limit: must be …`.
      if (name === undefined || (!word.includes('_') && !(at === 0 && message[word.length] === ':')))
        return word;
      return name;
    });
  }

  private collect(schema: Described): void {
    const [inner] = unwrapped(schema);
    if (inner.def.type === 'array') this.collect(inner.def.element!);
    for (const [wireName, member] of Object.entries(inner.def.shape ?? {})) {
      this.names.set(wireName, camelCase(wireName));
      this.collect(member);
    }
  }
}
