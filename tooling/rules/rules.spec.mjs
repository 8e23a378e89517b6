import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launch/paths.mjs';
import { drawFiles, drawTexts, shuffle } from './draw-sample.mjs';
import { PAGE, readLogEvents, renderLogEvents } from './log-events.mjs';
import { proseFiles } from './prose.mjs';

describe('draw-sample', () => {
  const files = ['apps/', 'packages/core/', 'packages/sdk/', 'tooling/', 'docs/'].flatMap((area) =>
    Array.from({ length: area === 'packages/sdk/' ? 500 : 12 }, (_, index) => `${area}${index}.ts`),
  );

  it('draws the same sample for the same seed and a different sample for a different seed', () => {
    expect(drawFiles('seed', files)).toEqual(drawFiles('seed', [...files].reverse()));
    expect(drawFiles('seed', files)).not.toEqual(drawFiles('other seed', files));
  });

  it('draws 60 different files, at least ten of each area', () => {
    const drawn = drawFiles('seed', files);
    expect(new Set(drawn).size).toBe(60);
    for (const area of ['apps/', 'packages/core/', 'tooling/', 'docs/'])
      expect(drawn.filter((file) => file.startsWith(area)).length).toBeGreaterThanOrEqual(10);
  });

  it('draws 60 different texts, the same number from each source', () => {
    const texts = Array.from({ length: 100 }, (_, index) => `text ${index}`);
    const drawn = drawTexts('seed', { a: [...texts, ...texts], b: texts, c: texts });
    expect(new Set(drawn.map(({ text }) => text)).size).toBe(60);
    for (const source of ['a', 'b', 'c'])
      expect(drawn.filter((text) => text.source === source)).toHaveLength(20);
  });

  it('keeps every item when it shuffles', () => {
    expect(shuffle('seed', files).sort()).toEqual([...files].sort());
  });
});

describe('a source or Markdown file', () => {
  const hasConflictMarker = (/** @type {string} */ text) => /^(?:<{7}|>{7}) /m.test(text);

  it('has no marker of an unresolved merge', () => {
    expect(hasConflictMarker(`a\n${'<'.repeat(7)} HEAD\nb`)).toBe(true);
    expect(
      proseFiles(root).filter((file) => hasConflictMarker(readFileSync(join(root, file), 'utf8'))),
    ).toEqual([]);
  });
});

describe('log lines', () => {
  const root = join(import.meta.dirname, '..', '..');
  const { events, unnamed } = readLogEvents(root);

  it('each name an event', () => {
    expect(unnamed).toEqual([]);
    expect(events.length).toBeGreaterThan(50);
  });

  it('are listed in the reference page (npm run log-events updates it)', () => {
    expect(readFileSync(join(root, PAGE), 'utf8')).toBe(renderLogEvents(events));
  });
});

describe('type projects:', () => {
  const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const folders = ['apps', 'packages', 'tooling']
    .flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`))
    .filter((folder) => existsSync(join(root, folder, 'package.json')));
  const checked = folders.filter((folder) => existsSync(join(root, folder, 'tsconfig.json')));
  const folderOf = new Map(folders.map((folder) => [read(`${folder}/package.json`).name, folder]));

  it('npm run types checks every workspace package that has a tsconfig.json', () => {
    const projects = read('tsconfig.json').references.map(({ path }) => path);
    expect(projects).toEqual(expect.arrayContaining(checked));
  });

  // Without the reference, tsc would use the last build of an edited dependency.
  it.each(checked)('%s references each workspace package that it depends on', (folder) => {
    const { dependencies, devDependencies } = read(`${folder}/package.json`);
    const needed = Object.keys({ ...dependencies, ...devDependencies })
      .map((name) => folderOf.get(name))
      .filter((other) => other !== undefined && existsSync(join(root, other, 'tsconfig.build.json')))
      // The build of the CLI is published, so it is not a composite project.
      .filter((other) => other !== 'packages/cli')
      .map((other) => join(root, other, 'tsconfig.build.json'));
    const referenced = (read(`${folder}/tsconfig.json`).references ?? []).map(({ path }) =>
      join(root, folder, path),
    );
    expect(referenced).toEqual(expect.arrayContaining(needed));
  });
});
