/**
 * Caches prepared documents. A document is parsed, measured and validated on its first use, and compiled on its second.
 *
 * 1. The cache key consists of the text and the operation name, so two operations of one text are two entries.
 * 2. The compiler executes some variables and conditional selections differently from graphql-js, the reference
 *    implementation. Documents that contain them are executed by graphql-js instead (`isCompilable`).
 * 3. The size of the cache is limited.
 * 4. Unauthenticated callers do not learn why a document is invalid, because the message would disclose names.
 */
import {
  type ASTVisitor,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isSpecifiedScalarType,
  Kind,
  type OperationDefinitionNode,
  parse,
  typeFromAST,
  validate,
  visit,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { documentError } from '../graphql/errors.js';
import { documentLimitError, TOKENS_MAX } from './document-limits.js';

/**
 * The maximum number of characters of all cached documents together. A parsed and compiled document takes about a
 * hundred times as much memory as its text.
 */
const CACHE_CHARACTERS_MAX = 1_000_000;
const CACHE_SIZE_MAX = 1_000;
const CONDITIONS = ['skip', 'include'];

interface PreparedDocument {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Names of the operation's root fields, including those in fragments. */
  readonly rootFields: readonly string[];
}

/** The errors of an invalid document. */
interface RejectedDocument {
  readonly errors: readonly GraphQLError[];
  /** The errors that a caller without credentials gets. */
  readonly anonymousErrors: readonly GraphQLError[];
  /** Names of the selected root fields; empty if they could not be determined. */
  readonly rootFields: readonly string[];
}

type Prepared = PreparedDocument | RejectedDocument;

interface CachedDocument extends PreparedDocument {
  uses: number;
  /** Null if the document cannot be compiled; undefined before the first attempt. */
  compiled?: CompiledQuery['query'] | null;
}

type CacheEntry = CachedDocument | RejectedDocument;

export class DocumentCache {
  private readonly cache = new LRUCache<string, CacheEntry>({
    max: CACHE_SIZE_MAX,
    maxSize: CACHE_CHARACTERS_MAX,
    sizeCalculation: (_prepared, key) => key.length,
  });
  private readonly byDocument = new WeakMap<DocumentNode, CachedDocument>();

  constructor(readonly schema: GraphQLSchema) {}

  /** Returns the executable document or its errors. An empty operation name is treated as absent. */
  prepare(text: string, operationName: string | null | undefined): Prepared {
    const name = operationName || undefined;
    // The length prevents collisions, because the name may contain any characters.
    const key = `${name?.length ?? 0}:${name ?? ''}${text}`;
    const cached = this.cache.get(key);
    if (cached !== undefined) return cached;
    const prepared = this.read(text, name);
    this.cache.set(key, prepared);
    if (!('errors' in prepared)) this.byDocument.set(prepared.document, prepared);
    return prepared;
  }

  /** Executes a document that `prepare` returned. */
  execute(args: Pick<ExecutionArgs, 'document' | 'variableValues' | 'contextValue' | 'rootValue'>) {
    const cached = this.byDocument.get(args.document)!;
    const run = this.compiledOf(cached);
    const { rootValue, contextValue, variableValues } = args;
    return run === null
      ? execute({ ...args, schema: this.schema })
      : (run(rootValue, contextValue, variableValues ?? {}) as ExecutionResult | Promise<ExecutionResult>);
  }

  private compiledOf(cached: CachedDocument): CompiledQuery['query'] | null {
    if (cached.compiled !== undefined) return cached.compiled;
    cached.uses++;
    // Compiling takes longer than executing once.
    if (cached.uses < 2) return null;
    const { document, operation } = cached;
    const compiled = isCompilable(this.schema, document)
      ? compileQuery(this.schema, document, operation.name?.value)
      : null;
    cached.compiled = compiled !== null && isCompiledQuery(compiled) ? compiled.query : null;
    return cached.compiled;
  }

  private read(text: string, operationName: string | undefined): CacheEntry {
    let document: DocumentNode;
    try {
      document = parse(text, { maxTokens: TOKENS_MAX });
    } catch (error) {
      return rejected(tooManyTokens(error as GraphQLError) ?? (error as GraphQLError));
    }
    const limitError = documentLimitError(document);
    if (limitError !== undefined) return rejected(limitError);
    const operation = getOperationAST(document, operationName);
    const rootFields = operation == null ? [] : rootFieldNames(document, operation);
    const violations = validate(this.schema, document, undefined, { maxErrors: 20 });
    const errors = violations.some(isOverlapLimitError) ? [tooRepetitive()] : violations;
    if (errors.length > 0) return { errors, anonymousErrors: [validationHiddenError()], rootFields };
    if (operation == null)
      return rejected(documentError('unknown_operation', 'The document has no operation with this name.'));
    return { document, operation, rootFields, uses: 0 };
  }
}

function rejected(error: GraphQLError): RejectedDocument {
  return { errors: [error], anonymousErrors: [error], rootFields: [] };
}

function validationHiddenError(): GraphQLError {
  return documentError(
    'unfit',
    'The document does not match the schema. Send credentials to get the details.',
  );
}

function tooManyTokens({ message }: GraphQLError): GraphQLError | undefined {
  if (!message.startsWith('Syntax Error: Document contains more ')) return undefined;
  return documentError('too_long', 'The document is too long. Split it.');
}

/**
 * graphql-js compares all fields of the same name with each other. If there are too many, it aborts with this message,
 * which contains no reason.
 */
const isOverlapLimitError = ({ message }: GraphQLError) => message === 'Validation aborted.';

function tooRepetitive(): GraphQLError {
  return documentError('too_repetitive', 'The document repeats fields too often. Select each field once.');
}

/**
 * Returns false for documents that the compiler executes differently from the reference implementation. The compiler:
 *
 * - rejects or nulls variables whose input type has defaults, and omitted variables within a literal object;
 * - requires a non-null variable even if it has a default, and renders defaults other than plain scalars as JSON;
 * - omits unconditional selections of fields that a conditional fragment also selects.
 */
function isCompilable(schema: GraphQLSchema, document: DocumentNode): boolean {
  let isEquivalent = true;
  let literalDepth = 0;
  const visitor: ASTVisitor = {
    VariableDefinition: ({ type, defaultValue }) => {
      const named = getNamedType(typeFromAST(schema, type as never)) as GraphQLNamedType;
      const isUnsafeDefault = type.kind === Kind.NON_NULL_TYPE || !isPlain(named);
      if (hasDefaultsOrCycle(named) || (defaultValue !== undefined && isUnsafeDefault)) isEquivalent = false;
    },
    Directive: ({ name }) => {
      if (CONDITIONS.includes(name.value)) isEquivalent = false;
    },
    ObjectValue: { enter: () => void literalDepth++, leave: () => void literalDepth-- },
    Variable: () => {
      if (literalDepth > 0) isEquivalent = false;
    },
  };
  visit(document, visitor);
  return isEquivalent;
}

const isPlain = (type: GraphQLNamedType) => isSpecifiedScalarType(type) || isEnumType(type);

/**
 * Returns whether an input type has defaults at any level or contains itself. On a cycle, the compiler never
 * terminates.
 */
function hasDefaultsOrCycle(type: GraphQLNamedType, within: readonly GraphQLNamedType[] = []): boolean {
  if (!isInputObjectType(type)) return false;
  if (within.includes(type)) return true;
  return Object.values(type.getFields()).some(
    ({ defaultValue, type: fieldType }) =>
      defaultValue !== undefined || hasDefaultsOrCycle(getNamedType(fieldType), [...within, type]),
  );
}

/** Returns the names of the root fields. Call it only for a measured document: its fragments have no cycles. */
function rootFieldNames(document: DocumentNode, operation: OperationDefinitionNode): readonly string[] {
  const names = new Set<string>();
  const collect = (selections: OperationDefinitionNode['selectionSet']['selections']): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet.selections);
      else {
        const fragment = document.definitions.find(
          (definition) =>
            definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
        );
        if (fragment?.kind === Kind.FRAGMENT_DEFINITION) collect(fragment.selectionSet.selections);
      }
    }
  };
  collect(operation.selectionSet.selections);
  return [...names];
}
