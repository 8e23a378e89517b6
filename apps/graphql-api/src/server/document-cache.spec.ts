import fc from 'fast-check';
import {
  buildSchema,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLObjectType,
  parse,
} from 'graphql';
import { SCALARS } from '../graphql/scalars.js';
import { DocumentCache } from './document-cache.js';

const schema = buildSchema(`
  scalar Decimal
  scalar JSON
  enum Side { BUY SELL }
  input Plain { n: Int, side: Side, price: Decimal, tags: [String!], inner: Inner, others: [Inner] }
  input Inner { n: Int, side: Side, tags: [String!] }
  input Filled { r: Int! = 4, side: Side = SELL, plain: Plain, inner: Filled }
  interface Named { name: String! }
  type Item implements Named { name: String!, price: Decimal, items: [Item!], broken: Int, missing: Int!, deep: Item }
  type Other implements Named { name: String!, side: Side }
  union Found = Item | Other
  type Query {
    echo(n: Int, f: Float, s: String, b: Boolean, id: ID, side: Side, price: Decimal, any: JSON,
      plain: Plain, filled: Filled, filledList: [Filled!], list: [Int], lists: [[Int!]], needed: Int! = 7): JSON
    item: Item
    items: [Item]
    named: [Named]
    found(of: String = "both"): [Found]
    refused: Item
    "Null where it may not be."
    missing: Item!
  }
  type Mutation { first: Item second: Item }
`);
Object.assign(schema.getType('Decimal')!, SCALARS.Decimal);
Object.assign(schema.getType('JSON')!, SCALARS.JSON);

const item = (name: string, deep: object | null): object => ({
  __typename: 'Item',
  name,
  price: '0.100000000000000001',
  broken: () => {
    throw new GraphQLError('broken', { extensions: { code: 'broken' } });
  },
  missing: async () => null,
  deep,
  items: async () => (deep === null ? [] : [deep, deep]),
});
const other = { __typename: 'Other', name: 'other', side: 'SELL' };
const root = {
  echo: (args: object) => JSON.parse(JSON.stringify(args)),
  item: () => item('a', item('b', null)),
  items: async () => [item('a', null), null, item('c', item('d', null))],
  named: () => [item('a', null), other],
  found: async ({ of }: { of: string }) => (of === 'both' ? [other, item('a', null), null] : []),
  refused: () => new Error('refused'),
  missing: () => null,
  first: async () => item('first', null),
  second: () => item('second', null),
};
Object.assign(schema.getType('Found')!, { resolveType: ({ __typename }: typeof other) => __typename });
Object.assign(schema.getType('Named')!, { resolveType: ({ __typename }: typeof other) => __typename });
// The resolvers are explicit, because the default resolver of the compiler calls no methods.
for (const name of ['Query', 'Mutation', 'Item', 'Other'])
  for (const [field, definition] of Object.entries((schema.getType(name) as GraphQLObjectType).getFields()))
    definition.resolve = (source, args) => {
      const value = source[field];
      return typeof value === 'function' ? value(args) : value;
    };

/**
 * Returns the comparable part of a result. Errors are sorted, because sibling fields have no order. If a value is null
 * for several reasons, an implementation may report one or all of them.
 */
function comparable({ data, errors = [] }: ExecutionResult) {
  // For an invalid variable, the messages and the number of errors of the compiler differ from those of graphql-js.
  if (data === undefined) return { data, errors: [...new Set(errors.map(({ path }) => String(path)))] };
  const serialized = errors.map(({ path = [], message, extensions }) => {
    const place = pathToNull(data, path);
    const isOwn = place.length === path.length;
    return JSON.stringify(isOwn ? { place, message, extensions: { ...extensions } } : { place });
  });
  return { data: JSON.parse(JSON.stringify(data)), errors: [...new Set(serialized)].sort() };
}

/** Follows the path in the data up to the first null. */
function pathToNull(data: unknown, path: readonly (string | number)[]) {
  let value = data;
  const at = path.findIndex((key) => {
    if (value === null) return true;
    value = (value as Record<string, unknown>)[key];
    return false;
  });
  return at < 0 ? path : path.slice(0, at);
}

