import { createRequire } from 'node:module';

/**
 * Caches the results of dependency-cruiser's check of regular expressions. dependency-cruiser repeats that check for
 * each folder, and it takes longer than reading a small folder. The cache therefore speeds up a process that reads many
 * folders with the same rules.
 *
 * @typedef {{ options: object, isVulnerable: (expression: RegExp) => boolean }} Analyzer
 */
const requireOfCruiser = createRequire(import.meta.resolve('dependency-cruiser'));
const requireOfSafeRegex = createRequire(requireOfCruiser.resolve('safe-regex'));
/** @type {{ prototype: Analyzer }[]} */
const analyzers = requireOfSafeRegex('./lib/analyzer-family.js');

for (const { prototype } of analyzers) {
  const { isVulnerable } = prototype;
  /** @type {Map<string, boolean>} */
  const results = new Map();
  prototype.isVulnerable = function cached(expression) {
    const key = JSON.stringify([this.options, expression.source, expression.flags]);
    const result = results.get(key) ?? isVulnerable.call(this, expression);
    results.set(key, result);
    return result;
  };
}
