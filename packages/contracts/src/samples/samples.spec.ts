import { OPERATIONS } from '../operations.js';
import { exampleOf, referenceIn, resolve, SAMPLE_FIXTURES, SAMPLES } from './index.js';

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
    'match the schemas with the values that the reference shows: %s',
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
