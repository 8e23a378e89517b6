import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import {
  ERRORS,
  type ErrorCode,
  EVENT_TYPES,
  errorDetailOf,
  eventCatalogueEntries,
  OPERATIONS,
  REST_ERRORS,
} from '@trading-automation/contracts';
import { exampleId, SAMPLES } from '@trading-automation/contracts/samples';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { z } from 'zod';
import { errorCodesOf } from './error-responses.js';
import { documentText } from './openapi-document.js';
import { SchemaComponents } from './schema-components.js';
import { readVectors } from './vectors.js';

interface Media {
  readonly schema: object;
  readonly examples?: Record<string, { value?: unknown; $ref?: string }>;
}
interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: object[];
  readonly parameters: { name?: string; $ref?: string }[];
  readonly requestBody?: { content: { 'application/json': Media } };
  readonly responses: Record<string, { readonly $ref?: string }>;
  readonly 'x-permission': string;
  readonly 'x-codeSamples'?: { source: string }[];
}
interface Document {
  readonly info: { description: string };
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
  readonly webhooks: Record<string, { post: DocumentedOperation }>;
  readonly components: Record<string, Record<string, { value?: unknown; 'x-error-codes'?: string[] }>>;
}

const vectors = readVectors(new URL('../../../../packages/signed-request/vectors/', import.meta.url));
const text = documentText({ operations: OPERATIONS, samples: SAMPLES, vectors });
const document = JSON.parse(text) as Document;
const documentedOperations = Object.values(document.paths).flatMap((path) => Object.values(path));
const operationAt = (path: string, method: string) =>
  document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
for (const format of ['typeid', 'decimal', 'cidrv4', 'cidrv6']) ajv.addFormat(format, true);
ajv.addSchema({ $id: 'api', components: document.components });

