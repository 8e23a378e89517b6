import { connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Forwards the bytes of one direction of a connection, in order, with the current latency.
 *
 * @param {import('node:net').Socket} from
 * @param {import('node:net').Socket} to
 * @param {Network} network
 */
async function forward(from, to, network) {
  /** @type {{ bytes: Buffer, dueAt: number }[]} */
  const pending = [];
  let hasEnded = false;
  let wake = () => {};
  from.on('data', (bytes) => {
    pending.push({ bytes, dueAt: performance.now() + network.latencyMs });
    wake();
  });
  from.once('end', () => {
    hasEnded = true;
    wake();
  });
  while (!to.destroyed) {
    const next = pending.shift();
    if (next === undefined) {
      if (hasEnded) break;
      await new Promise((resolve) => {
        wake = () => resolve(undefined);
        to.once('close', wake);
      });
      to.off('close', wake);
      continue;
    }
    const earlyMs = next.dueAt - performance.now();
    if (earlyMs > 0) await wait(earlyMs);
    await network.passing;
    if (!to.destroyed) to.write(next.bytes);
  }
  to.end();
}

/** @typedef {{ latencyMs: number, passing: Promise<void> }} Network `passing` is pending while the network is frozen */

/**
 * Starts a TCP proxy between clients and one server of this machine. It can delay bytes, reset and reject connections,
 * redirect new ones, or freeze open connections without closing them.
 *
 * @param {number} serverPort the port of the server on the loopback interface
 */
export async function openTcpProxy(serverPort) {
  /** @type {Network} */
  let network = { latencyMs: 0, passing: Promise.resolve() };
  let target = serverPort;
  let isRefusing = false;
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();

  /** @param {import('node:net').Socket} socket */
  const track = (socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    track(client);
    if (isRefusing) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    track(upstream);
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
    // A connection keeps the network that it started with: `freezeAndRedirect` replaces it for new connections.
    const networkAtStart = network;
    void forward(client, upstream, networkAtStart);
    void forward(upstream, client, networkAtStart);
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

  return {
    port,
    /**
     * Returns the URL with the address of this proxy.
     *
     * @param {string} url
     */
    through(url) {
      const proxied = new URL(url);
      proxied.hostname = '127.0.0.1';
      proxied.port = String(port);
      return proxied.href;
    },
    /**
     * Sets the latency of each direction; a round trip takes twice as long.
     *
     * @param {number} latencyMs
     */
    delay(latencyMs) {
      network.latencyMs = latencyMs;
    },
    /** Resets every connection and rejects new ones until `accept`. */
    refuse() {
      isRefusing = true;
      for (const socket of sockets) socket.resetAndDestroy();
    },
    accept() {
      isRefusing = false;
    },
    /**
     * Redirects new connections; existing ones keep their server.
     *
     * @param {number} newPort
     */
    redirect(newPort) {
      target = newPort;
    },
    /**
     * Redirects new connections and freezes existing ones: they stay open and transfer nothing, as when a machine
     * disappears and its host name moves to another.
     *
     * @param {number} newPort
     */
    freezeAndRedirect(newPort) {
      network.passing = new Promise(() => {});
      network = { latencyMs: network.latencyMs, passing: Promise.resolve() };
      target = newPort;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof openTcpProxy>>} TcpProxy */
