import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { openMailbox } from './mailbox.mjs';

/** @type {string} */
let folder;
let mailbox;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailbox-'));
  mailbox = await open();
});
afterEach(async () => {
  await mailbox.close();
  rmSync(folder, { recursive: true });
});

const open = (limit = 200) => openMailbox({ smtpPort: 0, port: 0, folder, limit });
const send = (mail = {}) =>
  createTransport(mailbox.smtpUrl).sendMail({
    from: 'Trading <no-reply@example.org>',
    to: 'reader@example.com',
    subject: 'Hello',
    text: 'Hi.\n',
    ...mail,
  });
const messages = async () => (await (await fetch(`${mailbox.url}/messages`)).json()).messages;
const subjects = async () => (await messages()).map(({ subject }) => subject);

/** Sends a request with any Host header, which `fetch` does not allow. */
const statusOf = (path, host, method = 'GET') =>
  new Promise((resolve, reject) => {
    request(`${mailbox.url}${path}`, { method, headers: { host } }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end();
  });

describe('the mailbox', () => {
  it('shows mails to any address and in any script, the newest first', async () => {
    const text = `Öffnen:\n\n${'x'.repeat(200)} =20 €\n`;
    await send({ subject: 'Grüße 😀', text });
    await send({ to: ['a@example.com', 'b@example.com'], subject: 'Second' });
    expect(await messages()).toEqual([
      expect.objectContaining({ subject: 'Second', to: ['a@example.com', 'b@example.com'] }),
      {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        received_at: expect.stringMatching(/Z$/),
        from: 'no-reply@example.org',
        to: ['reader@example.com'],
        subject: 'Grüße 😀',
        text,
      },
    ]);
    const page = await (await fetch(mailbox.url)).text();
    expect(page.indexOf('Second')).toBeLessThan(page.indexOf('Grüße 😀'));
    expect(page.indexOf('Second')).toBeGreaterThan(0);
  });

  it('keeps the newest mails after a restart, in files that only their owner can read', async () => {
    for (const subject of ['1', '2', '3', '4']) await send({ subject });
    await mailbox.close();
    writeFileSync(join(folder, `${readdirSync(folder).sort()[0]}`), '{"cut');
    mailbox = await open(3);
    expect(await subjects()).toEqual(['4', '3', '2']);
    await send({ subject: '5' });
    expect(await subjects()).toEqual(['5', '4', '3']);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it('shows a mail once if it is sent again', async () => {
    await send({ messageId: '<1@example.org>' });
    await send({ messageId: '<2@example.org>', subject: 'Other' });
    await send({ messageId: '<1@example.org>' });
    expect(await subjects()).toEqual(['Hello', 'Other']);
  });

  it('shows only text: loads and runs nothing from a mail, and links only URLs of this machine', async () => {
    const text =
      '<img src=x onerror=alert(1)> https://evil.example/"> http://127.0.0.1:4000/v1/x?code=a_b-c"><b>\n';
    await send({ subject: '<script>alert(1)</script>', text, html: '<script>alert(2)</script>' });
    const [{ id }] = await messages();
    for (const path of ['/', `/mails/${id}`]) {
      const response = await fetch(mailbox.url + path);
      const html = await response.text();
      expect(html).not.toMatch(/<(?:script|img|b)\b/);
      expect(response.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-/,
      );
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
    const html = await (await fetch(`${mailbox.url}/mails/${id}`)).text();
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
    expect(links).toEqual(['/', 'http://127.0.0.1:4000/v1/x?code=a_b-c']);
  });

  it('responds only to requests for a host name of this machine, and allows no writes', async () => {
    const { host } = new URL(mailbox.url);
    expect(await statusOf('/messages', host)).toBe(200);
    expect(await statusOf('/messages', 'localhost')).toBe(200);
    for (const name of ['evil.example', '127.0.0.1.evil.example', 'evil.example:80']) {
      for (const path of ['/messages', '/%6dessages', '//messages'])
        expect(await statusOf(path, name)).toBe(403);
    }
    expect(await statusOf('/', host, 'POST')).toBe(405);
    for (const path of [
      '/mails/x',
      `/mails/${'0'.repeat(24)}`,
      '/mails/../../etc/passwd',
      '/favicon.ico',
      '/%6dessages',
    ]) {
      expect(await statusOf(path, host)).toBe(404);
    }
    expect(await statusOf('/', host, 'HEAD')).toBe(200);
  });

  it('rejects a mail that is too large, and still accepts the next one', async () => {
    await expect(send({ text: 'x'.repeat(1_100_000) })).rejects.toMatchObject({ responseCode: 552 });
    await send();
    expect(await subjects()).toEqual(['Hello']);
  });
});
