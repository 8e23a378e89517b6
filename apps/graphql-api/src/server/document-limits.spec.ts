import fc from 'fast-check';
import {
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { DOCUMENT_LIMITS, documentLimitError } from './document-limits.js';

const codeOf = (text: string, limits = DOCUMENT_LIMITS) => {
  const limitError = documentLimitError(parse(text), limits);
  const { details } = (limitError?.originalError ?? {}) as { details?: { code: string }[] };
  return details?.[0]?.code;
};
const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join(' ');

describe('the limits of a document', () => {
  const nested = (depth: number): string => (depth === 1 ? 'a' : `a { ${nested(depth - 1)} }`);

  it.each([
    ['too_deep', (n: number) => `{ ${nested(n)} }`, 15],
    ['too_deep', (n: number) => `{ ...f } fragment f on Q { ${nested(n)} }`, 15],
    ['too_deep', (n: number) => `{ ... on Q { ... { ${nested(n)} } } }`, 15],
    ['too_many_aliases', (n: number) => `{ a { ${times(n, (i) => `a${i}: b`)} } }`, 15],
    ['too_many_aliases', (n: number) => `{ a { ${times(n, () => '...f')} } } fragment f on Q { b: c }`, 15],
    ['too_many_directives', (n: number) => `{ a ${times(n, () => '@d')} }`, 20],
    ['too_many_directives', (n: number) => `query ${times(n, () => '@d')} { a }`, 20],
    ['too_many_directives', (n: number) => `{ ... ${times(n, () => '@d')} { a } }`, 20],
    ['too_many_directives', (n: number) => `{ ...f ${times(n, () => '@d')} } fragment f on Q { a }`, 20],
    ['too_many_directives', (n: number) => `{ ...f } fragment f on Q ${times(n, () => '@d')} { a }`, 20],
    ['too_many_root_fields', (n: number) => `{ ${times(n, (i) => `a${i}`)} }`, 20],
    ['too_many_root_fields', (n: number) => `{ ${times(n, () => '...f')} } fragment f on Q { a }`, 20],
    [
      'too_costly',
      // `a` costs 1 + 100 × 49 = 4,901, and `c` costs 1 + (n - 4,902): n in total.
      (n: number) =>
        `{ a(first: 100) { ${times(49, (i) => `a${i} { b }`)} } c { ${times(n - 4_902, (i) => `c${i} { b }`)} } }`,
      5_000,
    ],
    ['too_long', (n: number) => `{ a { ${times(n / 2 - 1, () => '...f')} b } } fragment f on Q { c }`, 5_000],
    ['too_costly', (n: number) => `{ a(first: 100) { ${times(n, (i) => `a${i} { b }`)} } }`, 49],
  ])('accept the maximum size, and reject a size that is larger by one as %s: %#', (code, make, limit) => {
    expect(codeOf(make(limit))).toBeUndefined();
    expect(codeOf(make(limit + (code === 'too_long' ? 2 : 1)))).toBe(code);
  });

  it('allow only one operation', () => {
    expect(codeOf('query A { a } query B { a }')).toBe('several_operations');
    expect(codeOf('{ a } subscription B { a }')).toBe('several_operations');
  });

  it('do not apply to the depth of introspection', () => {
    expect(codeOf(`{ __schema { ${nested(40)} } }`)).toBeUndefined();
    expect(codeOf(`{ __type(name: "Q") { ${nested(40)} } }`)).toBeUndefined();
  });
});

describe('an error', () => {
  it('names neither the limit nor anything of the document', () => {
    const texts = [
      `{ ${'secretName { '.repeat(16)} a ${'}'.repeat(17)}`,
      `{ ${times(16, (i) => `secretName${i}: secretName`)} }`,
      '{ secretName(first: 100) { secretName(first: 100) { secretName { a } } } }',
      '{ ...secretName } fragment secretName on Q { ...secretName }',
    ];
    for (const text of texts) {
      const { message } = documentLimitError(parse(text))!;
      expect(message).not.toMatch(/\d|secretName/);
    }
  });
});

describe('the cost', () => {
  it('of 100 items with three related records each is allowed', () => {
    const edges = 'tradePair { symbol } exchangeAccount { id } strategy { name }';
    expect(codeOf(`{ trades(first: 100) { nodes { id ${edges} } } }`)).toBeUndefined();
    expect(codeOf(`{ trades(first: 100) { edges { cursor node { id ${edges} } } } }`)).toBeUndefined();
    expect(
      codeOf(`{ trades(first: 100) { nodes { ...t } } } fragment t on Trade { id ${edges} }`),
    ).toBeUndefined();
  });

  it('of a list within a list covers all items of both', () => {
    const within = (first: string) => `{ a(first: 100) { nodes { b${first} { nodes { c { id } } } } } }`;
    expect(codeOf(within('(first: 10)'))).toBeUndefined();
    expect(codeOf(within('(first: 100)'))).toBe('too_costly');
    expect(codeOf(within(''))).toBe('too_costly');
  });

  const limits = { ...DOCUMENT_LIMITS, cost: 99 };
  it.each([
    ['a variable', '(first: $n)', 100],
    ['null', '(first: null)', 100],
    ['text', '(first: "5")', 100],
    ['a number above the maximum', '(first: 2147483647)', 100],
    ['a number with more digits than a double can hold', `(first: ${'9'.repeat(400)})`, 100],
    ['a number below one', '(first: -5)', 1],
    ['not given', '', 50],
  ])('counts a page whose size is %s', (_how, first, items) => {
    const ofItems = (page: string) => `query ($n: Int) { a${first} { ${page} } }`;
    const costs = (text: string, cost: number) => {
      expect(codeOf(text, { ...limits, cost })).toBeUndefined();
      expect(codeOf(text, { ...limits, cost: cost - 1 })).toBe('too_costly');
    };
    costs(ofItems('nodes { id }'), 1 + items);
    costs(ofItems('other: edges { cursor }'), 1 + items);
    costs(ofItems('... on C { nodes { id } }'), 1 + items);
    costs(ofItems('... { ... { nodes { id } } }'), 1 + items);
    costs(`${ofItems('...f')} fragment f on C { nodes { id } }`, 1 + items);
    costs(`${ofItems('...f')} fragment f on C { ...g } fragment g on C { nodes { id } }`, 1 + items);
  });

  it('of a record counts one item, also if a fragment selects its fields', () => {
    const text = '{ a { ...f ... on A { c { id } } } } fragment f on A { b { id } }';
    expect(codeOf(text, { ...limits, cost: 3 })).toBeUndefined();
    expect(codeOf(text, { ...limits, cost: 2 })).toBe('too_costly');
  });
});

describe('fragments', () => {
  it.each([
    '{ ...a } fragment a on Q { ...a }',
    '{ ...a } fragment a on Q { b { ...b } } fragment b on Q { ... { ...a } }',
    '{ x { nodes { ...a } } } fragment a on Q { ...b } fragment b on Q { ...c } fragment c on Q { ...a }',
  ])('that contain themselves are rejected: %#', (text) => {
    expect(codeOf(text)).toBe('fragment_cycle');
  });

  /** Returns a document whose fragments each spread the next one twice; the last one selects `leaf`. */
  const doubling = (root: string, leaf: string) =>
    `{ ${root} } ${times(50, (i) => `fragment f${i} on Q { ...f${i + 1} ...f${i + 1} }`)} fragment f50 on Q { ${leaf} }`;

  it('that double 50 times are measured once each', () => {
    const document = parse(doubling('x { ...f0 }', 'id'));
    let visits = 0;
    const counted = {
      ...document,
      definitions: document.definitions.map((definition) =>
        definition.kind === Kind.FRAGMENT_DEFINITION
          ? {
              ...definition,
              get selectionSet() {
                visits++;
                return definition.selectionSet;
              },
            }
          : definition,
      ),
    };
    const { message } = documentLimitError(counted as DocumentNode)!;
    expect(message).toBe('The document is too long with its fragments expanded. Split it.');
    // Each fragment is visited once to measure its size, and once to check whether it selects fields of a page.
    expect(visits).toBeLessThanOrEqual(2 * 51);
  });

  it('count as often as they are spread', () => {
    expect(codeOf(doubling('x { ...f0 }', 'id'))).toBe('too_long');
    expect(codeOf(doubling('...f0', 'id'))).toBe('too_many_root_fields');
    expect(codeOf(doubling('x { ...f0 }', 'a: id'))).toBe('too_many_aliases');
    expect(codeOf(doubling('x { ...f0 }', 'id @d'))).toBe('too_many_directives');
    expect(codeOf(doubling('x { ...f0 }', 'y { id }'))).toBe('too_costly');
  });

  it('that do not exist are rejected by the validation', () => {
    expect(codeOf('{ ...nowhere }')).toBeUndefined();
  });
});

/** A reference implementation of the limits that expands fragments wherever they are spread. */
function measureExpanded(document: DocumentNode) {
  const fieldsIn = ({ selections }: SelectionSetNode): FieldNode[] =>
    selections.flatMap((selection) =>
      selection.kind === Kind.FIELD ? [selection] : fieldsIn(inside(selection)),
    );
  const inside = (selection: Exclude<SelectionNode, FieldNode>): SelectionSetNode =>
    selection.kind === Kind.INLINE_FRAGMENT
      ? selection.selectionSet
      : fragment(selection.name.value).selectionSet;
  const fragment = (name: string) =>
    document.definitions.find(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
    ) as OperationDefinitionNode;
  const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
  const depth = (set?: SelectionSetNode): number =>
    set === undefined ? 0 : Math.max(0, ...fieldsIn(set).map((field) => 1 + depth(field.selectionSet)));
  const aliases = (set?: SelectionSetNode): number =>
    set === undefined
      ? 0
      : sum(fieldsIn(set).map((field) => (field.alias ? 1 : 0) + aliases(field.selectionSet)));
  const items = ({ arguments: args, selectionSet }: FieldNode): number => {
    const first = args?.[0]?.value;
    if (first === undefined)
      return fieldsIn(selectionSet!).some(({ name }) => name.value === 'nodes') ? 50 : 1;
    return first.kind === Kind.INT ? Number(first.value) : 100;
  };
  const cost = (set: SelectionSetNode): number =>
    sum(
      fieldsIn(set).map((field) =>
        field.selectionSet === undefined ? 0 : 1 + items(field) * cost(field.selectionSet),
      ),
    );
  const { selectionSet } = document.definitions[0] as OperationDefinitionNode;
  return {
    depth: depth(selectionSet),
    aliases: aliases(selectionSet),
    rootFields: fieldsIn(selectionSet).length,
    cost: cost(selectionSet),
  };
}

/** Documents with a query and three fragments. Each fragment spreads only later fragments. */
const documents = fc
  .array(
    fc.letrec<{ set: string; selection: string }>((tie) => ({
      set: fc
        .array(tie('selection'), { minLength: 1, maxLength: 3 })
        .map((selections) => `{ ${selections.join(' ')} }`),
      selection: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.constantFrom('a', 'x: a', '...f0', '...f1', '...f2'),
        fc
          .tuple(
            fc.constantFrom('a', 'nodes', 'x: a', 'a(first: 3)', 'a(first: $n)', '... on Q', '...'),
            tie('set'),
          )
          .map(([field, set]) => `${field} ${set}`),
      ),
    })).set,
    { minLength: 4, maxLength: 4 },
  )
  .map(([root, ...fragments]) => {
    const later = (set: string, at: number) =>
      set.replace(/\.\.\.f(\d)/g, (spread, index) => (Number(index) > at ? spread : 'b'));
    return `query ${root} ${fragments.map((set, at) => `fragment f${at} on Q ${later(set!, at)}`).join(' ')}`;
  });

it('the size equals that of the document with its fragments expanded', () => {
  fc.assert(
    fc.property(documents, (text) => {
      const document = parse(text);
      const size = { ...measureExpanded(document), directives: 0, selections: Number.POSITIVE_INFINITY };
      expect(documentLimitError(document, size)).toBeUndefined();
      for (const limit of ['depth', 'aliases', 'rootFields', 'cost'] as const)
        expect(documentLimitError(document, { ...size, [limit]: size[limit] - 1 })).toBeDefined();
    }),
    { numRuns: 300 },
  );
});
