import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PARTS, partsNamed } from './parts.mjs';
import { isCurrent, readPasses, recordPass, tableOf } from './passes.mjs';

const pass = { passedAt: '2026-01-02T03:04:05.000Z', commit: 'abc', seconds: 600 };
let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nightly-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('stores the last pass of each part', () => {
  const file = join(folder, 'data', 'nightly.json');
  expect(readPasses(file)).toEqual({});
  recordPass(file, 'storm', { ...pass, commit: 'old' });
  recordPass(file, 'defences', pass);
  recordPass(file, 'storm', pass);
  expect(readPasses(file)).toEqual({ storm: pass, defences: pass });
});

it('runs a part again on another commit, or with uncommitted changes', () => {
  expect(isCurrent(pass, { commit: 'abc', isClean: true })).toBe(true);
  expect(isCurrent(pass, { commit: 'def', isClean: true })).toBe(false);
  expect(isCurrent(pass, { commit: 'abc', isClean: false })).toBe(false);
  expect(isCurrent(undefined, { commit: 'abc', isClean: true })).toBe(false);
});

it('prints each part with its last pass', () => {
  const lines = tableOf([{ name: 'storm' }, { name: 'faults' }], { storm: pass }, { faults: 'FAILED' });
  expect(lines.split('\n')).toEqual([
    'part    this run  last passed               commit  seconds',
    'storm   not run   2026-01-02T03:04:05.000Z  abc     600',
    'faults  FAILED    never',
  ]);
});

it('finds parts by name or prefix, and lists the choices if none matches', () => {
  expect(partsNamed(['faults']).map(({ name }) => name)).toEqual([
    'faults-kills',
    'faults-servers',
    'faults-measured',
  ]);
  expect(partsNamed([])).toEqual(PARTS);
  expect(() => partsNamed(['fault'])).toThrow('unknown part: fault. Use faults-kills, faults-servers, ');
});

it('runs the long form of every fault', () => {
  const files = readdirSync(join(import.meta.dirname, '..', '..', 'faults')).filter((name) =>
    /^f\d\d\.mjs$/.test(name),
  );
  const faultIds = PARTS.filter(({ args }) => args.includes('long')).flatMap(({ args }) =>
    args.filter((arg) => /^F\d+$/.test(arg)),
  );
  expect(faultIds.sort()).toEqual(files.map((name) => `F${Number(name.slice(1, 3))}`).sort());
});
