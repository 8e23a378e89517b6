/**
 * Sends generated bodies and queries to the running API. No request may cause an internal error or remain without a
 * response, and every response must match its contract. Bodies are generated from the contract's schemas, and some are
 * corrupted. Ids belong to the caller or to another user, or are unknown or malformed.
 *
 * FUZZ_RUNS sets the total number of requests, FUZZ_SEED the seed. The nightly tests send 40,000.
 */
import { type IdPrefix, OPERATIONS, type Operation } from '@trading-automation/contracts';
import fc from 'fast-check';
import { z } from 'zod';
import { expectContract, goodRequest, malformedIds, perform, populate, unknownId } from './contract.js';
import type { GoodRequest } from './requests.js';
import { TestEnvironment } from './test-environment.js';
import { TestUser } from './test-user.js';

const RUNS = Number(process.env.FUZZ_RUNS ?? 10_000);
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
/** The test fails if the response to one request takes longer. */
const RESPONSE_TIMEOUT_MS = 30_000;

interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly idPrefix?: IdPrefix;
  readonly format?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

let environment: TestEnvironment;
let owner: TestUser;
/** Ids of existing records of the caller and of another user, by prefix. */
let ids: Map<string, string[]>;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  owner = await TestUser.create(environment);
  const other = await TestUser.create(environment);
  ids = new Map();
  for (const user of [owner, other]) {
    await populate(user);
    for (const operation of OPERATIONS) {
      const { params = {}, body = {} } = await goodRequest(operation, user);
      for (const id of [...Object.values(params), ...Object.values(body as object).flat()]) {
        if (typeof id !== 'string' || !/^[a-z]{3}_.{26}$/.test(id)) continue;
        const prefix = id.slice(0, 3);
        ids.set(prefix, [...(ids.get(prefix) ?? []), id]);
      }
    }
  }
});
afterAll(() => environment?.close());

const HOSTILE = [
  '',
  ' ',
  "' OR 1=1 --",
  '"; DROP TABLE trades; --',
  '%00',
  '\u0000',
  '\ud800',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '{{7*7}}',
  '1e400',
  '-0',
  'NaN',
  'null',
  '9'.repeat(400),
  'a'.repeat(5000),
  '𝒳'.repeat(50),
  '\r\nset-cookie: a=b',
];
const KNOWN_WORDS = ['paper', 'spot', 'BTC/USDT', 'created_at', 'https://receiver.example/x', 'trade.*', '*'];

const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 2, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 3, arbitrary: fc.constantFrom(...KNOWN_WORDS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);
const anyNumber = fc.oneof(
  fc.integer({ min: -5, max: 200 }),
  fc.constantFrom('0.001', '1e-18', '1e-19', '99999999999999999999', '1e30', '-1', '0', 'NaN', 'Infinity'),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const junk = fc.oneof(fc.jsonValue({ maxDepth: 3 }), anyText, fc.constant({}), fc.constant([]));

function idsOf(prefix: IdPrefix): fc.Arbitrary<unknown> {
  const existing = ids.get(prefix) ?? [];
  const notExisting = fc.constantFrom(unknownId(prefix), ...malformedIds(prefix));
  return existing.length === 0
    ? notExisting
    : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...existing) }, { weight: 1, arbitrary: notExisting });
}

/** Generates values that mostly match the schema. One in twenty values, at any depth, is replaced by junk. */
function valuesOf(schema: JsonSchema, defs: JsonSchema['$defs'] = schema.$defs): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 19, arbitrary: matchingValues(schema, defs) }, { weight: 1, arbitrary: junk });
}

function matchingValues(schema: JsonSchema, defs: JsonSchema['$defs']): fc.Arbitrary<unknown> {
  const inner = (one: JsonSchema) => valuesOf(one, defs);
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    return inner(defs?.[name] ?? {});
  }
  if (schema.idPrefix !== undefined) return idsOf(schema.idPrefix);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map(inner));
  switch (schema.type) {
    case 'object':
      return objectsOf(schema, defs);
    case 'array':
      return fc.array(inner(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 4 });
    case 'string':
      return textsOf(schema);
    case 'number':
    case 'integer':
      return anyNumber;
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.oneof(anyNumber, anyText, junk);
  }
}

