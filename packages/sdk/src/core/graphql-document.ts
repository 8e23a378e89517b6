/**
 * Prints a GraphQL document without the `graphql` library. Accepts every form of document that code generators and gql
 * tags produce.
 */

/** A document that carries its types: `TypedDocumentNode`, `TypedDocumentString`, `gql.tada` or a similar form. */
export interface TypedDocument<Data = unknown, Variables = never> {
  readonly __apiType?: ((variables: Variables) => Data) | undefined;
}

/** A GraphQL document: a string or the output of a code generator. */
export type GraphqlDocument<Data = unknown, Variables = never> = string | TypedDocument<Data, Variables>;

interface SyntaxNode {
  readonly kind: string;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has different members
  readonly [member: string]: any;
}

/** Returns a document as a string. @throws {TypeError} if the value is not a document */
export function textOf(document: GraphqlDocument): string {
  if (typeof document === 'string') return document;
  if (document instanceof String) return document.toString();
  if ((document as { kind?: unknown } | null)?.kind === 'Document') return print(document as SyntaxNode);
  throw new TypeError(
    'The GraphQL document is invalid. Pass a string, or the output of a code generator or a gql tag.',
  );
}

const PRINTERS: Readonly<Record<string, (node: SyntaxNode) => string>> = {
  Document: ({ definitions }) => printAll(definitions, '\n'),
  OperationDefinition: ({ operation, name, variableDefinitions, directives, selectionSet }) =>
    `${operation} ${print(name)}${printInParentheses(variableDefinitions)}${printAll(directives, ' ')}${print(selectionSet)}`,
  FragmentDefinition: ({ name, typeCondition, directives, selectionSet }) =>
    `fragment ${print(name)} on ${print(typeCondition)}${printAll(directives, ' ')}${print(selectionSet)}`,
  VariableDefinition: ({ variable, type, defaultValue, directives }) =>
    `${print(variable)}:${print(type)}${defaultValue ? `=${print(defaultValue)}` : ''}${printAll(directives, ' ')}`,
  SelectionSet: ({ selections }) => `{${printAll(selections, ' ')}}`,
  Field: ({ alias, name, arguments: args, directives, selectionSet }) =>
    `${alias ? `${print(alias)}:` : ''}${print(name)}${printInParentheses(args)}${printAll(directives, ' ')}${print(selectionSet)}`,
  FragmentSpread: ({ name, directives }) => `...${print(name)} ${printAll(directives, ' ')}`,
  InlineFragment: ({ typeCondition, directives, selectionSet }) =>
    `...${typeCondition ? ` on ${print(typeCondition)}` : ''}${printAll(directives, ' ')}${print(selectionSet)}`,
  Directive: ({ name, arguments: args }) => `@${print(name)}${printInParentheses(args)}`,
  Argument: ({ name, value }) => `${print(name)}:${print(value)}`,
  ObjectField: ({ name, value }) => `${print(name)}:${print(value)}`,
  ObjectValue: ({ fields }) => `{${printAll(fields, ' ')}}`,
  ListValue: ({ values }) => `[${printAll(values, ' ')}]`,
  Variable: ({ name }) => `$${print(name)}`,
  NamedType: ({ name }) => print(name),
  ListType: ({ type }) => `[${print(type)}]`,
  NonNullType: ({ type }) => `${print(type)}!`,
  // A block string is printed as a quoted string with the same value.
  StringValue: ({ value }) => JSON.stringify(value),
  NullValue: () => 'null',
};

function print(node: SyntaxNode | undefined): string {
  if (node === undefined) return '';
  return PRINTERS[node.kind]?.(node) ?? String(node.value);
}

function printAll(nodes: readonly SyntaxNode[] = [], separator: string): string {
  return nodes.map(print).join(separator);
}

function printInParentheses(nodes: readonly SyntaxNode[] = []): string {
  return nodes.length === 0 ? '' : `(${printAll(nodes, ' ')})`;
}