/** Returns whether a value matches a schema of the document. */
function matchesSchema(schema: object, value: unknown): boolean {
  return ajv.validate(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')), value);
}

interface PlacedExample {
  readonly place: string;
  readonly schema: object;
  readonly value: unknown;
}

/** Returns every example below a node, with the schema that it has to match. */
function examplesIn(node: unknown, place = '#'): PlacedExample[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap((item, at) => examplesIn(item, `${place}/${at}`));
  const { examples, example, schema } = node as { examples?: unknown; example?: unknown; schema?: object };
  const found: PlacedExample[] = [];
  const add = (value: unknown, of: object | undefined) => {
    if (of !== undefined) found.push({ place, schema: of, value });
  };
  if (Array.isArray(examples)) for (const value of examples) add(value, node);
  else if (typeof examples === 'object' && examples !== null && schema !== undefined)
    for (const each of Object.values(examples as Record<string, { value?: unknown; $ref?: string }>))
      add(each.$ref === undefined ? each.value : valueAt(each.$ref), schema);
  if (example !== undefined) add(example, schema ?? node);
  return [
    ...found,
    ...Object.entries(node).flatMap(([name, member]) =>
      ['examples', 'example', 'x-codeSamples', 'default', 'const', 'enum'].includes(name)
        ? []
        : examplesIn(member, `${place}/${name}`),
    ),
  ];
}

/** Returns the `value` of the example that a reference names. */
function valueAt(reference: string): unknown {
  return document.components.examples![reference.split('/').at(-1)!]!.value;
}

describe('the OpenAPI document', () => {
  it('is committed as the contract generates it (`npm run generate` updates it)', () => {
    const committed = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
    expect(committed === text).toBe(true);
  });

  it('is valid OpenAPI 3.1 according to an independent validator', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(text));
    expect([valid, errors]).toEqual([true, undefined]);
  });

  it('has every operation at its method and path, with its permission; only public ones need no credentials', () => {
    for (const { id, method, path, access } of OPERATIONS) {
      const entry = operationAt(path, method);
      expect([id, entry?.operationId, entry?.['x-permission']]).toEqual([id, id, access]);
      expect([id, entry?.security.length === 0]).toEqual([id, access === 'PUBLIC']);
    }
    expect(documentedOperations).toHaveLength(OPERATIONS.length);
  });

  it('lists exactly the error codes of each operation, by status', () => {
    for (const operation of OPERATIONS) {
      const { responses } = operationAt(operation.path, operation.method)!;
      const documented = Object.entries(responses).flatMap(([status, { $ref = '' }]) => {
        const response = document.components.responses![$ref.split('/').at(-1)!];
        return (response?.['x-error-codes'] ?? []).map((code) => [code, Number(status)]);
      });
      const expected = errorCodesOf(operation).map((code) => [code, ERRORS[code].status]);
      expect(documented.sort()).toEqual(expected.sort());
    }
  });

  it('has no unresolved references', () => {
    const references = [...text.matchAll(/"\$ref": "([^"]+)"/g)].map(([, reference]) => reference!);
    expect(references.length).toBeGreaterThan(100);
    for (const reference of new Set(references)) {
      const [root, ...path] = reference.split('/');
      const target = path.reduce<unknown>(
        (node, name) => (node as Record<string, unknown> | undefined)?.[name],
        document,
      );
      expect([reference, root, typeof target]).toEqual([reference, '#', 'object']);
    }
  });

  it('has example bodies that match their schema', () => {
    let exampleCount = 0;
    for (const { operationId, requestBody } of documentedOperations) {
      const media = requestBody?.content['application/json'];
      for (const { value } of Object.values(media?.examples ?? {})) {
        expect([operationId, matchesSchema(media!.schema, value)]).toEqual([operationId, true]);
        exampleCount++;
      }
    }
    expect(exampleCount).toBeGreaterThan(4);
  });

  it('has only examples that match their schema, wherever they are', () => {
    const examples = examplesIn(document);
    const invalid = examples.filter(({ schema, value }) => !matchesSchema(schema, value));
    expect(invalid.map(({ place, value }) => ({ place, value }))).toEqual([]);
    expect(examples.length).toBeGreaterThan(200);
  });

  it('has the schema of the details of each error code, and the response of a status is one of its codes', () => {
    for (const [code, { value }] of Object.entries(document.components.examples!)) {
      const name = `${code
        .split('_')
        .map((word) => word[0]!.toUpperCase() + word.slice(1))
        .join('')
        .replace(/Error$/, '')}Error`;
      expect([code, matchesSchema({ $ref: `#/components/schemas/${name}` }, value)]).toEqual([code, true]);
      const withDetails = structuredClone(value) as { error: { details?: object[] } };
      withDetails.error.details = [{ field: 1, code: 'x', message: 'x' }];
      const isTyped = errorDetailOf(code as ErrorCode) !== undefined;
      expect([code, matchesSchema({ $ref: `#/components/schemas/${name}` }, withDetails)]).toEqual([
        code,
        !isTyped,
      ]);
    }
    for (const response of Object.values(document.components.responses!)) {
      const codes = response['x-error-codes'];
      if (codes === undefined) continue;
      const { content } = response as unknown as { content: { 'application/json': Media } };
      const { schema } = content['application/json'];
      expect(JSON.stringify(schema).match(/\$ref/g)).toHaveLength(codes.length);
      for (const [code, { value }] of Object.entries(document.components.examples!))
        expect([codes, code, matchesSchema(schema, value)]).toEqual([codes, code, codes.includes(code)]);
    }
  });

  it('has patterns without needless escapes, described tags and a contact', () => {
    const patterns = [...text.matchAll(/"pattern": (".*")/g)].map(
      ([, pattern]) => JSON.parse(pattern!) as string,
    );
    expect(patterns.length).toBeGreaterThan(20);
    expect(patterns.filter((pattern) => /\\\/|\\-\]/.test(pattern))).toEqual([]);
    for (const pattern of patterns) expect(() => new RegExp(pattern, 'u')).not.toThrow();
    const { tags, info } = document as unknown as {
      tags: { name: string; description: string }[];
      info: { contact: object };
    };
    expect(tags.every(({ description }) => /^[A-Z].+\.$/.test(description))).toBe(true);
    expect(info.contact).toEqual({ name: expect.any(String) });
  });

  it('has an example response for every error code', () => {
    expect(Object.keys(document.components.examples!)).toEqual(Object.keys(REST_ERRORS));
    for (const { value } of Object.values(document.components.examples!))
      expect(matchesSchema({ $ref: '#/components/schemas/Error' }, value)).toBe(true);
  });

  it('has samples of every operation in curl and JavaScript, without credentials', () => {
    for (const { operationId, 'x-codeSamples': samples = [] } of documentedOperations) {
      expect([operationId, samples.length]).toEqual([operationId, 2]);
      for (const { source } of samples) expect(source).not.toMatch(/svc_(live|test)_|whsec_/);
    }
  });

  it('has the parameter Idempotency-Key on every POST that is not a mere computation, and nowhere else', () => {
    for (const { id, method, path } of OPERATIONS) {
      const references = operationAt(path, method)!.parameters.map(({ $ref }) => $ref);
      const hasKey = method === 'POST' && id !== 'copiers.simulate';
      expect(references.includes('#/components/parameters/IdempotencyKey')).toBe(hasKey);
    }
  });

  it('has a webhook for every event type, with the schema of its record', () => {
    expect(Object.keys(document.webhooks)).toEqual([...EVENT_TYPES]);
    const empty = { event_id: exampleId('evt'), timestamp: '2026-01-31T12:00:00.000Z', data: {} };
    const withoutSchema = EVENT_TYPES.filter((type) => {
      const { schema } = document.webhooks[type]!.post.requestBody!.content['application/json'];
      expect(matchesSchema(schema, { ...empty, type: 'another' })).toBe(false);
      return matchesSchema(schema, { ...empty, type });
    });
    expect(withoutSchema).toEqual([]);
  });

  it('has the sample of every event type from the event catalogue, and each sample matches its schema', () => {
    for (const { type, description, sample } of eventCatalogueEntries()) {
      const { post } = document.webhooks[type]!;
      const { schema, examples } = post.requestBody!.content['application/json'];
      expect(examples?.sample?.value).toEqual(JSON.parse(sample.text));
      expect([type, matchesSchema(schema, examples?.sample?.value)]).toEqual([type, true]);
      expect(post.description).toContain(description);
    }
  });

  it('has the parameter Last-Event-ID on every stream and nowhere else', () => {
    for (const { method, path, stream } of OPERATIONS) {
      const references = operationAt(path, method)!.parameters.map(({ $ref }) => $ref);
      expect(references.includes('#/components/parameters/LastEventId')).toBe(stream === true);
    }
  });

  it('contains the published signing vectors verbatim', () => {
    const { description } = document.info;
    for (const { canonical_string, body_sha256, headers } of vectors.requests)
      for (const part of [canonical_string, body_sha256, headers['x-svc-sig']])
        expect(description).toContain(part);
    expect(description).toContain(vectors.identity.message);
    expect(description).toContain(vectors.identity.signature);
  });

  it('has the meaning and the resolution of every error code', () => {
    for (const [code, { status, meaning, resolution }] of Object.entries(REST_ERRORS))
      expect(document.info.description).toContain(`| ${status} | \`${code}\` | ${meaning} | ${resolution} |`);
  });
});

