/** Translates the REST field names in errors to GraphQL names. */
import { DomainError, type ErrorDetail, type Operation } from '@trading-automation/contracts';
import { type SchemaNode, unwrap } from '../schema/generated-types.js';
import { camelCase } from '../schema/names.js';

const LIST_NAMES = [
  ['limit', 'first'],
  ['cursor', 'after'],
] as const;

export class FieldNameTranslator {
  /** The GraphQL name of each wire name that a message may contain. */
  private readonly names = new Map<string, string>();
  /** Fields that contain JSON whose names the caller chose. */
  private readonly jsonFields = new Set(['value']);

  /** @param params maps a GraphQL argument to the path parameter that it sets, where the names differ */
  constructor(operation: Operation, params: Readonly<Record<string, string>> = {}) {
    for (const schema of [operation.params, operation.query, operation.body])
      if (schema !== undefined) this.collect(schema as unknown as SchemaNode);
    for (const [field, wire] of Object.entries(params)) this.names.set(wire, field);
    if (operation.list !== undefined) for (const [wire, field] of LIST_NAMES) this.names.set(wire, field);
  }

  /** Returns the error with translated names; errors other than DomainError are unchanged. */
  translateError(error: unknown): Error {
    if (!(error instanceof DomainError)) return error instanceof Error ? error : new Error(String(error));
    const { code, message, details, retryAfterSeconds } = error;
    const translated = details.map((detail) => this.translateDetail(detail));
    return new DomainError(code, this.translateMessage(message), translated, {
      cause: error.cause,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  }

  private translateDetail(detail: ErrorDetail): ErrorDetail {
    const { field, message } = detail;
    const translated = { ...detail, message: this.translateMessage(message) };
    return field === undefined ? translated : { ...translated, field: this.translatePath(field) };
  }

  /** Translates a path, but not the names within JSON. */
  private translatePath(path: string): string {
    const parts = path.split('.');
    const jsonIndex = parts.findIndex((part) => this.jsonFields.has(part));
    return parts
      .map((part, at) =>
        jsonIndex >= 0 && at > jsonIndex ? part : (this.names.get(part) ?? camelCase(part)),
      )
      .join('.');
  }

  private translateMessage(message: string): string {
    return message.replace(/\b[a-z]+(?:_[a-z0-9]+)*\b/g, (word, at: number) => {
      const name = this.names.get(word);
      // A single word is a field name only at the start of the message and before a colon: `limit: must be …`.
      if (name === undefined || (!word.includes('_') && !(at === 0 && message[word.length] === ':')))
        return word;
      return name;
    });
  }

  private collect(schema: SchemaNode): void {
    const [inner] = unwrap(schema);
    if (inner.def.type === 'array') this.collect(inner.def.element!);
    for (const [wireName, member] of Object.entries(inner.def.shape ?? {})) {
      this.names.set(wireName, camelCase(wireName));
      if (unwrap(member)[0].def.type === 'record') this.jsonFields.add(wireName);
      this.collect(member);
    }
  }
}
