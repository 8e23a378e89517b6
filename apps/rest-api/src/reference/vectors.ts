import { readFileSync } from 'node:fs';
import type { IdentityVector, RequestVector, Vectors } from './introduction.js';

/** Names of the test vectors that the reference shows. One request has a query string, the other a body. */
const SHOWN = ['GET with a query string', 'POST with a JSON body'];
const SHOWN_IDENTITY = 'signed by the key that it names';

/** Reads the vectors that the reference shows. `folder` has the published vectors and exists only in a checkout. */
export function readVectors(folder: URL): Vectors {
  return {
    requests: SHOWN.map((name) => find<RequestVector>(folder, 'requests-accepted.json', name)),
    identity: find<IdentityVector>(folder, 'cli-identities.json', SHOWN_IDENTITY),
  };
}

function find<Vector>(folder: URL, file: string, name: string): Vector {
  const { vectors } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as {
    vectors: (Vector & { name: string })[];
  };
  const vector = vectors.find((vector) => vector.name === name);
  if (vector === undefined) throw new Error(`${file} has no vector "${name}"`);
  return vector;
}
