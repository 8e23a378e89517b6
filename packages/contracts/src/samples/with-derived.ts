import type { Operation } from '../operation.js';
import type { Sample } from './sample.js';

/**
 * Adds a sample for each GET without one: with the parameters of another sample of its resource, right after that, or at
 * the end if it has none. Its title is the first sentence of the summary. A GET with other parameters gets no sample.
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
    if (namesIn(operation) === '') {
      all.push(common);
      continue;
    }
    const sibling = all.findIndex(
      (sample) =>
        resourceOf(sample.operation) === resourceOf(operation) &&
        namesIn(sample.operation) === namesIn(operation),
    );
    if (sibling >= 0) all.splice(sibling + 1, 0, { ...common, params: all[sibling]!.params! });
  }
  return all;
}

const resourceOf = ({ id }: Operation) => id.slice(0, id.indexOf('.'));
const namesIn = ({ params }: Operation) => Object.keys(params?.shape ?? {}).join();
