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
import { documentRefused } from '../graphql/errors.js';
import { refusalOfSize, TOKENS_MAX } from './limits.js';

/** Characters of all documents that are remembered: parsed and compiled, a document takes some hundred times as much. */
const REMEMBERED_CHARACTERS = 1_000_000;
const REMEMBERED_MAX = 1_000;
const CONDITIONS = ['skip', 'include'];

interface ReadyDocument {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** The names of the operation's root fields, with those of its fragments. */
  readonly rootFields: readonly string[];
}

/** What is wrong with a document. */
interface Refused {
  readonly errors: readonly GraphQLError[];
  readonly errorsToStrangers: readonly GraphQLError[];
  /** As far as they could be read. */
  readonly rootFields: readonly string[];
}

type Prepared = ReadyDocument | Refused;

interface Compiled extends ReadyDocument {
  uses: number;
  /** Null where it can't be compiled, undefined before it was tried. */
  compiled?: CompiledQuery['query'] | null;
}

type Remembered = Compiled | Refused;

export class Documents {
  private readonly known = new LRUCache<string, Remembered>({
    max: REMEMBERED_MAX,
    maxSize: REMEMBERED_CHARACTERS,
    sizeCalculation: (_prepared, key) => key.length,
  });
  private readonly byDocument = new WeakMap<DocumentNode, Compiled>();

  constructor(private readonly schema: GraphQLSchema) {}

  /** The document that is ready to be executed, or what is wrong with it. An empty name is none. */
  prepare(text: string, operationName: string | null | undefined): Prepared {
    const name = operationName || undefined;
    // With the name's length: a name may hold whatever a client puts into it.
    const key = `${name?.length ?? 0}:${name ?? ''}${text}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const prepared = this.read(text, name);
    this.known.set(key, prepared);
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

  private compiledOf(ready: Compiled): CompiledQuery['query'] | null {
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

  private read(text: string, operationName: string | undefined): Remembered {
    let document: DocumentNode;
    try {
      document = parse(text, { maxTokens: TOKENS_MAX });
    } catch (error) {
      return refused(tooManyWords(error as GraphQLError) ?? (error as GraphQLError));
    }
    const refusal = refusalOfSize(document);
    if (refusal !== undefined) return refused(refusal);
    const operation = getOperationAST(document, operationName);
    const rootFields = operation == null ? [] : rootFieldNames(document, operation);
    const found = validate(this.schema, document, undefined, { maxErrors: 20 });
    const errors = found.some(isGivenUp) ? [tooRepetitive()] : found;
    if (errors.length > 0) return { errors, errorsToStrangers: [unfit()], rootFields };
    if (operation == null)
      return refused(documentRefused('unknown_operation', 'The document has no operation of that name.'));
    return { document, operation, rootFields, uses: 0 };
  }
}

function refused(error: GraphQLError): Refused {
  return { errors: [error], errorsToStrangers: [error], rootFields: [] };
}

function unfit(): GraphQLError {
  return documentRefused(
    'unfit',
    'The document does not fit the schema; with credentials you are told where.',
  );
}

function tooManyWords({ message }: GraphQLError): GraphQLError | undefined {
  if (!message.startsWith('Syntax Error: Document contains more ')) return undefined;
  return documentRefused('too_long', 'The document is too long; split it.');
}

/** The library compares fields of one name with each other, and ends without a word of why where there are too many. */
const isGivenUp = ({ message }: GraphQLError) => message === 'Validation aborted.';

function tooRepetitive(): GraphQLError {
  return documentRefused('too_repetitive', 'The document repeats fields too often; ask for each once.');
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
