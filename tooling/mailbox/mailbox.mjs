import { once } from 'node:events';
import { createServer } from 'node:http';
import { openMailFolder } from './mail-folder.mjs';
import { listPage, mailPage, pageHeaders } from './page.mjs';
import { openSmtpDoor } from './smtp-door.mjs';

/**
 * A mailbox for development: accepts every mail over SMTP, for any address, and shows it.
 *
 * 1. Both servers listen only on 127.0.0.1, and the page responds only to this machine's names: a site that points its own
 *    name here cannot read the mails.
 * 2. Only the last `most` mails are kept, in `folder`; they outlive the process.
 *
 * @param {{
 *   smtpPort: number, port: number, folder: string, most?: number,
 *   onMail?: (mail: import('./mail-folder.mjs').Mail) => void,
 * }} options port 0 asks for any
 */
export async function openMailbox({ smtpPort, port, folder, most = 200, onMail = () => {} }) {
  const mails = openMailFolder({ folder, most });
  const smtp = await openSmtpDoor({ port: smtpPort, keep: (mail) => onMail(mails.add(mail)) });
  const server = createServer((request, response) => {
    const { status, headers, body } = answerTo(mails, request);
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

const ownNames = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/;

/**
 * @param {import('./mail-folder.mjs').MailFolder} mails
 * @param {import('node:http').IncomingMessage} request
 * @returns {{ status: number, headers: Record<string, string>, body: string }}
 */
function answerTo(mails, { method, url = '/', headers: { host = '' } }) {
  if (!ownNames.test(host)) return said(403, 'This mailbox answers to 127.0.0.1 and localhost alone.');
  if (method !== 'GET' && method !== 'HEAD') return said(405, 'Only GET.', { allow: 'GET, HEAD' });
  const [pathname] = url.split('?', 1);
  if (pathname === '/') return { status: 200, headers: pageHeaders, body: listPage(mails.list()) };
  if (pathname === '/messages') {
    const headers = { 'content-type': 'application/json' };
    return { status: 200, headers, body: JSON.stringify({ messages: mails.list() }) };
  }
  const [, id] = /^\/mails\/([0-9a-f]{24})$/.exec(pathname ?? '') ?? [];
  const mail = id === undefined ? null : mails.get(id);
  if (mail === null) return said(404, 'There is nothing here. The mailbox is at /, as JSON at /messages.');
  return { status: 200, headers: pageHeaders, body: mailPage(mail) };
}

/**
 * @param {number} status
 * @param {string} words
 * @param {Record<string, string>} [headers]
 */
const said = (status, words, headers = {}) => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  body: `${words}\n`,
});