async function executeThreeTimes(text: string, variables: Record<string, unknown>) {
  const documents = new DocumentCache(schema);
  const results = [];
  for (let use = 0; use < 3; use++) {
    const prepared = documents.prepare(text, undefined);
    if ('errors' in prepared) return { refused: prepared.errors };
    const args = { document: prepared.document, variableValues: variables, rootValue: root };
    results.push(comparable(await documents.execute(args)));
  }
  const reference = await execute({
    schema,
    document: parse(text),
    variableValues: variables,
    rootValue: root,
  });
  return { results, reference: comparable(reference) };
}

const literals = {
  n: ['1', '-3', 'null', '$n'],
  f: ['1.5', '2', '$f'],
  s: ['"x"', '""', '$s', '"""block "s" """'],
  b: ['true', '$b'],
  id: ['"a"', '7', '$id'],
  side: ['BUY', '$side'],
  price: ['1.000000000000000001', '"2.5"', '3', '$price'],
  any: ['{a: [1, {b: $n}], c: 1.10}', '[[], null, X]', '$any'],
  plain: [
    '{n: 1, side: BUY, price: 0.1, tags: ["x"], inner: {n: 2}}',
    '{n: $n}',
    '{inner: {side: $side, tags: "one"}}',
    '{}',
    '$plain',
  ],
  filled: ['{}', '{r: 1, plain: {n: $n}}', '{inner: {side: BUY}}', '$filled'],
  list: ['[1, $n, null]', '5', '[]', '$list'],
  lists: ['[[1], [2, 3]]', '[1]', '$lists'],
  needed: ['2', '$needed'],
} as const;
type Name = keyof typeof literals;

const declaredTypes: Record<Name, readonly string[]> = {
  n: ['Int', 'Int = 3', 'Int!'],
  f: ['Float', 'Float = 2'],
  s: ['String', 'String = "a\\"\\u2028b"', 'String!'],
  b: ['Boolean', 'Boolean = false'],
  id: ['ID', 'ID = 7'],
  side: ['Side', 'Side = SELL'],
  price: ['Decimal', 'Decimal = 1.000000000000000001'],
  any: ['JSON', 'JSON = {a: 1.0000000000000000001}'],
  plain: ['Plain', 'Plain = {n: 1, price: 0.10}', 'Plain!'],
  filled: ['Filled', 'Filled = {r: 2}'],
  list: ['[Int]', '[Int] = [1, null]', '[Int]!'],
  lists: ['[[Int!]]', '[[Int!]] = [1]'],
  needed: ['Int! = 9', 'Int!', 'Int = 8'],
};
const candidateValues: Record<Name, readonly unknown[]> = {
  n: [1, null, 'x', 1.5, 2 ** 31],
  f: [1, 1.5, null, 'x'],
  s: ['y', null, 7],
  b: [true, null, 'true'],
  id: ['i', 5, null, 1.5],
  side: ['BUY', null, 'HOLD', 1],
  price: ['1.5', 2, null, true],
  any: [{ a: [1, null] }, null, 'x', 0],
  plain: [
    {},
    { n: 1, inner: { side: 'SELL', tags: ['a'] } },
    null,
    { no: 1 },
    { n: 'x' },
    { tags: [null] },
    { tags: 'one' },
    'x',
  ],
  filled: [{}, { side: null }, { inner: {} }, null, { r: null }, { plain: { n: 2 } }],
  list: [[1, null], 5, null, ['x']],
  lists: [[[1], [2]], [1], null, [[null]]],
  needed: [1, null],
};
const names = Object.keys(literals) as Name[];

const selections = fc.constantFrom(
  'item { name price }',
  'item { ...i @include(if: $on) name }',
  'item { ... on Named { name } ... @skip(if: $on) { price } deep { ...i } }',
  'item @skip(if: $on) { name }',
  'item { x: name deep { deep { name } } broken }',
  'item { items { name missing } }',
  'items { name ...i broken }',
  'items { items { broken price } missing }',
  'named { __typename name ... on Other { side } ... on Item { price } }',
  'found { __typename ... on Named { name } ... on Item { ...i } }',
  'found(of: $s) { ... on Other { side name } }',
  'refused { name }',
  'name: refused { name }',
  'missing { name }',
  '__typename',
  '__type(name: "Item") { name fields { name } }',
);

