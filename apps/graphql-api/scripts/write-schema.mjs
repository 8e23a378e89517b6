/**
 * Writes schema.graphql from the contracts and the handwritten `src/resolvers/*.graphql`. To run this script, call
 * `npm run generate` at the root, which first builds the code that this script imports.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { buildSchemaText } from '../dist/schema/build-schema.js';

const resolvers = new URL('../src/resolvers/', import.meta.url);
const handwritten = readdirSync(resolvers)
  .filter((file) => file.endsWith('.graphql'))
  .sort()
  .map((file) => readFileSync(new URL(file, resolvers), 'utf8'));
writeFileSync(new URL('../schema.graphql', import.meta.url), buildSchemaText(handwritten));
