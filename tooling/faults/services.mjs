import { createHash } from 'node:crypto';
import { openAccount } from '../launch/first-trade/client.mjs';
import { freePort } from '../launch/ports.mjs';
import { ampleRateLimits, listServices } from '../launch/service-list.mjs';
import { startService } from './service.mjs';

/**
 * @typedef {{ settings?: Record<string, string>, sabotage?: string | readonly string[] | undefined }} ServiceOptions
 *   `settings` override all other environment variables; `sabotage` names files of sabotage/ that are loaded first
 *
 * @typedef {Omit<import('../launch/service-list.mjs').ServiceListOptions, 'ports'>} ServiceListOptions
 */

/** Short retry delays, so that all five attempts fit into a test. */
const dispatcherDefaults = { RETRY_DELAYS_MS: '200,300,400,500', LOG_LEVEL: 'info' };

/**
 * Returns functions that start the built services of one environment. A service that ends is not restarted.
 *
 * @param {{
 *   serviceOptions: ServiceListOptions, settings: Record<string, string>, seed: number,
 *   lifecycle: import('../launch/lifecycle.mjs').Lifecycle, query: import('./webhooks.mjs').Query,
 * }} dependencies `settings` apply to every dispatcher
 */
export function openServices({ serviceOptions, settings, seed, lifecycle, query }) {
  /** @type {Record<string, string>} */
  const dispatcherEnv = {
    ...envOf('webhook-dispatcher', serviceOptions, 0),
    ...dispatcherDefaults,
    ...settings,
  };

  /** @param {Parameters<typeof startService>[0]} options */
  async function start(options) {
    const service = await startService(options);
    await lifecycle.defer(() => {
      service.resume();
      return service.kill();
    });
    return service;
  }

  return {
    /** The environment variables of a dispatcher. */
    dispatcherEnv,

    /**
     * Starts a dispatcher; resolves when it is ready.
     *
     * @param {ServiceOptions} [options]
     */
    startDispatcher: ({ settings: own = {}, sabotage } = {}) =>
      start({ app: 'webhook-dispatcher', env: { ...dispatcherEnv, ...own }, sabotage }),

    /**
     * Starts a REST API; resolves when it listens.
     *
     * @param {ServiceOptions & { port?: number }} [options] `port` defaults to a free port
     */
    async startApi({ settings: own = {}, sabotage, port } = {}) {
      const restPort = port ?? (await freePort());
      const env = envOf('rest-api', serviceOptions, restPort);
      const service = await start({
        app: 'rest-api',
        env: { ...env, RATE_LIMITS: ampleRateLimits, ...own },
        sabotage,
      });
      return { ...service, port: restPort, url: `http://127.0.0.1:${restPort}` };
    },

    /**
     * Creates a user of the API. Requests are signed with a key derived from the seed and the label.
     *
     * @param {string} restUrl
     * @param {string} label
     */
    async openUser(restUrl, label) {
      const privateKey = new Uint8Array(createHash('sha256').update(`${seed} ${label}`).digest());
      const { identity, api } = await openAccount({ restUrl, privateKey, label });
      const [owner] = await query('SELECT user_id FROM public_keys WHERE pubkey = $1', identity.pubkey);
      return { api, privateKey, userId: owner?.user_id };
    },
  };
}

/**
 * @param {string} app
 * @param {ServiceListOptions} serviceOptions
 * @param {number} restPort
 */
function envOf(app, serviceOptions, restPort) {
  const services = listServices({ ...serviceOptions, ports: { rest: restPort, paperExchange: 0 } });
  return services.find((service) => service.app === app)?.env ?? {};
}
