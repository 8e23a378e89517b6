import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cruise } from 'dependency-cruiser';

const config = createRequire(import.meta.url)('../../.dependency-cruiser.cjs');

/** The names of all rules of `.dependency-cruiser.cjs`. */
export const importRuleNames = config.forbidden.map((/** @type {{ name: string }} */ rule) => rule.name);

/**
 * Checks all imports of a folder that has the layout of this repository.
 * @param {string} root an absolute path
 * @param {readonly string[]} [startFolders] the folders whose files are read, with all files that they import; default:
 *   all folders with source code
 * @returns {Promise<{ modules: import('dependency-cruiser').IModule[], violations: { rule: string, from: string, to: string }[] }>}
 */
export async function cruiseImports(root, startFolders = ['apps', 'packages', 'tooling', 'bench']) {
  const folders = startFolders.filter((folder) => existsSync(join(root, folder)));
  const { exclude, doNotFollow, enhancedResolveOptions, ...options } = config.options;
  const { output } = await cruise(
    folders,
    {
      ...options,
      exclude,
      doNotFollow,
      baseDir: root,
      ruleSet: { forbidden: config.forbidden },
      validate: true,
    },
    enhancedResolveOptions,
  );
  const { modules, summary } = /** @type {import('dependency-cruiser').ICruiseResult} */ (output);
  return {
    modules,
    violations: summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  };
}
