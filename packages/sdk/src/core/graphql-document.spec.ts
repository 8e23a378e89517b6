import { ERRORS } from '@trading-automation/contracts';
import fc from 'fast-check';
import { parse, print } from 'graphql';
import { BOOK_DOCUMENT } from '../realtime/book-source.js';
import { SIGNAL_DOCUMENT } from '../realtime/signal-source.js';
import { graphqlErrorOf, statusOf } from './graphql.js';
import { textOf } from './graphql-document.js';

const parseTree = (text: string) => parse(text, { noLocation: true });
/** Normalizes a document, so that block strings and quoted strings compare as equal. */
const normalized = (text: string) =>
  print(JSON.parse(JSON.stringify(parseTree(text), (name, value) => (name === 'block' ? false : value))));

it.each([
  SIGNAL_DOCUMENT,
  BOOK_DOCUMENT,
  '{ a }',
  'mutation Make($input: [In!]! = [{a: 1, b: "x\\n\\"y\\u0007", c: [ONE, true, null, -1.5e3]}] @d(e: 1)) @live { make(input: $input) { id } }',
  'query Q($a: [Int], $b: String = """a "block" \\""" of\n  two lines""") { x: y(z: {}, w: [], v: $a) @skip(if: true) @include(if: $b) { ...F @d ... on T { u } ... @d { u } ... { u } } } fragment F on T @d { id }',
  'subscription S { tick }',
])('a printed document parses to the same document: %s', (text) => {
  expect(normalized(textOf(parseTree(text) as never))).toBe(normalized(text));
});

it('a printed string value parses to the same value', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      const document = { ...parseTree('{ a(b: "x") }') } as unknown as Record<string, unknown>;
      const text = textOf(
        JSON.parse(JSON.stringify(document), (_key, part) =>
          part?.kind === 'StringValue' ? { ...part, value } : part,
        ),
      );
      expect(JSON.stringify(parseTree(text))).toContain(JSON.stringify(value));
    }),
  );
});

it('the tree is printed instead of its original source, because the tree may have been changed', () => {
  const document = parse('{ a }');
  const changed = { ...document, definitions: parse('{ b }').definitions };
  expect(print(parse(textOf(changed as never)))).toBe(print(parse('{ b }')));
});

describe('in GraphQL,', () => {
  it('each error code has the same status as in REST', () => {
    for (const [code, { status }] of Object.entries(ERRORS))
      expect([code, statusOf(code)]).toEqual([code, status]);
  });

  it.each([undefined, 7, '', 'rate', 'a_code_of_tomorrow', 'not_found conflict'])(
    'an unknown code, %s, has the status of a GraphQL response with errors',
    (code) => expect(statusOf(code)).toBe(200),
  );

  it('only a result with errors is an error, even if the error is empty', () => {
    expect(graphqlErrorOf({ data: { a: 1 } })).toBeUndefined();
    expect(graphqlErrorOf({ data: null, errors: [] })).toBeUndefined();
    expect(graphqlErrorOf({ errors: [{}] })).toMatchObject({ code: 'unknown', status: 200, details: [] });
  });
});
