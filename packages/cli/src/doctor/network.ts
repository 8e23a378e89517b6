/** Checks the connection to an origin: its DNS name and its certificate. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { type Finding, fail, ok, warn } from './check.js';

const TIMEOUT_MS = 10_000;
const DAY_MS = 86_400_000;
const EXPIRES_SOON_DAYS = 14;

export async function checkDns(origin: URL): Promise<Finding> {
  const host = hostOf(origin);
  if (isIP(host) !== 0) return ok('name', `${host} is an IP address`);
  try {
    const addresses = await lookup(host, { all: true });
    return ok('name', `${host} resolves to ${addresses.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    return fail(
      'name',
      `${host} does not resolve: ${(error as NodeJS.ErrnoException).code}`,
      'Check the base URL and the DNS servers of this machine.',
    );
  }
}

export async function checkEncryption(origin: URL): Promise<Finding> {
  const host = hostOf(origin);
  if (origin.protocol === 'http:')
    return isLoopback(host)
      ? ok('encryption', 'none; not needed on this machine')
      : warn('encryption', 'none: the network can read the credential', 'Use an https:// base URL.');
  try {
    const daysLeft = await certificateDaysLeft(host, Number(origin.port || 443));
    if (daysLeft < EXPIRES_SOON_DAYS)
      return warn(
        'encryption',
        `the certificate expires in ${daysLeft} days`,
        'Ask the operator of the server to renew it.',
      );
    return ok('encryption', `TLS; the certificate is valid for ${daysLeft} days`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return fail(
      'encryption',
      `no TLS connection: ${code ?? message}`,
      'Check for a proxy. For a private certificate authority, set NODE_EXTRA_CA_CERTS.',
    );
  }
}

function certificateDaysLeft(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) });
    const abandon = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(TIMEOUT_MS, () => abandon(new Error('no response')));
    socket.on('error', abandon);
    socket.on('secureConnect', () => {
      const endsAtMs = Date.parse(socket.getPeerCertificate().valid_to);
      socket.end();
      resolve(Math.floor((endsAtMs - Date.now()) / DAY_MS));
    });
  });
}

const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127\./.test(host);
}
