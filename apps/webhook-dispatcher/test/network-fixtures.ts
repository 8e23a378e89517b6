/**
 * Simulates public and internal hosts on loopback addresses: receivers on ports that a webhook URL may have, name
 * servers and canaries.
 */
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { decode, encode, type Question, RECURSION_AVAILABLE, RECURSION_DESIRED } from 'dns-packet';

/** The loopback address that represents a public host. */
export const PUBLIC_ADDRESS = '127.0.0.2';
/** The loopback address that represents an internal host, which must never receive a connection. */
export const INTERNAL_ADDRESS = '127.0.0.1';
/** Means all IPv4 and IPv6 addresses of this machine. */
export const ALL_ADDRESSES = '';

/** Starts a server on a random port that a webhook URL may have (8000 to 8999), or on `port`. Returns the port. */
export async function listenPublic(server: Server, host = PUBLIC_ADDRESS, port = 0): Promise<number> {
  for (;;) {
    const candidate = port === 0 ? randomInt(8000, 9000) : port;
    server.listen(host === ALL_ADDRESSES ? { port: candidate } : { port: candidate, host });
    try {
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    } catch (error) {
      if (port !== 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

export interface Canary {
  readonly port: number;
  readonly connections: number;
  close(): Promise<void>;
}

/** Starts a server at an address to which no connection is permitted. It counts the connections. */
export async function openCanary(host = INTERNAL_ADDRESS, port = 0): Promise<Canary> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  const listeningPort = await listenPublic(server, host, port);
  return {
    port: listeningPort,
    get connections() {
      return connections;
    },
    async close() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Addresses, an error code, or `silence` for no response. */
type NameServerResponse = readonly string[] | 'NXDOMAIN' | 'SERVFAIL' | 'silence';

/** Starts a name server on UDP. Its responses have a TTL of 0. */
export async function openNameServer(respond: (question: Question) => NameServerResponse) {
  const questions: Question[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { id = 0, questions: [question] = [] } = decode(message);
    if (question === undefined) return;
    questions.push(question);
    const response = respond(question);
    if (response === 'silence') return;
    const { name } = question;
    const type = question.type === 'AAAA' ? 'AAAA' : 'A';
    const code = response === 'NXDOMAIN' ? 3 : response === 'SERVFAIL' ? 2 : 0;
    socket.send(
      encode({
        type: 'response',
        id,
        flags: RECURSION_DESIRED | RECURSION_AVAILABLE | code,
        questions: [question],
        answers: typeof response === 'string' ? [] : response.map((data) => ({ type, name, ttl: 0, data })),
      }),
      port,
      address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}
export type NameServer = Awaited<ReturnType<typeof openNameServer>>;

/** Runs `work`. Returns the number of outbound TCP sockets that this process opened meanwhile. */
export async function countSockets(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const onSocket = () => {
    count++;
  };
  subscribe('net.client.socket', onSocket);
  try {
    await work();
  } finally {
    unsubscribe('net.client.socket', onSocket);
  }
  return count;
}
