import { createServer } from 'node:net';

/**
 * The default ports of the platform. If a default is in use, a free port replaces it, so
 * programs must not rely on these numbers; they read addresses from `.data/dev.json`.
 */
const defaultPorts = {
  rest: 4000,
  graphql: 4001,
  dashboard: 3000,
  paperExchange: 4010,
  mail: 4020,
  smtp: 4025,
  postgres: 54329,
  redis: 63790,
};

/** @typedef {Record<keyof typeof defaultPorts, number>} Ports */

/**
 * @param {number} port 0: any free port
 * @param {string} host
 * @returns {Promise<number | null>} the port, or null if it is in use
 */
function tryPort(port, host) {
  return new Promise((resolve) => {
    const server = createServer();
    // Without IPv6 nothing can listen on ::1, so the port counts as free there.
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
      resolve(['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(error.code ?? '') ? port : null),
    );
    server.listen({ port, host, exclusive: true }, () => {
      const { port: assigned } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(assigned));
    });
  });
}

/** @param {number} port */
async function isFree(port) {
  return (await tryPort(port, '127.0.0.1')) !== null && (await tryPort(port, '::1')) !== null;
}

/** Returns a loopback port that no process listens on now. */
export async function freePort() {
  for (;;) {
    const port = await tryPort(0, '127.0.0.1');
    if (port !== null && (await isFree(port))) return port;
  }
}

/** Pass this to `choosePorts` to get only random free ports, so that launchers started together do not collide. */
export const freePorts = Object.fromEntries(Object.keys(defaultPorts).map((name) => [name, 0]));

/**
 * @param {Record<string, number>} [wanted] 0: any free port
 * @returns {Promise<Ports>} each default, or a free port if it is in use; all ports differ
 */
export async function choosePorts(wanted = defaultPorts) {
  /** @type {Record<string, number>} */
  const chosen = {};
  const used = new Set(Object.values(wanted));
  for (const [name, port] of Object.entries(wanted)) {
    let choice = port !== 0 && (await isFree(port)) ? port : await freePort();
    while (choice !== port && used.has(choice)) choice = await freePort();
    used.add(choice);
    chosen[name] = choice;
  }
  return /** @type {Ports} */ (chosen);
}
