import type { Operation } from '../operation.js';
import type { Sample } from './sample.js';

/**
 * Adds a sample for each GET operation that has none. The title is the first sentence of the summary.
 *
 * 1. A GET with path parameters takes their values from a sample of the same resource and follows that sample.
 * 2. A GET without path parameters is added at the end.
 * 3. A GET gets no sample if no sample of its resource has the same path parameters.
 */
export function withDerivedSamples(
  operations: readonly Operation[],
  samples: readonly Sample[],
): readonly Sample[] {
  const all = [...samples];
  for (const operation of operations) {
    const { id, method, summary } = operation;
    if (method !== 'GET' || samples.some((sample) => sample.operation.id === id)) continue;
    const common = { operation, title: summary.replace(/\.(?: .*)?$/, '') };
    if (paramNamesIn(operation) === '') {
      all.push(common);
      continue;
    }
    const sibling = all.findIndex(
      (sample) =>
        resourceOf(sample.operation) === resourceOf(operation) &&
        paramNamesIn(sample.operation) === paramNamesIn(operation),
    );
    if (sibling >= 0) all.splice(sibling + 1, 0, { ...common, params: all[sibling]!.params! });
  }
  return all;
}

const resourceOf = ({ id }: Operation) => id.slice(0, id.indexOf('.'));
const paramNamesIn = ({ params }: Operation) => Object.keys(params?.shape ?? {}).join();
