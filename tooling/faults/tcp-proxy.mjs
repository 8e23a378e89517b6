import { connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * One direction of a connection: bytes leave in their order, each as late as the network of the moment says.
 *
 * @param {import('node:net').Socket} from
 * @param {import('node:net').Socket} to
 * @param {Network} network
 */
async function carry(from, to, network) {
  /** @type {{ bytes: Buffer, dueAt: number }[]} */
  const onTheWay = [];
  let isRead = false;
  let wake = () => {};
  from.on('data', (bytes) => {
    onTheWay.push({ bytes, dueAt: performance.now() + network.latencyMs });
    wake();
  });
  from.once('end', () => {
    isRead = true;
    wake();
  });
  while (!to.destroyed) {
    const next = onTheWay.shift();
    if (next === undefined) {
      if (isRead) break;
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

/**
 * @typedef {{ latencyMs: number, passing: Promise<void> }} Network
 */

/**
 * A network of our own between a client and one server of this machine. What it does to a connection, it does without
 * either end being asked: it may slow down, cut and refuse, lead elsewhere, or leave both ends in the dark.
 *
 * @param {number} serverPort where it leads, on the loopback
 */
export async function openTcpProxy(serverPort) {
  /** @type {Network} */
  let network = { latencyMs: 0, passing: Promise.resolve() };
  let target = serverPort;
  let isRefusing = false;
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();

  /** @param {import('node:net').Socket} socket */
  const keep = (socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    keep(client);
    if (isRefusing) {
      client.resetAndDestroy();
      return;
    }
    const far = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    keep(far);
    client.once('close', () => far.destroy());
    far.once('close', () => client.destroy());
    // What a connection met at its beginning stays its own.
    const own = network;
    void carry(client, far, own);
    void carry(far, client, own);
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

  return {
    port,
    /**
     * The same address, by way of this network.
     *
     * @param {string} url
     */
    through(url) {
      const led = new URL(url);
      led.hostname = '127.0.0.1';
      led.port = String(port);
      return led.href;
    },
    /**
     * How long each byte is under way, in each direction: a round trip takes twice that.
     *
     * @param {number} latencyMs
     */
    delay(latencyMs) {
      network.latencyMs = latencyMs;
    },
    /** Ends every connection and takes no new one, until `accept`. */
    refuse() {
      isRefusing = true;
      for (const socket of sockets) socket.resetAndDestroy();
    },
    accept() {
      isRefusing = false;
    },
    /**
     * Redirects new connections; existing ones stay where they are.
     *
     * @param {number} newPort
     */
    lead(newPort) {
      target = newPort;
    },
    /**
     * Leads new connections elsewhere and leaves the standing ones open without ever another byte, as when a machine is
     * gone and its name has moved on.
     *
     * @param {number} newPort
     */
    abandon(newPort) {
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
