import { OPERATIONS } from '../operations.js';
import { settingOperations } from '../settings.js';
import { tradeOperations } from '../trades.js';
import { exampleOf, referenceIn, resolve, SAMPLE_FIXTURES, SAMPLES } from './index.js';
import { withDerivedSamples } from './with-derived.js';

/** Returns every reference in a value. */
function referencesIn(value: unknown): string[] {
  const references: string[] = [];
  resolve(value, (reference) => {
    references.push(reference);
    return reference;
  });
  return references;
}

describe('the samples', () => {
  it('cover every operation', () => {
    const covered = new Set(SAMPLES.map(({ operation }) => operation.id));
    expect(OPERATIONS.filter(({ id }) => !covered.has(id)).map(({ id }) => id)).toEqual([]);
  });

  it('refer only to earlier responses and to fixtures', () => {
    const known = new Set<string>(SAMPLE_FIXTURES);
    for (const { as, params, query, body, operation } of SAMPLES) {
      for (const reference of referencesIn({ params, query, body }))
        expect([operation.id, known.has(referenceIn(reference)!.name)]).toEqual([operation.id, true]);
      if (as !== undefined) known.add(as);
    }
  });

  it.each(SAMPLES.map((sample) => [`${sample.operation.id}: ${sample.title}`, sample] as const))(
    'match the schemas with the values that the API reference shows: %s',
    (_name, { operation, params = {}, query = {}, body }) => {
      expect(Object.keys(params)).toEqual(Object.keys(operation.params?.shape ?? {}));
      const shownQuery = resolve(query, exampleOf);
      const ownQuery = Object.fromEntries(
        Object.entries(shownQuery).filter(([name]) => name in (operation.query?.shape ?? {})),
      );
      expect((operation.query?.safeParse(ownQuery) ?? { success: true }).success).toBe(true);
      const parsedBody = operation.body?.safeParse(resolve(body, exampleOf)) ?? { success: true };
      expect(parsedBody.success || (operation.bodyOptional === true && body === undefined)).toBe(true);
    },
  );
});

describe('withDerivedSamples', () => {
  const { list, get, create, cancel } = tradeOperations;
  const samples = [
    { operation: create, title: 'Place', as: 'resting', body: {} },
    { operation: cancel, title: 'Cancel', params: { id: '$resting.id' } },
  ];

  it('adds a sample for a GET, with the parameters of its resource and a title from its summary', () => {
    expect(withDerivedSamples([list, get, create, cancel], samples)).toEqual([
      ...samples,
      { operation: get, title: 'Returns a trade with its fills', params: { id: '$resting.id' } },
      { operation: list, title: 'Lists your trades' },
    ]);
  });

  it('adds no sample for a POST, nor for a GET whose parameters are in no other sample', () => {
    expect(withDerivedSamples([create, cancel, settingOperations.get], [])).toEqual([]);
  });
});
