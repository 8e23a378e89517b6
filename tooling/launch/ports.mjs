import { createServer } from 'node:net';

/**
 * Every port that the platform listens on, in one place. A default that is taken gives way to a free port, so
 * nothing may be built on these numbers: addresses are read from `.data/dev.json`.
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
 * @param {number} port 0 asks for any
 * @param {string} host
 * @returns {Promise<number | null>} the port, or null when it can't be had
 */
function tryPort(port, host) {
  return new Promise((resolve) => {
    const server = createServer();
    // On a machine without IPv6, no process listens on that side of the port either.
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
      resolve(['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(error.code ?? '') ? port : null),
    );
    server.listen({ port, host, exclusive: true }, () => {
      const { port: given } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(given));
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

/** Asks `choosePorts` for free ports only: launchers that start at the same moment do not meet. */
export const freePorts = Object.fromEntries(Object.keys(defaultPorts).map((name) => [name, 0]));

/**
 * @param {Record<string, number>} [wanted] 0 asks for any free port
 * @returns {Promise<Ports>} each default, or a free port where it is taken; no two alike
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
