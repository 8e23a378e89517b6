import { DomainError } from '@trading-automation/contracts';
import { createLogger } from '@trading-automation/runtime';
import { buildSchema, execute, GraphQLError, parse, validate } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { documentError, formatError } from './errors.js';
import { SCALARS } from './scalars.js';

let log: string[];
const format = (error: Error) =>
  formatError(error, 'r1', createLogger('spec', 'debug', { write: (line) => void log.push(line) }));
beforeEach(() => {
  log = [];
});

describe('an expected error', () => {
  it('is returned with its code, details, request id and path', () => {
    const domainError = new DomainError('not_found', 'Gone.', [
      { field: 'id', code: 'invalid', message: 'y' },
    ]);
    const error = new GraphQLError('wrapped', { originalError: domainError, path: ['a', 0] });
    expect(format(new GraphQLError('again', { originalError: error, path: ['a', 0] }))).toEqual({
      message: 'Gone.',
      path: ['a', 0],
      extensions: { code: 'not_found', details: domainError.details, request_id: 'r1' },
    });
    expect(log).toEqual([]);
  });

  it('contains the seconds to wait before a retry', () => {
    const error = new DomainError('rate_limited', undefined, [], { retryAfterSeconds: 6.2 });
    expect(format(error).extensions.retry_after).toBe(7);
  });

  it('of a document has a specific code in its details', () => {
    expect(format(documentError('too_deep', 'Too deep.'))).toEqual({
      message: 'Too deep.',
      extensions: {
        code: 'validation_failed',
        details: [{ field: 'query', code: 'too_deep', message: 'Too deep.' }],
        request_id: 'r1',
      },
    });
  });
});

describe('an internal error', () => {
  it.each([
    ['an error', new Error('SELECT s3cret')],
    [
      'an error at a path',
      new GraphQLError('SELECT s3cret', { originalError: new Error('SELECT s3cret'), path: ['a'] }),
    ],
    [
      'a response that does not match the schema',
      new GraphQLError('Cannot return null: s3cret', { path: ['a'] }),
    ],
  ])('discloses no details and is logged with the request id: %s', (_what, error) => {
    const formatted = format(error);
    expect(formatted.extensions).toEqual({ code: 'internal_error', request_id: 'r1' });
    expect(formatted.message).not.toContain('s3cret');
    expect(log).toHaveLength(1);
    expect(JSON.parse(log[0]!)).toMatchObject({ request_id: 'r1', msg: 'The request failed.' });
  });
});

describe('an invalid value', () => {
  const schema = buildSchema(`
    scalar DateTime
    enum Side { BUY SELL }
    input In { n: Int, s: String, side: Side, at: DateTime, inner: Inner, list: [Int!], b: Boolean, id: ID, f: Float }
    input Inner { n: Int, inner: Innermost }
    input Innermost { s: String }
    type Query { a(in: In, n: Int, s: String): Int b: Int }
  `);
  Object.assign(schema.getType('DateTime')!, SCALARS.DateTime);
  const invalidInputs = [
    { n: 's3cret; s3cret' },
    { n: 's3cret at "s3cret"; s3cret' },
    { n: { password: 's3cret' } },
    { s: 42_424_242 },
    { side: 's3cret; does not exist' },
    { side: { s3cret: 's3cret' } },
    { at: { key: 's3cret' } },
    { inner: { inner: { s: ['s3cret; x'] } } },
    { list: ['s3cret', null] },
    { list: [null], s: 's3cret' },
    { b: 's3cret' },
    { id: { x: 's3cret' } },
    { f: 's3cret; "s3cret"' },
    { n: 42_424_242_424 },
    's3cret',
    { unknown: 's3cret', s: 's3cret' },
  ];

  it.each(invalidInputs)('is reported without the value: %j', async (value) => {
    const document = parse('query ($in: In) { a(in: $in) }');
    const variables = { in: value };
    const compiled = compileQuery(schema, document, '');
    if (!isCompiledQuery(compiled)) throw new Error('the document was not compiled');
    const results = [
      await execute({ schema, document, variableValues: variables }),
      await compiled.query(undefined, undefined, variables),
    ];
    for (const { errors } of results) {
      expect(errors!.length).toBeGreaterThan(0);
      for (const error of errors!) {
        const { message, extensions } = format(error);
        expect(extensions.code).toBe('validation_failed');
        // For a member of an input, graphql-jit names the member instead of the variable: `$n` instead of `$in`.
        expect(message).toMatch(/^Variable "\$\w+" got an invalid value/);
        expect(message).not.toMatch(/s3cret|4242|password/);
      }
    }
  });

  it('is reported with its path in the variable', async () => {
    const document = parse('query ($in: In) { a(in: $in) }');
    const { errors } = await execute({ schema, document, variableValues: { in: { inner: { n: 'x' } } } });
    expect(format(errors![0]!).message).toBe(
      'Variable "$in" got an invalid value at "in.inner.n"; Int cannot represent non-integer value.',
    );
  });

  it.each([
    '{ a(n: "s3cret") }',
    '{ a(s: {s3cret: "s3cret"}) }',
    '{ a(in: {side: s3cret}) }',
    '{ a(in: {side: "s3cret"}) }',
    '{ a(in: {n: 4242424242}) }',
    '{ a(in: "s3cret") }',
    '{ a(nn: 1) }',
    '{ bb }',
    '{ a(in: {sid: BUY}) }',
  ])('or an unknown name in a document is reported without literals and suggestions: %s', (text) => {
    for (const error of validate(schema, parse(text))) {
      const { message, locations } = format(error);
      expect(message).not.toMatch(/s3cret|4242|did you mean/i);
      expect(locations).toHaveLength(1);
    }
  });
});
