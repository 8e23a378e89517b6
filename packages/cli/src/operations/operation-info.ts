/** Descriptions of operations, generated from the contracts. */

/** A field of a query or a body, passed as a flag. */
export interface Field {
  /** The name, or the path of a nested field: `sizing.mode`. */
  readonly path: string;
  readonly type: 'text' | 'decimal' | 'integer' | 'boolean' | 'json';
  readonly isList?: boolean;
  readonly isRequired?: boolean;
  readonly isNullable?: boolean;
  readonly choices?: readonly string[];
  readonly description?: string;
  readonly default?: string;
}

export interface OperationInfo {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path, with parameters as `:name`. */
  readonly path: string;
  readonly summary: string;
  readonly access: string;
  readonly query: readonly Field[];
  readonly body: readonly Field[];
  readonly list?: { readonly sorts: readonly string[]; readonly includes: readonly string[] };
  readonly isStream?: boolean;
  /** The words after the command in its example: path parameters and flags of required fields. */
  readonly example?: string;
  /** Field names of a returned record. */
  readonly members: readonly string[];
}
