/**
 * Limits the size of a document. Each document is measured once, before validation, so that rejecting it costs little
 * work.
 *
 * 1. A fragment is measured once, regardless of how often it is spread. A fragment that contains itself is an error.
 * 2. Introspection has no depth limit.
 * 3. The cost of a list is its page size times the cost of one item. If the page size is a variable or exceeds the
 *    maximum, the maximum is used.
 * 4. Fragments count each time they are spread, because the compiler expands them.
 * 5. An error says which limit is exceeded. It contains neither the value of the limit nor names of the schema.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { documentError } from '../graphql/errors.js';

export interface DocumentLimits {
  readonly depth: number;
  readonly aliases: number;
  readonly directives: number;
  readonly rootFields: number;
  readonly cost: number;
  /** Number of fields and fragments after every spread is expanded. */
  readonly selections: number;
}

export const DOCUMENT_LIMITS: DocumentLimits = {
  depth: 15,
  aliases: 15,
  directives: 20,
  rootFields: 20,
  cost: 5_000,
  selections: 5_000,
};

/** Maximum tokens of a document. */
export const TOKENS_MAX = 1_000;
const PAGE_MAX = 100;
/** The largest default page size of a list. */
const PAGE_DEFAULT = 50;
const PAGE_FIELDS = ['edges', 'nodes', 'pageInfo'];

interface DocumentSize {
  readonly depth: number;
  readonly aliases: number;
  readonly directives: number;
  /** Number of fields at the top level of the measured part, with its fragments expanded. */
  readonly fields: number;
  readonly cost: number;
  readonly selections: number;
}

const EMPTY: DocumentSize = { depth: 0, aliases: 0, directives: 0, fields: 0, cost: 0, selections: 0 };

/** Returns the error of a document that exceeds a limit, or undefined. */
export function documentLimitError(
  document: DocumentNode,
  limits: DocumentLimits = DOCUMENT_LIMITS,
): GraphQLError | undefined {
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operations.length > 1)
    return documentError('several_operations', 'Send only one operation per request.');
  const meter = new DocumentMeter(document);
  const [operation] = operations as OperationDefinitionNode[];
  const size = operation === undefined ? EMPTY : meter.operation(operation);
  if (size === null) return documentError('fragment_cycle', 'A fragment contains itself.');
  if (size.depth > limits.depth) return documentError('too_deep', 'The document is nested too deeply.');
  if (size.aliases > limits.aliases) return documentError('too_many_aliases', 'Too many aliases.');
  if (size.directives > limits.directives)
    return documentError('too_many_directives', 'Too many directives.');
  if (size.fields > limits.rootFields)
    return documentError('too_many_root_fields', 'Too many root fields. Split the document.');
  if (size.cost > limits.cost)
    return documentError(
      'too_costly',
      'The document requests too much data. Request fewer items or fewer related records.',
    );
  if (size.selections > limits.selections)
    return documentError('too_long', 'The document is too long with its fragments expanded. Split it.');
  return undefined;
}

class DocumentMeter {
  private readonly fragments = new Map<string, FragmentDefinitionNode>();
  private readonly sizes = new Map<string, DocumentSize | 'measuring'>();
  private hasCycle = false;

  constructor(document: DocumentNode) {
    for (const definition of document.definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.fragments.set(definition.name.value, definition);
  }

  /** Returns the size of an operation, or null if a fragment contains itself. */
  operation(node: OperationDefinitionNode): DocumentSize | null {
    const size = sumOf(this.selections(node.selectionSet), directivesOf(node));
    return this.hasCycle ? null : size;
  }

  private selections({ selections }: SelectionSetNode): DocumentSize {
    return selections.map((selection) => this.selection(selection)).reduce(sumOf, EMPTY);
  }

  private selection(node: SelectionSetNode['selections'][number]): DocumentSize {
    switch (node.kind) {
      case Kind.FIELD:
        return this.field(node);
      case Kind.INLINE_FRAGMENT:
        return sumOf(this.selections(node.selectionSet), directivesOf(node, 1));
      case Kind.FRAGMENT_SPREAD:
        return sumOf(this.fragment(node.name.value), directivesOf(node, 1));
    }
  }

  private field(node: FieldNode): DocumentSize {
    const inside = node.selectionSet === undefined ? EMPTY : this.selections(node.selectionSet);
    const isIntrospection = node.name.value.startsWith('__');
    return {
      depth: isIntrospection ? 0 : 1 + inside.depth,
      aliases: inside.aliases + (node.alias === undefined ? 0 : 1),
      directives: inside.directives + directivesOf(node).directives,
      fields: 1,
      selections: 1 + inside.selections,
      // A field without a selection costs nothing, because it is read with its record.
      cost: node.selectionSet === undefined || isIntrospection ? 0 : 1 + this.itemsOf(node) * inside.cost,
    };
  }

  private fragment(name: string): DocumentSize {
    const measured = this.sizes.get(name);
    if (measured === 'measuring') {
      this.hasCycle = true;
      return EMPTY;
    }
    if (measured !== undefined) return measured;
    const fragment = this.fragments.get(name);
    if (fragment === undefined) return EMPTY;
    this.sizes.set(name, 'measuring');
    const size = sumOf(this.selections(fragment.selectionSet), directivesOf(fragment));
    this.sizes.set(name, size);
    return size;
  }

  /** Returns the maximum number of items of a field: the page size of a list, otherwise 1. */
  private itemsOf({ arguments: args, selectionSet }: FieldNode): number {
    const first = args?.find(({ name }) => name.value === 'first')?.value;
    if (first?.kind === Kind.INT) return Math.min(PAGE_MAX, Math.max(1, Number(first.value)));
    if (first !== undefined) return PAGE_MAX;
    return this.selectsPage(selectionSet) ? PAGE_DEFAULT : 1;
  }

  /** Returns whether a selection has fields of a connection, directly or through fragments. */
  private selectsPage(selectionSet: SelectionSetNode | undefined, seen = new Set<string>()): boolean {
    if (selectionSet === undefined) return false;
    return selectionSet.selections.some((selection) => {
      if (selection.kind === Kind.FIELD) return PAGE_FIELDS.includes(selection.name.value);
      if (selection.kind === Kind.INLINE_FRAGMENT) return this.selectsPage(selection.selectionSet, seen);
      const { value } = selection.name;
      if (seen.has(value)) return false;
      seen.add(value);
      return this.selectsPage(this.fragments.get(value)?.selectionSet, seen);
    });
  }
}

/** Adds the sizes of two siblings. The depth of the sum is the greater depth. */
function sumOf(a: DocumentSize, b: DocumentSize): DocumentSize {
  return {
    depth: Math.max(a.depth, b.depth),
    aliases: a.aliases + b.aliases,
    directives: a.directives + b.directives,
    fields: a.fields + b.fields,
    cost: a.cost + b.cost,
    selections: a.selections + b.selections,
  };
}

function directivesOf(
  { directives }: { readonly directives?: readonly unknown[] | undefined },
  selections = 0,
): DocumentSize {
  return { ...EMPTY, directives: directives?.length ?? 0, selections };
}
