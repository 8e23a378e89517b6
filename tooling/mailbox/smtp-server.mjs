import { once } from 'node:events';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** Larger mails are rejected. */
const sizeMaxBytes = 1024 * 1024;

/**
 * Accepts any mail over SMTP on the loopback interface, and passes it to `onMail`. It sends no mail.
 *
 * @param {{ port: number, onMail: (mail: import('./mail-folder.mjs').ArrivedMail) => void }} options
 */
export async function startSmtpServer({ port, onMail }) {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: sizeMaxBytes,
    closeTimeout: 100,
    logger: false,
    onData: async (stream, session, callback) => {
      /** @type {Buffer[]} */
      const chunks = [];
      try {
        for await (const chunk of stream) chunks.push(chunk);
        if (stream.sizeExceeded) throw smtpError(552, 'The mail is too large.');
        const { mailFrom, rcptTo } = session.envelope;
        const { subject = '', text = '', messageId } = await PostalMime.parse(Buffer.concat(chunks));
        onMail({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          subject,
          text,
          ...(messageId === undefined ? {} : { messageId }),
        });
        callback();
      } catch (error) {
        callback(/** @type {Error} */ (error));
      }
    },
  });
  // Ignores connections that a client aborts. If the port is in use, `once` below still rejects.
  server.on('error', () => undefined);
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    get port() {
      return /** @type {import('node:net').AddressInfo} */ (server.server.address()).port;
    },
    close: () => new Promise((resolve) => server.close(() => resolve(undefined))),
  };
}

/**
 * @param {number} responseCode
 * @param {string} message
 */
function smtpError(responseCode, message) {
  return Object.assign(new Error(message), { responseCode });
}