/** An operation with arguments, and its variables: some are invalid, some are omitted. */
const operations = fc
  .record({
    args: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 3 }),
    selections: fc.uniqueArray(selections, { maxLength: 3 }),
    seed: fc.array(fc.nat(1_000), { minLength: 40, maxLength: 40 }),
  })
  .map(({ args, selections: chosen, seed }) => {
    let at = 0;
    const pick = <T>(from: readonly T[]): T => from[seed[at++ % seed.length]! % from.length]!;
    const argumentList = args.map((name) => `${name}: ${pick<string>(literals[name])}`).join(', ');
    const field = args.length === 0 ? 'echo' : `echo(${argumentList})`;
    const body = [field, ...chosen].join(' ');
    const used = names.filter((name) => new RegExp(`\\$${name}\\b`).test(body));
    const usesOn = body.includes('$on');
    const declarations = used.map((name) => `$${name}: ${pick(declaredTypes[name])}`);
    if (usesOn) declarations.push(pick(['$on: Boolean!', '$on: Boolean! = true']));
    const variables: Record<string, unknown> = {};
    // Most variables are valid, because an invalid one ends the operation.
    for (const name of used) {
      const [valid] = candidateValues[name];
      const choice = pick(['fits', 'fits', 'fits', 'any', 'left out']);
      if (choice !== 'left out') variables[name] = choice === 'fits' ? valid : pick(candidateValues[name]);
    }
    if (usesOn) variables.on = pick([true, false]);
    const head = declarations.length === 0 ? 'query' : `query (${declarations.join(', ')})`;
    const fragment = body.includes('...i') ? 'fragment i on Item { name deep { name broken } }' : '';
    return { text: `${head} { ${body} } ${fragment}`, variables };
  });

describe('a document', () => {
  it('returns the same as the reference implementation on every use', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(operations, async ({ text, variables }) => {
        const { results, reference, refused } = await executeThreeTimes(text, variables);
        // A document with a nullable variable for a non-null argument is invalid.
        if (refused !== undefined) return;
        compared++;
        expect(results).toEqual([reference, reference, reference]);
      }),
      { numRuns: 1000 },
    );
    expect(compared).toBeGreaterThan(150);
  });

  it.each([
    [
      'an input that omits a member with a default',
      'query ($filled: Filled) { echo(filled: $filled) }',
      { filled: {} },
    ],
    [
      'a list of inputs that omit a member with a default',
      'query ($list: [Filled!]) { echo(filledList: $list) }',
      { list: [{}] },
    ],
    [
      'a variable without a value inside a literal',
      'query ($n: Int) { echo(plain: {n: $n, side: BUY}) }',
      {},
    ],
    ['an omitted variable inside free-form JSON', 'query ($n: Int) { echo(any: {a: $n, b: [$n]}) }', {}],
    [
      'a conditional fragment that merges with unconditional fields',
      'query ($on: Boolean = false) { item { ...i @include(if: $on) } item { deep { ...i } } } fragment i on Item { deep { name } name }',
      {},
    ],
    [
      'a default with more digits than a double can hold',
      'query ($any: JSON = [1.0000000000000000001]) { echo(any: $any) }',
      {},
    ],
  ])('is executed by the reference implementation if it has %s', async (_what, text, variables) => {
    const { results, reference } = await executeThreeTimes(text, variables);
    expect(reference!.errors).toEqual([]);
    expect(results).toEqual([reference, reference, reference]);
  });

  it('executes mutations serially', async () => {
    const { results, reference } = await executeThreeTimes(
      'mutation { first { name } second { broken } again: first { name } }',
      {},
    );
    expect(Object.keys(results![2]!.data as object)).toEqual(['first', 'second', 'again']);
    expect(results).toEqual([reference, reference, reference]);
  });

  it('with fragments that double is executed like a single selection, and rejected if they double too often', async () => {
    const doubling = (times: number) => {
      const fragments = Array.from(
        { length: times },
        (_, i) => `fragment f${i} on Item { ...f${i + 1} ...f${i + 1} }`,
      );
      return executeThreeTimes(
        `{ item { ...f0 } } ${fragments.join(' ')} fragment f${times} on Item { name }`,
        {},
      );
    };
    const { results, reference } = await doubling(8);
    expect(results).toEqual([reference, reference, reference]);
    expect(reference!.data).toEqual({ item: { name: 'a' } });
    // The compiler would expand all 40 levels.
    expect((await doubling(40)).refused).toHaveLength(1);
  });
});

