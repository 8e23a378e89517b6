import { createRequire } from 'node:module';

/**
 * dependency-cruiser checks the expressions of every rule each time it reads a tree, which takes longer than reading a
 * small one. Remembers the results for a process that reads many trees with the same rules.
 *
 * @typedef {{ options: object, isVulnerable: (expression: RegExp) => boolean }} Analyzer
 */
const ofCruiser = createRequire(import.meta.resolve('dependency-cruiser'));
const ofSafeRegex = createRequire(ofCruiser.resolve('safe-regex'));
/** @type {{ prototype: Analyzer }[]} */
const analyzers = ofSafeRegex('./lib/analyzer-family.js');

for (const { prototype } of analyzers) {
  const { isVulnerable } = prototype;
  /** @type {Map<string, boolean>} */
  const results = new Map();
  prototype.isVulnerable = function remembered(expression) {
    const key = JSON.stringify([this.options, expression.source, expression.flags]);
    const result = results.get(key) ?? isVulnerable.call(this, expression);
    results.set(key, result);
    return result;
  };
}
