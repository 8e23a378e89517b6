import { once } from 'node:events';
import { createServer } from 'node:http';
import { openMailFolder } from './mail-folder.mjs';
import { listPage, mailPage, pageHeaders } from './page.mjs';
import { startSmtpServer } from './smtp-server.mjs';

/**
 * Starts a mailbox for development, which accepts every mail over SMTP for any address and shows it.
 *
 * 1. Both servers listen only on 127.0.0.1. The page accepts only the hosts 127.0.0.1 and localhost, against DNS rebinding.
 * 2. The newest `limit` mails are kept in `folder`, also after the process has ended.
 *
 * @param {{
 *   smtpPort: number, port: number, folder: string, limit?: number,
 *   onMail?: (mail: import('./mail-folder.mjs').Mail) => void,
 * }} options port 0: any free port
 */
export async function openMailbox({ smtpPort, port, folder, limit = 200, onMail = () => {} }) {
  const mails = openMailFolder({ folder, limit });
  const smtp = await startSmtpServer({ port: smtpPort, onMail: (mail) => onMail(mails.add(mail)) });
  const server = createServer((request, response) => {
    const { status, headers, body } = responseTo(mails, request);
    response.writeHead(status, {
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      ...headers,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${address.port}`,
    smtpUrl: `smtp://127.0.0.1:${smtp.port}`,
    async close() {
      server.closeAllConnections();
      await Promise.all([smtp.close(), new Promise((resolve) => server.close(resolve))]);
    },
  };
}

const allowedHosts = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/;

/**
 * @param {import('./mail-folder.mjs').MailFolder} mails
 * @param {import('node:http').IncomingMessage} request
 * @returns {{ status: number, headers: Record<string, string>, body: string }}
 */
function responseTo(mails, { method, url = '/', headers: { host = '' } }) {
  if (!allowedHosts.test(host)) return textResponse(403, 'Open this mailbox at 127.0.0.1 or localhost.');
  if (method !== 'GET' && method !== 'HEAD')
    return textResponse(405, 'Only GET and HEAD are allowed.', { allow: 'GET, HEAD' });
  const [pathname] = url.split('?', 1);
  if (pathname === '/') return { status: 200, headers: pageHeaders, body: listPage(mails.list()) };
  if (pathname === '/messages') {
    const headers = { 'content-type': 'application/json' };
    return { status: 200, headers, body: JSON.stringify({ messages: mails.list() }) };
  }
  const [, id] = /^\/mails\/([0-9a-f]{24})$/.exec(pathname ?? '') ?? [];
  const mail = id === undefined ? null : mails.get(id);
  if (mail === null)
    return textResponse(404, 'Page not found. The mailbox is at /, and as JSON at /messages.');
  return { status: 200, headers: pageHeaders, body: mailPage(mail) };
}

/**
 * @param {number} status
 * @param {string} text
 * @param {Record<string, string>} [headers]
 */
const textResponse = (status, text, headers = {}) => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  body: `${text}\n`,
});
