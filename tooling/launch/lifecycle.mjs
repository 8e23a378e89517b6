/**
 * What a program has begun and must end again, newest first. `stop` can be asked for at any moment, also while
 * something is still being started: whatever registers afterwards is ended at once.
 */
export function createLifecycle() {
  /** @type {(() => unknown)[]} */
  const undo = [];
  /** @type {unknown[]} */
  const failures = [];
  /** @type {Promise<unknown[]> | undefined} */
  let ending;

  async function unwind() {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
      try {
        await step();
      } catch (error) {
        // One thing that can't be ended must not keep the others alive.
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
      if (ending === undefined) undo.push(step);
      else await step();
    },
    /** Ends everything, once. Resolves with what went wrong on the way. */
    stop() {
      ending ??= unwind();
      return ending;
    },
  };
}

/** @typedef {ReturnType<typeof createLifecycle>} Lifecycle */
