/**
 * Collects cleanup steps, and runs them in reverse order on `stop`. `stop` may be called at any time, even while the program
 * is still starting: steps that are registered afterwards run immediately.
 */
export function createLifecycle() {
  /** @type {(() => unknown)[]} */
  const steps = [];
  /** @type {unknown[]} */
  const failures = [];
  /** @type {Promise<unknown[]> | undefined} */
  let ending;

  async function unwind() {
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      try {
        await step();
      } catch (error) {
        // A failing step must not prevent the others.
        failures.push(error);
      }
    }
    return failures;
  }

  return {
    get stopping() {
      return ending !== undefined;
    },
    /**
     * @param {() => unknown} step
     * @returns {Promise<void>}
     */
    async defer(step) {
      if (ending === undefined) steps.push(step);
      else await step();
    },
    /** Runs all steps once. Resolves with the errors of failed steps. */
    stop() {
      ending ??= unwind();
      return ending;
    },
  };
}

/** @typedef {ReturnType<typeof createLifecycle>} Lifecycle */
