/**
 * Prints a GraphQL document in any of the forms that code generators and tags produce, without the `graphql` library.
 */

/** A document that carries its types: `TypedDocumentNode`, `TypedDocumentString`, `gql.tada` or a similar form. */
export interface TypedDocument<Data = unknown, Variables = never> {
  readonly __apiType?: ((variables: Variables) => Data) | undefined;
}

/** A GraphQL document: a string or the output of a code generator. */
export type GraphqlDocument<Data = unknown, Variables = never> = string | TypedDocument<Data, Variables>;

interface Syntax {
  readonly kind: string;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has different members
  readonly [member: string]: any;
}

/** Returns a document as a string. @throws {TypeError} if the value is not a document */
export function textOf(document: GraphqlDocument): string {
  if (typeof document === 'string') return document;
  if (document instanceof String) return document.toString();
  if ((document as { kind?: unknown } | null)?.kind === 'Document') return written(document as Syntax);
  throw new TypeError(
    'The GraphQL document is invalid. Pass a string, or the output of a code generator or a gql tag.',
  );
}

const PRINTED: Readonly<Record<string, (syntax: Syntax) => string>> = {
  Document: ({ definitions }) => joined(definitions, '\n'),
  OperationDefinition: ({ operation, name, variableDefinitions, directives, selectionSet }) =>
    `${operation} ${written(name)}${inBrackets(variableDefinitions)}${joined(directives, ' ')}${written(selectionSet)}`,
  FragmentDefinition: ({ name, typeCondition, directives, selectionSet }) =>
    `fragment ${written(name)} on ${written(typeCondition)}${joined(directives, ' ')}${written(selectionSet)}`,
  VariableDefinition: ({ variable, type, defaultValue, directives }) =>
    `${written(variable)}:${written(type)}${defaultValue ? `=${written(defaultValue)}` : ''}${joined(directives, ' ')}`,
  SelectionSet: ({ selections }) => `{${joined(selections, ' ')}}`,
  Field: ({ alias, name, arguments: args, directives, selectionSet }) =>
    `${alias ? `${written(alias)}:` : ''}${written(name)}${inBrackets(args)}${joined(directives, ' ')}${written(selectionSet)}`,
  FragmentSpread: ({ name, directives }) => `...${written(name)} ${joined(directives, ' ')}`,
  InlineFragment: ({ typeCondition, directives, selectionSet }) =>
    `...${typeCondition ? ` on ${written(typeCondition)}` : ''}${joined(directives, ' ')}${written(selectionSet)}`,
  Directive: ({ name, arguments: args }) => `@${written(name)}${inBrackets(args)}`,
  Argument: ({ name, value }) => `${written(name)}:${written(value)}`,
  ObjectField: ({ name, value }) => `${written(name)}:${written(value)}`,
  ObjectValue: ({ fields }) => `{${joined(fields, ' ')}}`,
  ListValue: ({ values }) => `[${joined(values, ' ')}]`,
  Variable: ({ name }) => `$${written(name)}`,
  NamedType: ({ name }) => written(name),
  ListType: ({ type }) => `[${written(type)}]`,
  NonNullType: ({ type }) => `${written(type)}!`,
  // Block strings, too: the value is the same.
  StringValue: ({ value }) => JSON.stringify(value),
  NullValue: () => 'null',
};

function written(syntax: Syntax | undefined): string {
  if (syntax === undefined) return '';
  return PRINTED[syntax.kind]?.(syntax) ?? String(syntax.value);
}

function joined(syntaxes: readonly Syntax[] = [], by: string): string {
  return syntaxes.map(written).join(by);
}

function inBrackets(syntaxes: readonly Syntax[] = []): string {
  return syntaxes.length === 0 ? '' : `(${joined(syntaxes, ' ')})`;
}
