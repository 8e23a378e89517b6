/** What the command line knows of an operation: all of it comes from the contracts. */

/** A member of a query or a body that is given by a flag. */
export interface Field {
  /** Its name, or its path: `sizing.mode`. */
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
  /** With parameters as `:name`. */
  readonly path: string;
  readonly summary: string;
  readonly access: string;
  readonly query: readonly Field[];
  readonly body: readonly Field[];
  readonly list?: { readonly sorts: readonly string[]; readonly includes: readonly string[] };
  readonly isStream?: boolean;
  /** Names of what a record of the answer has. */
  readonly members: readonly string[];
}
