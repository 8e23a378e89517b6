import { readFileSync } from 'node:fs';
import type { IdentityVector, RequestVector, Vectors } from './introduction.js';

/** The vectors that the reference works through: without a body, with a query, with a body. */
const SHOWN = ['GET with a query string', 'POST with a JSON body'];
const SHOWN_IDENTITY = 'signed by the key that it names';

/** Reads them from the folder of the published vectors, which only a checkout has. */
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
  const found = vectors.find((vector) => vector.name === name);
  if (found === undefined) throw new Error(`${file} has no vector "${name}"`);
  return found;
}
