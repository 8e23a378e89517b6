import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * A receiver in its own process, for hundreds of requests that hang, stream or arrive at once. It uses no processor
 * time of the measuring process. Every request is verified with the public Standard Webhooks library.
 *
 * @typedef {import('./slow-receiver-process.mjs').Behaviour} Behaviour
 * @typedef {import('./slow-receiver-process.mjs').Received} Received
 */

/** @param {Record<string, Behaviour>} behaviours by mode, the first segment of the path of a request */
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
  let commandCount = 0;

  /**
   * @param {import('./slow-receiver-process.mjs').Command} command
   * @returns {Promise<any>}
   */
  const send = (command) =>
    new Promise((resolve, reject) => {
      const number = ++commandCount;
      const onExit = () => reject(new Error('the receiver ended'));
      const onMessage = (/** @type {any} */ reply) => {
        if (reply.number !== number) return;
        child.off('message', onMessage).off('exit', onExit);
        resolve(reply);
      };
      child.on('message', onMessage).once('exit', onExit);
      child.send({ ...command, number });
    });
  await send({ name: 'setBehaviours', behaviours });

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
    /** @param {readonly { publicId: string, secret: string }[]} webhooks */
    async addSecrets(webhooks) {
      await send({
        name: 'addSecrets',
        secrets: Object.fromEntries(webhooks.map(({ publicId, secret }) => [publicId, secret])),
      });
    },
    /** @param {Record<string, Behaviour>} changes */
    async behave(changes) {
      await send({ name: 'setBehaviours', behaviours: changes });
    },
    /**
     * Fetches the requests received until now into `received`.
     *
     * @returns {Promise<{ maxInFlight: number, maxInFlightByPath: Map<string, number> }>} the highest number of requests
     *   in flight at any time
     */
    async read() {
      const report = await send({ name: 'report' });
      received.length = 0;
      for (const receipt of report.received) received.push(receipt);
      return { maxInFlight: report.maxInFlight, maxInFlightByPath: new Map(report.maxInFlightByPath) };
    },
    async close() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof openSlowReceiver>>} SlowReceiver */
