import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'packages', 'core', 'src', 'database', 'migrations');
/** The SHA-256 of each migration file, as it was committed first. */
const landed = JSON.parse(readFileSync(join(import.meta.dirname, 'landed-migrations.json'), 'utf8'));

const hashOf = (/** @type {string} */ file) =>
  createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('hex');

describe('the migrations', () => {
  const files = readdirSync(folder).sort();
  const hashes = Object.fromEntries(files.map((file) => [file, hashOf(file)]));

  it('are never edited or removed: correct a mistake by a new migration', () => {
    expect(files.length).toBeGreaterThan(40);
    expect(hashes).toMatchObject(landed);
  });

  it('are all in landed-migrations.json: add the hash of a new one', () => {
    expect(Object.entries(hashes).filter(([file]) => !(file in landed))).toEqual([]);
  });
});
