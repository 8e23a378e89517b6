/**
 * Replaces fast-check in the nightly run: every property runs with PROPERTY_DRAWS times as many generated cases.
 * FAST_CHECK is the path of the real library, because Jest resolves the name `fast-check` to this file.
 */
const { default: fastCheck } = await import(process.env.FAST_CHECK);

const factor = Number(process.env.PROPERTY_DRAWS);
const defaultRuns = 100;

const withMoreRuns = (parameters = {}) => ({
  ...parameters,
  numRuns: (parameters.numRuns ?? defaultRuns) * factor,
});

export default {
  ...fastCheck,
  assert: (property, parameters) => fastCheck.assert(property, withMoreRuns(parameters)),
  check: (property, parameters) => fastCheck.check(property, withMoreRuns(parameters)),
};