describe('the schemas', () => {
  it.each([
    [1.5, true],
    ['0.000000000000000001', true],
    ['1e-7', false],
    [1e-7, true],
    [0, false],
    ['abc', false],
    [null, false],
  ])('accept %j as a positive decimal: %p', (value, expected) => {
    expect(matchesSchema({ $ref: '#/components/schemas/PositiveDecimal' }, value)).toBe(expected);
  });

  it('allow additional members in responses, but not in bodies', () => {
    const components = new SchemaComponents();
    expect(components.of(z.object({ a: z.string() }), 'output').additionalProperties).toBeUndefined();
    expect(components.of(z.strictObject({ a: z.string() }), 'input').additionalProperties).toBe(false);
  });

  it('describe an id with its prefix and a matching example', () => {
    const { properties } = document.components.schemas!.Trade as unknown as {
      properties: Record<string, { examples: string[]; 'x-id-prefix': string }>;
    };
    const id = properties.exchange_account_id!;
    expect(id['x-id-prefix']).toBe('exa');
    expect(matchesSchema(id, id.examples[0])).toBe(true);
  });

  it('cannot be defined if another schema has the same id', () => {
    const components = new SchemaComponents();
    components.define('Thing', { type: 'string' });
    expect(() => components.define('Thing', { type: 'number' })).toThrow('names two schemas');
  });
});