function objectsOf({ properties = {}, required = [] }: JsonSchema, defs: JsonSchema['$defs']) {
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema, defs)]),
  );
  const complete = fc.record(members, { requiredKeys: [...required] });
  const incomplete = fc.record(members, { requiredKeys: [] });
  const withUnknownMembers = fc
    .tuple(complete, fc.dictionary(fc.string({ maxLength: 12 }), junk, { maxKeys: 2 }))
    .map(([known, unknown]) => ({ ...known, ...unknown }));
  return fc.oneof(
    { weight: 8, arbitrary: complete },
    { weight: 1, arbitrary: incomplete },
    { weight: 1, arbitrary: withUnknownMembers },
  );
}

function textsOf({ pattern, format }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'date-time')
    return fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
      .map((date) => date.toISOString());
  if (pattern === undefined) return anyText;
  return fc.oneof({ weight: 9, arbitrary: matching(pattern) }, { weight: 1, arbitrary: anyText });
}

const matchingByPattern = new Map<string, fc.Arbitrary<string>>();

/** Returns a cached generator of strings that match the pattern. Creating a generator is slow. */
function matching(pattern: string): fc.Arbitrary<string> {
  const arbitrary = matchingByPattern.get(pattern) ?? fc.stringMatching(new RegExp(pattern));
  matchingByPattern.set(pattern, arbitrary);
  return arbitrary;
}

const schemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

const LIST_QUERY: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  limit: fc.oneof(fc.integer({ min: -1, max: 120 }), anyText),
  offset: fc.oneof(fc.integer({ min: -1, max: 50 }), anyText),
  cursor: anyText,
  sort: fc.oneof(fc.constant('created_at'), anyText),
  order: fc.oneof(fc.constantFrom('asc', 'desc'), anyText),
  include: fc.oneof(fc.constant('total'), anyText),
};

/** Generates requests to an operation from its schemas. */
function requestsTo(operation: Operation): fc.Arbitrary<GoodRequest> {
  const { params, query, body, list } = operation;
  const membersOf = (schema: z.ZodObject | undefined) =>
    Object.fromEntries(
      Object.entries(schemaOf(schema ?? z.object({})).properties ?? {}).map(([name, one]) => [
        name,
        valuesOf(one),
      ]),
    );
  const asText = (values: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    );
  const isWellFormed = (texts: Record<string, string>) =>
    Object.values(texts).every((text) => text.isWellFormed());
  const texts = (members: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[]) =>
    fc
      .record(members, { requiredKeys })
      .map((values) => asText(values as Record<string, unknown>))
      .filter(isWellFormed);
  const path = membersOf(params);
  return fc.record({
    params: texts(path, Object.keys(path)).map((values) =>
      Object.fromEntries(Object.entries(values).map(([name, text]) => [name, text === '' ? 'x' : text])),
    ),
    query: texts({ ...membersOf(query), ...(list === undefined ? {} : LIST_QUERY) }, []),
    ...(operation.method === 'GET'
      ? {}
      : { body: body === undefined ? fc.constant(undefined) : valuesOf(schemaOf(body)) }),
  }) as fc.Arbitrary<GoodRequest>;
}

const fuzzedOperations = OPERATIONS.filter(({ stream }) => stream !== true);
const runsPerOperation = Math.ceil(RUNS / fuzzedOperations.length);
let sent = 0;

it.each(fuzzedOperations.map((operation) => [operation.id, operation] as const))(
  '%s responds to every request as its contract allows',
  async (_id, operation) => {
    const requests = fc.sample(requestsTo(operation), { numRuns: runsPerOperation, seed: SEED });
    for (const request of requests) {
      const response = await Promise.race([perform(operation, owner, request), timeOut(request)]);
      if (response.status >= 500 || response.status < 200)
        throw new Error(`${response.status} for ${JSON.stringify(request)}: ${response.text}`);
      try {
        expectContract(operation, response);
      } catch (error) {
        throw new Error(
          `the response to ${JSON.stringify(request)} does not match the contract: ${response.text}`,
          {
            cause: error,
          },
        );
      }
      sent++;
    }
  },
  300_000,
);

it('all requests were sent, the API still responds, and no request polluted Object.prototype', async () => {
  expect(sent).toBeGreaterThanOrEqual(RUNS);
  expect(await owner.requireData('GET', '/v1/me')).toMatchObject({ id: owner.id });
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

async function timeOut(request: GoodRequest): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, RESPONSE_TIMEOUT_MS).unref());
  throw new Error(`no response to ${JSON.stringify(request)}`);
}
