/**
 * Simulates public and internal hosts on loopback: receivers on ports that customers may use, name servers and
 * canaries.
 */
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { decode, encode, type Question, RECURSION_AVAILABLE, RECURSION_DESIRED } from 'dns-packet';

/** Represents a public address. */
export const PUBLIC_ADDRESS = '127.0.0.2';
/** Must never receive a connection. */
export const INTERNAL_ADDRESS = '127.0.0.1';
/** All addresses of this machine, of both families if it has them. */
export const ALL_ADDRESSES = '';

/** Starts a server on a port that a webhook's URL may name. */
export async function listenPublic(server: Server, host = PUBLIC_ADDRESS, port = 0): Promise<number> {
  for (;;) {
    const at = port === 0 ? randomInt(8000, 9000) : port;
    server.listen(host === ALL_ADDRESSES ? { port: at } : { port: at, host });
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

/** Listens at an address to which no connection is permitted, and counts connections. */
export async function openCanary(host = INTERNAL_ADDRESS, port = 0): Promise<Canary> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  const taken = await listenPublic(server, host, port);
  return {
    port: taken,
    get connections() {
      return connections;
    },
    async close() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type NameAnswer = readonly string[] | 'NXDOMAIN' | 'SERVFAIL' | 'silence';

/** A name server; responses have a TTL of 0. */
export async function openNameServer(answer: (question: Question) => NameAnswer) {
  const questions: Question[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { id = 0, questions: [question] = [] } = decode(message);
    if (question === undefined) return;
    questions.push(question);
    const said = answer(question);
    if (said === 'silence') return;
    const { name } = question;
    const type = question.type === 'AAAA' ? 'AAAA' : 'A';
    const code = said === 'NXDOMAIN' ? 3 : said === 'SERVFAIL' ? 2 : 0;
    socket.send(
      encode({
        type: 'response',
        id,
        flags: RECURSION_DESIRED | RECURSION_AVAILABLE | code,
        questions: [question],
        answers: typeof said === 'string' ? [] : said.map((data) => ({ type, name, ttl: 0, data })),
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

/** Runs the work, and counts the outbound TCP sockets that this process opens meanwhile, also if the work fails. */
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
