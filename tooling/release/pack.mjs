import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { pack } from '../launch/packed-sdk.mjs';
import { PUBLISHED } from './published.mjs';

/** Packs the built packages that are published: `node tooling/release/pack.mjs <folder>` writes `<folder>/<name>.tgz`. */

const [folder] = process.argv.slice(2);
if (folder === undefined)
  throw new TypeError('Missing target folder. Use: node tooling/release/pack.mjs <folder>');
mkdirSync(folder, { recursive: true });
await pack(PUBLISHED, resolve(folder));
