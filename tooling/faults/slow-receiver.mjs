import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * A receiver in its own process, for hundreds of requests that hang, stream or arrive at once. Its work takes no time
 * from the measuring process. Every request is verified with the public Standard Webhooks library.
 *
 * @typedef {import('./slow-receiver-process.mjs').Behaviour} Behaviour
 * @typedef {import('./slow-receiver-process.mjs').Received} Received
 */

/** @param {Record<string, Behaviour>} behaviours how the requests of each mode are answered */
export async function openSlowReceiver(behaviours) {
  const child = fork(fileURLToPath(new URL('slow-receiver-process.mjs', import.meta.url)), {
    serialization: 'advanced',
    execArgv: [],
  });
  const ended = once(child, 'exit');
  const [{ port }] = await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error('the receiver did not start'))),
  ]);
  /** @type {Received[]} */
  const received = [];
  let questions = 0;

  /**
   * @param {import('./slow-receiver-process.mjs').Question} question
   * @returns {Promise<any>}
   */
  const ask = (question) =>
    new Promise((resolve, reject) => {
      const number = ++questions;
      const onExit = () => reject(new Error('the receiver ended'));
      const onMessage = (/** @type {any} */ answer) => {
        if (answer.number !== number) return;
        child.off('message', onMessage).off('exit', onExit);
        resolve(answer);
      };
      child.on('message', onMessage).once('exit', onExit);
      child.send({ ...question, number });
    });
  await ask({ ask: 'behave', behaviours });

  return {
    /** The requests in order of arrival, as of the last `read`. */
    received,
    /**
     * Returns the URL of an endpoint that behaves as `mode` says.
     *
     * @param {string} mode
     * @param {number | string} endpoint
     */
    url: (mode, endpoint) => `http://127.0.0.1:${port}/${mode}/${endpoint}`,
    /** @param {readonly { publicId: string, secret: string }[]} hooks */
    async trust(hooks) {
      await ask({
        ask: 'trust',
        secrets: Object.fromEntries(hooks.map(({ publicId, secret }) => [publicId, secret])),
      });
    },
    /** @param {Record<string, Behaviour>} changes */
    async behave(changes) {
      await ask({ ask: 'behave', behaviours: changes });
    },
    /**
     * Fetches the requests received until now into `received`.
     *
     * @returns {Promise<{ most: number, now: number, mostOf: Map<string, number> }>} requests in flight at once: the
     *   highest number, the current number, and the highest number of each path
     */
    async read() {
      const report = await ask({ ask: 'report' });
      received.length = 0;
      for (const receipt of report.received) received.push(receipt);
      return { most: report.most, now: report.now, mostOf: new Map(report.mostOf) };
    },
    async close() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof openSlowReceiver>>} SlowReceiver */
