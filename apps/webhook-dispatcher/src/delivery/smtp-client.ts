/**
 * Sends one mail over SMTP and classifies the result.
 *
 * 1. A mail is plain text to one address. No part of it is loaded from a file or a URL.
 * 2. The password is sent only over TLS with a verified certificate. If the server offers no STARTTLS, nothing is sent.
 * 3. The Message-ID is derived from the mail's id, so that the recipient's server can recognise a repeated mail.
 * 4. An attempt counts towards the mail's maximum of attempts if the server rejects the recipient or the text. It does
 *    not count if the connection, the greeting, the login or the sender fails: the cause is then a wrong setting or an
 *    outage. If the connection breaks later, the mail may have been delivered. That attempt counts, so that no user
 *    gets the same mail endlessly.
 */
import type { ClaimedMail, MailOutcome } from '@trading-automation/core/mail';
import { createTransport, type NodemailerError, type Transporter } from 'nodemailer';

export interface SmtpSettings {
  /** `smtps://`, or `smtp://`, with `?starttls=required` if it has a user and password. */
  readonly url: string;
  /** An address, or `Name <address>`. */
  readonly from: string;
  /**
   * The time limit of each of these steps: DNS look-up, connection, and greeting. The time limit of each later reply is
   * twice as long.
   */
  readonly timeoutMs: number;
  /** Authorities to trust instead of the system's, in PEM. */
  readonly ca?: string;
}

const SOCKET_TIMEOUT_FACTOR = 2;
/** The time limit of sending one mail, as a multiple of `timeoutMs`. */
const DEADLINE_FACTOR = 5;

/** Returns whether the URL of a mail server contains a user or a password. */
export function sendsCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

/** Returns whether mail is sent over TLS or not at all. Credentials alone require this, too. */
export function requiresTls(url: string): boolean {
  const { protocol, searchParams } = new URL(url);
  return protocol === 'smtps:' || searchParams.get('starttls') === 'required';
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Returns whether the mail server runs on this machine. */
export function isOnThisMachine(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname);
}

export class SmtpClient {
  private readonly transport: Transporter;
  private readonly domain: string;

  constructor(private readonly settings: SmtpSettings) {
    this.transport = transportOf(settings);
    this.domain = domainOf(settings.from);
  }

  /** The time limit of sending one mail, in milliseconds. */
  get deadlineMs(): number {
    return this.settings.timeoutMs * DEADLINE_FACTOR;
  }

  /** Sends one mail. Never throws: a failure is an outcome. */
  async send(mail: ClaimedMail): Promise<MailOutcome> {
    const settled = new AbortController();
    const late = new Promise<MailOutcome>((resolve) => {
      const timeout = setTimeout(() => resolve({ kind: 'deferred', error: 'timeout' }), this.deadlineMs);
      settled.signal.addEventListener('abort', () => clearTimeout(timeout));
    });
    try {
      return await Promise.race([this.attempt(mail), late]);
    } finally {
      settled.abort();
    }
  }

  private async attempt({ id, to, subject, text }: ClaimedMail): Promise<MailOutcome> {
    try {
      await this.transport.sendMail({
        from: this.settings.from,
        to: { name: '', address: to },
        subject,
        text,
        messageId: `<${id}@${this.domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return { kind: 'sent' };
    } catch (error) {
      return outcomeOf(error as NodemailerError);
    }
  }
}

function transportOf({ url, timeoutMs, ca }: SmtpSettings): Transporter {
  const { protocol, hostname, port, username, password } = new URL(url);
  const hasLogin = username !== '';
  return createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    ...(port === '' ? {} : { port: Number(port) }),
    secure: protocol === 'smtps:',
    requireTLS: hasLogin || requiresTls(url),
    ...(ca === undefined ? {} : { tls: { ca } }),
    ...(hasLogin ? { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } } : {}),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    // Longer than `greetingTimeout`, so that a missing greeting is reported as such and not as a socket timeout.
    socketTimeout: timeoutMs * SOCKET_TIMEOUT_FACTOR,
    dnsTimeout: timeoutMs,
  });
}

/** The domain of an address, which may be in `<…>` after a name. */
function domainOf(from: string): string {
  return from.slice(from.lastIndexOf('@') + 1).replace(/>\s*$/, '');
}

const UNREACHABLE_CODES: readonly (string | undefined)[] = ['EDNS', 'ETLS', 'EAUTH', 'ENOAUTH', 'ECONFIG'];
const UNREACHABLE_COMMANDS: readonly (string | undefined)[] = ['MAIL FROM', 'EHLO', 'HELO', 'STARTTLS'];
/** The codes of errors that break an established connection. */
const CONNECTION_LOST_CODES: readonly (string | undefined)[] = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'];

/**
 * Classifies a failed attempt. The returned error contains only codes, because the text of the server's reply may
 * contain mail addresses.
 */
function outcomeOf(error: NodemailerError): MailOutcome {
  const codes = [error.code, error.originalCode, error.responseCode].filter((code) => code !== undefined);
  return { kind: kindOf(error), error: codes.join(' ') || 'unknown' };
}

function kindOf(error: NodemailerError): 'rejected' | 'deferred' | 'unreachable' {
  const { code, command, permanent, responseCode } = error;
  if (command === 'RCPT TO' || command === 'DATA') return permanent === true ? 'rejected' : 'deferred';
  if (command === 'API' && (code === 'EENVELOPE' || code === 'EMESSAGE')) return 'rejected';
  if (UNREACHABLE_CODES.includes(code) || UNREACHABLE_COMMANDS.includes(command)) return 'unreachable';
  const isGreeting = command === 'CONN' && responseCode !== undefined;
  return isGreeting || failedBeforeData(error) ? 'unreachable' : 'deferred';
}

/** Returns whether the attempt failed before the server received any mail data: while connecting or in TLS. */
function failedBeforeData({ code, originalCode, syscall, timeoutType }: NodemailerError): boolean {
  if (code === 'ESOCKET') return syscall === 'connect' || !CONNECTION_LOST_CODES.includes(originalCode);
  return code === 'ETIMEDOUT' && timeoutType !== 'SOCKET_TIMEOUT';
}