describe('the cache', () => {
  it('finds a document by its text and its operation name', async () => {
    const documents = new DocumentCache(schema);
    const [a, b] = ['query A { item { name } }', 'query B { item { price } }'];
    const run = async (text: string, name: string | undefined) => {
      const prepared = documents.prepare(text, name);
      if ('errors' in prepared) return prepared.errors.map(({ message }) => message);
      return JSON.parse(
        JSON.stringify((await documents.execute({ document: prepared.document, rootValue: root })).data),
      ).item;
    };
    for (let use = 0; use < 3; use++) {
      expect(await run(a, 'A')).toEqual({ name: 'a' });
      expect(await run(a, undefined)).toEqual({ name: 'a' });
      expect(await run(b, 'B')).toEqual({ price: '0.100000000000000001' });
      expect(await run(a, 'B')).toEqual(['The document has no operation with this name.']);
      expect(await run(`${a} ${b}`, 'A')).toEqual(['Send only one operation per request.']);
      expect(await run(`${a} ${b}`, 'B')).toEqual(['Send only one operation per request.']);
    }
  });

  it('distinguishes texts and names whose concatenation is the same', () => {
    const text = '{\n item { name }\n}';
    const documents = new DocumentCache(schema);
    for (const [name, rest] of [
      ['{', text.slice(1)],
      ['{\n', text.slice(2)],
      ['\n{', text.slice(1)],
      ['\n{', text.slice(2)],
    ] as const)
      expect(documents.prepare(rest, name)).toHaveProperty('errors');
    expect(documents.prepare(text, undefined)).not.toHaveProperty('errors');
  });

  it('prepares a document once', () => {
    const documents = new DocumentCache(schema);
    expect(documents.prepare('{ __typename }', undefined)).toBe(documents.prepare('{ __typename }', null));
    expect(documents.prepare('{ no }', undefined)).toBe(documents.prepare('{ no }', ''));
  });

  it.each([
    ['1,000 documents', 1_000, 0],
    ['documents of 1,000,000 characters', 10, 100_000],
  ])('evicts the documents used least recently beyond %s', (_limit, count, padding) => {
    const documents = new DocumentCache(schema);
    const text = (name: string) => `{ ${name}: __typename }${' '.repeat(padding)}`;
    const [oldest, used] = ['oldest', 'used'].map((name) => documents.prepare(text(name), undefined));
    for (let i = 0; i < count - 1; i++) {
      documents.prepare(text(`a${i}`), undefined);
      expect(documents.prepare(text('used'), undefined)).toBe(used);
    }
    expect(documents.prepare(text('oldest'), undefined)).not.toBe(oldest);
  });
});

describe('a rejected document', () => {
  const documents = new DocumentCache(schema);
  const codes = (text: string) => {
    const prepared = documents.prepare(text, undefined);
    if (!('errors' in prepared)) return [];
    return prepared.errors.map(
      ({ originalError }) =>
        (originalError as { details?: { code: string }[] } | undefined)?.details?.[0]?.code ?? 'no code',
    );
  };

  it('has the code too_long if it has more than 1,000 tokens', () => {
    const documentOf = (tokens: number) => `{ ${'a '.repeat(tokens - 2)}}`;
    expect(codes(documentOf(1_000))).toEqual(['too_many_root_fields']);
    expect(codes(documentOf(1_001))).toEqual(['too_long']);
    expect(codes('{ a } tokens')).toEqual(['no code']);
  });

  it('discloses nothing of the schema to unauthenticated callers', () => {
    for (const text of [
      '{ item { nam } }',
      '{ item { name } nothing }',
      'query ($x: Plain) { __typename }',
      '{ __typename } fragment f on Item { secret }',
      '{ echo(sid: BUY) }',
    ]) {
      const prepared = documents.prepare(text, undefined);
      if (!('errors' in prepared)) throw new Error('the document was accepted');
      expect(prepared.anonymousErrors.map(({ message, locations }) => [message, locations])).toEqual([
        ['The document does not match the schema. Send credentials to get the details.', undefined],
      ]);
    }
  });

  it('has the root fields that it selects, also through fragments', () => {
    const text =
      '{ a: item { name } ...f ... { __typename } } fragment f on Query { ...g } fragment g on Query { no }';
    expect([...documents.prepare(text, undefined).rootFields].sort()).toEqual(['__typename', 'item', 'no']);
  });
});
