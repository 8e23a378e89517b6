import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launch/paths.mjs';

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

// Without the reference, tsc would check an edited dependency by its last build.
it.each(checked)('%s references each workspace package that it depends on', (folder) => {
  const { dependencies, devDependencies } = read(`${folder}/package.json`);
  const needed = Object.keys({ ...dependencies, ...devDependencies })
    .map((name) => folderOf.get(name))
    .filter((other) => other !== undefined && existsSync(join(root, other, 'tsconfig.build.json')))
    // The build of the command line is published, so it is not a composite project.
    .filter((other) => other !== 'packages/cli')
    .map((other) => join(root, other, 'tsconfig.build.json'));
  const referenced = (read(`${folder}/tsconfig.json`).references ?? []).map(({ path }) =>
    join(root, folder, path),
  );
  expect(referenced).toEqual(expect.arrayContaining(needed));
});
