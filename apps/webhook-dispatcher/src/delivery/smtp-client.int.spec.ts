import type { ClaimedMail } from '@trading-automation/core/mail';
import type { SMTPServerOptions } from 'smtp-server';
import { makeCertificates } from '../../test/certificates.js';
import { type MailServer, openMailServer } from '../../test/mail-server.js';
import { SmtpClient } from './smtp-client.js';

const MAIL: ClaimedMail = {
  id: '0190a0b0-0000-7000-8000-000000000001',
  claim: 1,
  deferrals: 0,
  to: 'reader@example.com',
  subject: 'Verify your e-mail address',
  text: 'Öffne den Link:\n\nhttps://api.example.com/v1/x?code=abc\n\n.\nFrom here on.\n',
};
const servers: MailServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function startServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const server = await openMailServer(options);
  servers.push(server);
  return server;
}
const clientOf = ({ port }: { port: number }, login = '', timeoutMs = 2_000) =>
  new SmtpClient({
    url: `smtp://${login}127.0.0.1:${port}`,
    from: 'Trading <no-reply@example.org>',
    timeoutMs,
  });
const rejection = (responseCode: number) =>
  Object.assign(new Error('no, reader@example.com'), { responseCode });

describe('a mail', () => {
  it('arrives as plain text, from the configured sender, with its own id', async () => {
    const server = await startServer();
    expect(await clientOf(server).send(MAIL)).toEqual({ kind: 'sent' });
    const [{ from, recipients, raw } = { from: '', recipients: [], raw: '' }] = server.received;
    expect({ from, recipients }).toEqual({
      from: 'no-reply@example.org',
      recipients: ['reader@example.com'],
    });
    const [head = '', body = ''] = raw.split('\r\n\r\n', 1).concat(raw.slice(raw.indexOf('\r\n\r\n') + 4));
    expect(head).toContain('From: Trading <no-reply@example.org>\r\nTo: reader@example.com\r\n');
    expect(head).toContain('Subject: Verify your e-mail address\r\n');
    expect(head).toContain(`Message-ID: <${MAIL.id}@example.org>`);
    expect(head).toContain('Auto-Submitted: auto-generated');
    expect(head).toContain('Content-Type: text/plain; charset=utf-8');
    expect(head).toContain('Content-Transfer-Encoding: quoted-printable');
    const text = Buffer.from(
      body
        .replaceAll('=\r\n', '')
        .replaceAll(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
      'latin1',
    ).toString();
    expect(text.trimEnd()).toBe(MAIL.text.replaceAll('\n', '\r\n').trimEnd());
  });

  it('gets no additional header or recipient from line breaks in its subject', async () => {
    const server = await startServer();
    await clientOf(server).send({ ...MAIL, subject: 'Hi\r\nBcc: other@example.com\r\n\r\nbody' });
    const [{ recipients, raw } = { recipients: [], raw: '' }] = server.received;
    expect(recipients).toEqual(['reader@example.com']);
    expect(raw).not.toMatch(/^Bcc:/im);
  });

  it('is sent after a login if the URL has credentials, with any characters in the password', async () => {
    const { authority, valid } = await makeCertificates();
    const server = await startServer({
      ...valid,
      hideSTARTTLS: false,
      authOptional: false,
      authMethods: ['PLAIN'],
      onAuth: ({ username, password }, _session, callback) =>
        password === 'p@ss:/?#[]%' ? callback(null, { user: String(username) }) : callback(new Error('no')),
    });
    const clientWith = (password: string) =>
      new SmtpClient({
        url: `smtp://mailer:${encodeURIComponent(password)}@localhost:${server.port}`,
        from: 'no-reply@example.org',
        timeoutMs: 2_000,
        ca: authority,
      });
    expect(await clientWith('p@ss:/?#[]%').send(MAIL)).toEqual({ kind: 'sent' });
    expect(server.received).toMatchObject([{ user: 'mailer' }]);
    expect(await clientWith('wrong').send(MAIL)).toMatchObject({ kind: 'unreachable' });
  });
});

describe('a mail whose', () => {
  it.each([
    ['recipient is rejected permanently', 'onRcptTo', 550, 'rejected'],
    ['recipient is rejected temporarily', 'onRcptTo', 451, 'deferred'],
    ['sender is rejected permanently', 'onMailFrom', 553, 'unreachable'],
    ['connection is rejected permanently', 'onConnect', 554, 'unreachable'],
    ['connection is rejected temporarily', 'onConnect', 421, 'unreachable'],
  ] as const)(
    '%s has the right outcome, which contains the code but no address',
    async (_case, at, responseCode, kind) => {
      const server = await startServer(
        at === 'onConnect'
          ? { onConnect: (_session, callback) => callback(rejection(responseCode)) }
          : {
              [at]: (_address: unknown, _session: unknown, callback: (error: Error) => void) =>
                callback(rejection(responseCode)),
            },
      );
      const outcome = await clientOf(server).send(MAIL);
      expect(outcome).toMatchObject({ kind });
      expect(JSON.stringify(outcome)).toContain(String(responseCode));
      expect(JSON.stringify(outcome)).not.toContain('@');
    },
  );

  it.each([
    [554, 'rejected'],
    [452, 'deferred'],
  ] as const)('text is rejected with %d has the outcome %s', async (responseCode, kind) => {
    const server = await startServer({
      onData: (stream, _session, callback) => {
        stream.resume();
        stream.on('end', () => callback(rejection(responseCode)));
      },
    });
    expect(await clientOf(server).send(MAIL)).toMatchObject({ kind });
  });
});

describe('a mail to a server', () => {
  it('that does not accept connections has the outcome unreachable', async () => {
    const server = await openMailServer();
    await server.close();
    expect(await clientOf(server).send(MAIL)).toMatchObject({ kind: 'unreachable' });
  });

  it('that accepts the text but never replies has the outcome deferred, because it may have been delivered', async () => {
    const server = await startServer({ onData: (stream) => void stream.resume() });
    expect(await clientOf(server, '', 300).send(MAIL)).toMatchObject({ kind: 'deferred' });
  });

  it('that never sends its greeting has the outcome unreachable', async () => {
    const server = await startServer({ onConnect: () => undefined });
    expect(await clientOf(server, '', 100).send(MAIL)).toMatchObject({ kind: 'unreachable' });
  });
});

describe('a password', () => {
  it.each(['127.0.0.1', 'localhost'])(
    'is never sent unencrypted to %s, even if the server offers no STARTTLS',
    async (host) => {
      const passwords: unknown[] = [];
      const server = await startServer({
        authOptional: false,
        allowInsecureAuth: true,
        onAuth: ({ password }, _session, callback) => {
          passwords.push(password);
          callback(null, { user: 'mailer' });
        },
      });
      const url = `smtp://mailer:secret@${host}:${server.port}`;
      const client = new SmtpClient({ url, from: 'no-reply@example.org', timeoutMs: 1_000 });
      expect(await client.send(MAIL)).toMatchObject({ kind: 'unreachable' });
      expect(passwords).toEqual([]);
    },
  );

  it('is never sent to a server whose certificate is not trusted', async () => {
    const passwords: unknown[] = [];
    const { selfSigned } = await makeCertificates();
    const server = await startServer({
      ...selfSigned,
      hideSTARTTLS: false,
      authOptional: false,
      onAuth: ({ password }, _session, callback) => {
        passwords.push(password);
        callback(null, { user: 'mailer' });
      },
    });
    const url = `smtp://mailer:secret@localhost:${server.port}`;
    const client = new SmtpClient({ url, from: 'no-reply@example.org', timeoutMs: 1_000 });
    expect(await client.send(MAIL)).toMatchObject({ kind: 'unreachable' });
    expect(passwords).toEqual([]);
  });

  it('is not needed for mail to be sent over TLS or not at all, if the URL requires STARTTLS', async () => {
    const server = await startServer();
    const url = `smtp://127.0.0.1:${server.port}?starttls=required`;
    const client = new SmtpClient({ url, from: 'no-reply@example.org', timeoutMs: 1_000 });
    expect(await client.send(MAIL)).toMatchObject({ kind: 'unreachable' });
    expect(server.received).toEqual([]);
  });
});
