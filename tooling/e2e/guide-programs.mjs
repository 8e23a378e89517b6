import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../launch/commands.mjs';
import { root } from '../launch/paths.mjs';

/** Extracts the TypeScript programs of documentation pages, and compiles them. Each code block is one program. */

/** @typedef {{ name: string, code: string, path: string }} Program `path`: of the compiled module */

/** @param {string} page the path of the page @returns {{ name: string, code: string }[]} the programs, named by page, heading and number */
function blocksOf(page) {
  const text = readFileSync(join(root, page), 'utf8');
  /** @type {{ name: string, code: string }[]} */
  const blocks = [];
  let heading = '';
  for (const [, title, code] of text.matchAll(/^#+ (.+)$|^```ts\n([\s\S]*?)^```$/gm)) {
    heading = title ?? heading;
    if (code === undefined) continue;
    const place = `${page.replace(/^docs\/guides\/|\.md$/g, '')}, ${heading}`;
    const count = blocks.filter(({ name }) => name.startsWith(place)).length;
    blocks.push({ name: count === 0 ? place : `${place} (${count + 1})`, code });
  }
  return blocks;
}

/**
 * Compiles the programs of pages in strict mode against the SDK, as it is packed for users.
 *
 * @param {string} sdkFolder the folder into which the tarball of the SDK was installed; the compiled programs are
 *   written into a new folder in it
 * @param {readonly string[]} pages
 * @returns {Promise<{ programs: Program[], errors: string, folder: string }>} `errors`: the output of the compiler, empty on success
 */
export async function compilePages(sdkFolder, pages) {
  const folder = mkdtempSync(join(sdkFolder, 'guides-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  const programs = pages.flatMap(blocksOf).map((block, index) => {
    writeFileSync(join(folder, `program-${index}.mts`), block.code);
    return { ...block, path: join(folder, `program-${index}.mjs`) };
  });
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }));
  const { stdout, stderr } = await run(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    folder,
  ]);
  return { programs, errors: stdout + stderr, folder };
}
