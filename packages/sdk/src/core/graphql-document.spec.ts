import fc from 'fast-check';
import { parse, print } from 'graphql';
import { BOOK_DOCUMENT } from '../realtime/book-source.js';
import { SIGNAL_DOCUMENT } from '../realtime/signal-source.js';
import { textOf } from './graphql-document.js';

const tree = (text: string) => parse(text, { noLocation: true });
/** In one form: a block string says the same as another one. */
const meaning = (text: string) =>
  print(JSON.parse(JSON.stringify(tree(text), (name, value) => (name === 'block' ? false : value))));

it.each([
  SIGNAL_DOCUMENT,
  BOOK_DOCUMENT,
  '{ a }',
  'mutation Make($input: [In!]! = [{a: 1, b: "x\\n\\"y\\u0007", c: [ONE, true, null, -1.5e3]}] @d(e: 1)) @live { make(input: $input) { id } }',
  'query Q($a: [Int], $b: String = """a "block" \\""" of\n  two lines""") { x: y(z: {}, w: [], v: $a) @skip(if: true) @include(if: $b) { ...F @d ... on T { u } ... @d { u } ... { u } } } fragment F on T @d { id }',
  'subscription S { tick }',
])('a document reads the same after it was written from its tree: %s', (text) => {
  expect(meaning(textOf(tree(text) as never))).toBe(meaning(text));
});

it('any string value is printed so that it parses to itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      const document = { ...tree('{ a(b: "x") }') } as unknown as Record<string, unknown>;
      const text = textOf(
        JSON.parse(JSON.stringify(document), (_key, part) =>
          part?.kind === 'StringValue' ? { ...part, value } : part,
        ),
      );
      expect(JSON.stringify(tree(text))).toContain(JSON.stringify(value));
    }),
  );
});

it('of a tree that knows its text, the tree counts: it may have been changed', () => {
  const document = parse('{ a }');
  const changed = { ...document, definitions: parse('{ b }').definitions };
  expect(print(parse(textOf(changed as never)))).toBe(print(parse('{ b }')));
});
