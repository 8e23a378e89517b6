/** Writes openapi.json from the built contract. Run `npm run generate` at the root: it builds first. */
import { writeFileSync } from 'node:fs';
import { OPERATIONS } from '@trading-automation/contracts';
import { SAMPLES } from '@trading-automation/contracts/samples';
import { documentText } from '../dist/reference/openapi-document.js';
import { readVectors } from '../dist/reference/vectors.js';

const vectors = readVectors(new URL('../../../packages/signed-request/vectors/', import.meta.url));
writeFileSync(
  new URL('../openapi.json', import.meta.url),
  documentText({ operations: OPERATIONS, samples: SAMPLES, vectors }),
);
