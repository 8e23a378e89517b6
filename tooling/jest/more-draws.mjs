/**
 * Replaces fast-check in the nightly lane: every property draws PROPERTY_DRAWS times as often. FAST_CHECK is the path of
 * the real one, because Jest would resolve its name to this file.
 */
const { default: itself } = await import(process.env.FAST_CHECK);

const factor = Number(process.env.PROPERTY_DRAWS);
const usualRuns = 100;

const more = (parameters = {}) => ({ ...parameters, numRuns: (parameters.numRuns ?? usualRuns) * factor });

export default {
  ...itself,
  assert: (property, parameters) => itself.assert(property, more(parameters)),
  check: (property, parameters) => itself.check(property, more(parameters)),
};
