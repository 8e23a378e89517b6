/**
 * Documents, made ready once: parsed, measured, validated and, at their second use, compiled.
 *
 * 1. A document is known by its text and the name of its operation together: two operations of one text are two.
 * 2. Some shapes of variables are coerced by the compiler unlike by the reference implementation; a document that has one
 *    of them is executed by that implementation instead (`isCompilable`).
 * 3. What is remembered is bounded by its size.
 * 4. A stranger is not told how a document misses the schema: the answer would tell names.
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

/** Characters of all documents that are remembered: parsed and compiled, a document takes some hundred times as much. */
const CACHE_CHARACTERS_MAX = 1_000_000;
const CACHE_SIZE_MAX = 1_000;
const CONDITIONS = ['skip', 'include'];

interface PreparedDocument {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** The names of the operation's root fields, with those of its fragments. */
  readonly rootFields: readonly string[];
}

/** What is wrong with a document. */
interface RejectedDocument {
  readonly errors: readonly GraphQLError[];
  readonly anonymousErrors: readonly GraphQLError[];
  /** As far as they could be read. */
  readonly rootFields: readonly string[];
}

type Prepared = PreparedDocument | RejectedDocument;

interface CachedDocument extends PreparedDocument {
  uses: number;
  /** Null where it can't be compiled, undefined before it was tried. */
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

  constructor(private readonly schema: GraphQLSchema) {}

  /** The document that is ready to be executed, or what is wrong with it. An empty name is none. */
  prepare(text: string, operationName: string | null | undefined): Prepared {
    const name = operationName || undefined;
    // With the name's length: a name may hold whatever a client puts into it.
    const key = `${name?.length ?? 0}:${name ?? ''}${text}`;
    const known = this.cache.get(key);
    if (known !== undefined) return known;
    const prepared = this.read(text, name);
    this.cache.set(key, prepared);
    if (!('errors' in prepared)) this.byDocument.set(prepared.document, prepared);
    return prepared;
  }

  /** Executes a document that `prepare` gave. */
  execute(args: Pick<ExecutionArgs, 'document' | 'variableValues' | 'contextValue' | 'rootValue'>) {
    const ready = this.byDocument.get(args.document)!;
    const run = this.compiledOf(ready);
    const { rootValue, contextValue, variableValues } = args;
    return run === null
      ? execute({ ...args, schema: this.schema })
      : (run(rootValue, contextValue, variableValues ?? {}) as ExecutionResult | Promise<ExecutionResult>);
  }

  private compiledOf(ready: CachedDocument): CompiledQuery['query'] | null {
    if (ready.compiled !== undefined) return ready.compiled;
    ready.uses++;
    // Compiling takes longer than executing once.
    if (ready.uses < 2) return null;
    const { document, operation } = ready;
    const compiled = isCompilable(this.schema, document)
      ? compileQuery(this.schema, document, operation.name?.value)
      : null;
    ready.compiled = compiled !== null && isCompiledQuery(compiled) ? compiled.query : null;
    return ready.compiled;
  }

  private read(text: string, operationName: string | undefined): CacheEntry {
    let document: DocumentNode;
    try {
      document = parse(text, { maxTokens: TOKENS_MAX });
    } catch (error) {
      return refused(tooManyWords(error as GraphQLError) ?? (error as GraphQLError));
    }
    const refusal = documentLimitError(document);
    if (refusal !== undefined) return refused(refusal);
    const operation = getOperationAST(document, operationName);
    const rootFields = operation == null ? [] : rootFieldNames(document, operation);
    const found = validate(this.schema, document, undefined, { maxErrors: 20 });
    const errors = found.some(isOverlapLimitError) ? [tooRepetitive()] : found;
    if (errors.length > 0) return { errors, anonymousErrors: [validationHiddenError()], rootFields };
    if (operation == null)
      return refused(documentError('unknown_operation', 'The document has no operation of that name.'));
    return { document, operation, rootFields, uses: 0 };
  }
}

function refused(error: GraphQLError): RejectedDocument {
  return { errors: [error], anonymousErrors: [error], rootFields: [] };
}

function validationHiddenError(): GraphQLError {
  return documentError('unfit', 'The document does not fit the schema; with credentials you are told where.');
}

function tooManyWords({ message }: GraphQLError): GraphQLError | undefined {
  if (!message.startsWith('Syntax Error: Document contains more ')) return undefined;
  return documentError('too_long', 'The document is too long; split it.');
}

/** The library compares fields of one name with each other, and ends without a word of why where there are too many. */
const isOverlapLimitError = ({ message }: GraphQLError) => message === 'Validation aborted.';

function tooRepetitive(): GraphQLError {
  return documentError('too_repetitive', 'The document repeats fields too often; ask for each once.');
}

/**
 * False for what the compiler does unlike the reference implementation:
 *
 * - It refuses or nulls an input with defaults in a variable, and a variable within a literal object that was left out.
 * - It asks for a variable that has a default and may not be null; a default that is no plain scalar it writes down as JSON.
 * - Of fields that merge, some of which a fragment asks for under a condition, it leaves out what others ask for without one.
 */
function isCompilable(schema: GraphQLSchema, document: DocumentNode): boolean {
  let isSame = true;
  let literalDepth = 0;
  const visitor: ASTVisitor = {
    VariableDefinition: ({ type, defaultValue }) => {
      const named = getNamedType(typeFromAST(schema, type as never)) as GraphQLNamedType;
      const isOddDefault = type.kind === Kind.NON_NULL_TYPE || !isPlain(named);
      if (isTooMuch(named) || (defaultValue !== undefined && isOddDefault)) isSame = false;
    },
    Directive: ({ name }) => {
      if (CONDITIONS.includes(name.value)) isSame = false;
    },
    ObjectValue: { enter: () => void literalDepth++, leave: () => void literalDepth-- },
    Variable: () => {
      if (literalDepth > 0) isSame = false;
    },
  };
  visit(document, visitor);
  return isSame;
}

const isPlain = (type: GraphQLNamedType) => isSpecifiedScalarType(type) || isEnumType(type);

/** Whether an input has defaults, however deep; or holds itself, which the compiler would never come to the end of. */
function isTooMuch(type: GraphQLNamedType, within: readonly GraphQLNamedType[] = []): boolean {
  if (!isInputObjectType(type)) return false;
  if (within.includes(type)) return true;
  return Object.values(type.getFields()).some(
    ({ defaultValue, type: fieldType }) =>
      defaultValue !== undefined || isTooMuch(getNamedType(fieldType), [...within, type]),
  );
}

/** Of a document that was measured: its fragments don't contain themselves, and lead to few fields. */
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
