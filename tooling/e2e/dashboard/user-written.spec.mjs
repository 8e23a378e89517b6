import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXED, freeTexts, NOT_SHOWN, SHOWN, WRITTEN } from './user-written.mjs';

const file = join(import.meta.dirname, '..', '..', '..', 'apps', 'rest-api', 'openapi.json');
const { paths, components } = JSON.parse(readFileSync(file, 'utf8'));
const operations = Object.values(paths).flatMap((methods) => Object.values(methods));

/** The fields of requests, as `operation field`. */
const requested = operations.flatMap(({ operationId, requestBody }) =>
  Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
    freeTexts(components.schemas, schema, { follows: true }).map((path) => `${operationId} ${path}`),
  ),
);

/** The schemas of responses, without those of requests and of errors. */
const inputs = new Set();
const collect = (schema) => {
  for (const [, name] of JSON.stringify(schema ?? null).matchAll(/#\/components\/schemas\/(\w+)/g))
    if (!inputs.has(name)) {
      inputs.add(name);
      collect(components.schemas[name]);
    }
};
for (const { requestBody } of operations) collect(requestBody);
const returned = Object.entries(components.schemas)
  .filter(([name]) => !inputs.has(name) && !name.endsWith('Error'))
  .flatMap(([name, schema]) =>
    freeTexts(components.schemas, schema, { follows: false }).map((path) => `${name} ${path}`),
  );

describe('the lists of texts that a user writes', () => {
  it('have every field of a request into which markup can be written', () => {
    expect(requested.length).toBeGreaterThan(30);
    expect([...new Set(requested)].sort()).toEqual([...WRITTEN, ...NOT_SHOWN].sort());
  });

  it('have every field of a response that can contain it', () => {
    const isFixed = (field) =>
      FIXED.has(field) || FIXED.has(field.slice(field.indexOf(' ') + 1).replace(/^.*\[\]\./, ''));
    expect(SHOWN.filter((field) => !returned.includes(field))).toEqual([]);
    expect(returned.filter((field) => !SHOWN.includes(field) && !isFixed(field))).toEqual([]);
  });
});

describe('a schema', () => {
  it('accepts markup unless its values are listed or have a form without it', () => {
    const of = (schema) => freeTexts({}, { properties: { a: schema } }, { follows: true });
    for (const schema of [
      { type: 'string' },
      { type: ['string', 'null'] },
      {},
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ])
      expect(of(schema)).toEqual(['a']);
    for (const schema of [
      { type: 'string', enum: ['a'] },
      { const: 'a' },
      { type: 'string', pattern: '^[a-z]+$' },
      { type: 'string', format: 'date-time' },
      { type: 'number' },
    ])
      expect(of(schema)).toEqual([]);
    expect(of({ type: 'array', items: { properties: { b: { type: 'string' } } } })).toEqual(['a[].b']);
  });
});
