import { randomInt } from 'node:crypto';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
 * @param {number} port
 * @param {string} host
 * @returns {Promise<boolean>} whether no process listens on it
 */
function isFreeOn(port, host) {
  return new Promise((resolve) => {
    const server = createServer();
    // Without IPv6 nothing can listen on ::1, so the port counts as free there.
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
      resolve(['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(error.code ?? '')),
    );
    server.listen({ port, host, exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });
}

/** @param {number} port */
async function isFree(port) {
  return (await isFreeOn(port, '127.0.0.1')) && (await isFreeOn(port, '::1'));
}

/**
 * Free ports are below the ports that operating systems assign to outgoing connections (from 32768, or 49152).
 * Otherwise a connection could take a chosen port before its server listens.
 */
const FIRST_PORT = 20_000;
const PORT_COUNT = 12_000;
const RESERVATION_MS = 10 * 60_000;
const reservations = join(tmpdir(), `trading-automation-ports-${process.getuid?.() ?? ''}`);

/**
 * Reserves the port until its server listens, so that launchers that run at the same time choose different ports.
 *
 * @param {number} port
 * @returns {boolean} false if another launcher has reserved it
 */
function reserve(port) {
  const file = join(reservations, String(port));
  try {
    writeFileSync(file, '', { flag: 'wx' });
    return true;
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== 'EEXIST') throw error;
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > RESERVATION_MS) rmSync(file, { force: true });
    return false;
  }
}

/** Returns a loopback port that no process listens on now, and that no other launcher was given in the last ten minutes. */
export async function freePort() {
  mkdirSync(reservations, { recursive: true });
  for (;;) {
    const port = FIRST_PORT + randomInt(PORT_COUNT);
    if (reserve(port) && (await isFree(port))) return port;
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
