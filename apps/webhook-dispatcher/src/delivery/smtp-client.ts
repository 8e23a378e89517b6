/**
 * Sends one mail over SMTP and says how that ended.
 *
 * 1. Plain text to one address; nothing of a mail is fetched from a file or a URL.
 * 2. A password is never sent in the clear, but on this machine.
 * 3. The Message-ID follows from the mail's id: sent again, it is the same mail.
 * 4. Only what the server says to the recipient or the text is about the mail; what it says to us (greeting,
 *    log-in, sender) and not being reached at all is about the configuration or the hour, and costs the mail nothing.
 *    A connection that breaks later may have delivered it: that counts, so that nobody gets it without end.
 */
import type { ClaimedMail, MailOutcome } from '@trading-automation/core/mail';
import { createTransport, type NodemailerError, type Transporter } from 'nodemailer';

export interface SmtpSettings {
  /** `smtp://` or `smtps://`, with user and password where the server asks for them. */
  readonly url: string;
  /** An address, or `Name <address>`. */
  readonly from: string;
  /** The longest wait for the server to be found, to take the connection and to greet; twice that for each answer. */
  readonly timeoutMs: number;
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const SOCKET_PATIENCE = 2;
/** All of the waits of one mail. */
const WAITS_MAX = 5;

export class SmtpClient {
  private readonly transport: Transporter;
  private readonly domain: string;

  constructor(private readonly settings: SmtpSettings) {
    this.transport = transportOf(settings);
    this.domain = domainOf(settings.from);
  }

  /** Longer than a mail can take. */
  get deadlineMs(): number {
    return this.settings.timeoutMs * WAITS_MAX;
  }

  /** Never throws. */
  async send(mail: ClaimedMail): Promise<MailOutcome> {
    const timer = new AbortController();
    const late = new Promise<MailOutcome>((resolve) => {
      const timeout = setTimeout(() => resolve({ kind: 'deferred', error: 'too slow' }), this.deadlineMs);
      timer.signal.addEventListener('abort', () => clearTimeout(timeout));
    });
    try {
      return await Promise.race([this.attempt(mail), late]);
    } finally {
      timer.abort();
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

function transportOf({ url, timeoutMs }: SmtpSettings): Transporter {
  const { protocol, hostname, port, username, password } = new URL(url);
  const hasLogin = username !== '';
  return createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    ...(port === '' ? {} : { port: Number(port) }),
    secure: protocol === 'smtps:',
    requireTLS: hasLogin && !LOOPBACK.test(hostname),
    ...(hasLogin ? { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } } : {}),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    // Longer than the wait for the greeting, so that the two are told apart.
    socketTimeout: timeoutMs * SOCKET_PATIENCE,
    dnsTimeout: timeoutMs,
  });
}

/** The domain of an address, which may stand in `<…>` behind a name. */
function domainOf(from: string): string {
  return from.slice(from.lastIndexOf('@') + 1).replace(/>\s*$/, '');
}

const UNREACHABLE_CODES: readonly (string | undefined)[] = ['EDNS', 'ETLS', 'EAUTH', 'ENOAUTH', 'ECONFIG'];
const UNREACHABLE_COMMANDS: readonly (string | undefined)[] = ['MAIL FROM', 'EHLO', 'HELO', 'STARTTLS'];
/** What breaks a connection that stood. */
const CONNECTION_LOST_CODES: readonly (string | undefined)[] = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'];

/** How a failed try ended; in words without addresses, which a server's own words may hold. */
function outcomeOf(error: NodemailerError): MailOutcome {
  const words = [error.code, error.originalCode, error.responseCode].filter((word) => word !== undefined);
  return { kind: kindOf(error), error: words.join(' ') || 'unknown' };
}

function kindOf(error: NodemailerError): 'rejected' | 'deferred' | 'unreachable' {
  const { code, command, permanent, responseCode } = error;
  if (command === 'RCPT TO' || command === 'DATA') return permanent === true ? 'rejected' : 'deferred';
  if (command === 'API' && (code === 'EENVELOPE' || code === 'EMESSAGE')) return 'rejected';
  if (UNREACHABLE_CODES.includes(code) || UNREACHABLE_COMMANDS.includes(command)) return 'unreachable';
  const isGreeting = command === 'CONN' && responseCode !== undefined;
  return isGreeting || failedBeforeData(error) ? 'unreachable' : 'deferred';
}

/** Whether a socket or a wait failed before the server can have had the mail: while connecting, or over TLS. */
function failedBeforeData({ code, originalCode, syscall, timeoutType }: NodemailerError): boolean {
  if (code === 'ESOCKET') return syscall === 'connect' || !CONNECTION_LOST_CODES.includes(originalCode);
  return code === 'ETIMEDOUT' && timeoutType !== 'SOCKET_TIMEOUT';
}
