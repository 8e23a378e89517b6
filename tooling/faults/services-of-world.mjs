import { createHash } from 'node:crypto';
import { openAccount } from '../launch/first-trade/client.mjs';
import { freePort } from '../launch/ports.mjs';
import { ampleRateLimits, listServices } from '../launch/service-list.mjs';
import { startService } from './service.mjs';

/**
 * @typedef {{ settings?: Record<string, string>, sabotage?: string | readonly string[] | undefined }} ServiceOptions
 *   `settings` go over everything else in the environment; `sabotage` names files of sabotage/ that are loaded first
 *
 * @typedef {Omit<import('../launch/service-list.mjs').Surroundings, 'ports'>} Surroundings
 */

/** Short waits, so that all five attempts fit into a test. */
const dispatcherDefaults = { RETRY_DELAYS_MS: '200,300,400,500', LOG_LEVEL: 'info' };

/**
 * The built services of one world, each started once and never restarted.
 *
 * @param {{
 *   surroundings: Surroundings, settings: Record<string, string>, seed: number,
 *   lifecycle: import('../launch/lifecycle.mjs').Lifecycle, query: import('./hooks.mjs').Query,
 * }} parts `settings` are those of every dispatcher
 */
export function openServices({ surroundings, settings, seed, lifecycle, query }) {
  /** @type {Record<string, string>} */
  const environment = { ...envOf('webhook-dispatcher', surroundings, 0), ...dispatcherDefaults, ...settings };

  /** @param {Parameters<typeof startService>[0]} what */
  async function start(what) {
    const service = await startService(what);
    await lifecycle.defer(() => {
      service.resume();
      return service.kill();
    });
    return service;
  }

  return {
    /** Of a dispatcher. */
    environment,

    /**
     * Begins a dispatcher; resolves when it is ready.
     *
     * @param {ServiceOptions} [options]
     */
    startDispatcher: ({ settings: own = {}, sabotage } = {}) =>
      start({ app: 'webhook-dispatcher', env: { ...environment, ...own }, sabotage }),

    /**
     * Begins a REST API; resolves when it listens.
     *
     * @param {ServiceOptions & { port?: number }} [options] another port each time unless given
     */
    async startApi({ settings: own = {}, sabotage, port } = {}) {
      const rest = port ?? (await freePort());
      const env = envOf('rest-api', surroundings, rest);
      const service = await start({
        app: 'rest-api',
        env: { ...env, RATE_LIMITS: ampleRateLimits, ...own },
        sabotage,
      });
      return { ...service, port: rest, url: `http://127.0.0.1:${rest}` };
    },

    /**
     * A user of the API, whose requests are signed with a key derived from the label.
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
 * @param {Surroundings} surroundings
 * @param {number} rest the API's port
 */
function envOf(app, surroundings, rest) {
  const services = listServices({ ...surroundings, ports: { rest, paperExchange: 0 } });
  return services.find((service) => service.app === app)?.env ?? {};
}
