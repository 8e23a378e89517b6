/** @typedef {ReturnType<typeof openSteps>} Steps */

/** Returns functions that time the steps of a run and format them as a table. Steps may overlap. */
export function openSteps(now = () => performance.now()) {
  const startedAt = now();
  /** @type {{ name: string, from: number, seconds: number }[]} */
  const steps = [];
  const since = (/** @type {number} */ from) => (now() - from) / 1_000;
  return {
    /**
     * @template T
     * @param {string} name
     * @param {() => Promise<T>} work
     * @returns {Promise<T>}
     */
    async time(name, work) {
      const from = now();
      const step = { name, from: (from - startedAt) / 1_000, seconds: 0 };
      steps.push(step);
      try {
        return await work();
      } finally {
        step.seconds = since(from);
      }
    },
    /** Formats one line per step, in order of their starts, and the total time last. */
    table() {
      const total = { name: 'total', from: 0, seconds: since(startedAt) };
      const rows = [...steps, total];
      const width = Math.max(...rows.map(({ name }) => name.length), 'step'.length);
      const line = (/** @type {string[]} */ [name = '', from = '', seconds = '']) =>
        `${name.padEnd(width)}  ${from.padStart(8)}  ${seconds.padStart(8)}`;
      return [
        line(['step', 'begun at', 'seconds']),
        ...rows.map(({ name, from, seconds }) => line([name, from.toFixed(1), seconds.toFixed(1)])),
      ].join('\n');
    },
  };
}
