/**
 * Hands events to a receiver of webhooks, as the platform's dispatcher does.
 *
 * 1. The body is the event's own text, byte for byte; it is signed with the secret at the moment it is sent.
 * 2. No redirect is followed, and any 2xx counts; a receiver has 30 s. What goes wrong is an answer, never thrown.
 * 3. Of the answer its status counts alone: a receiver says by it what it has to say.
 */
import { type ClientRequest, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { generateTestHeaders } from '@trading-automation/sdk/webhooks';
import { UsageError } from '../failures.js';

const TIMEOUT_MS = 30_000;
const USER_AGENT = 'trading-automation-webhooks/1';
/** What a signature stands on is nobody's to replace. */
const OWN_HEADERS = [
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'content-type',
  'content-length',
];

/** An event as it is delivered. */
export interface RawEvent {
  readonly id: string;
  readonly type: string;
  /** The raw body. */
  readonly text: string;
}

/** Where events are handed to. */
export interface Receiver {
  readonly url: URL;
  /** `whsec_…` */
  readonly secret: string;
  /** Further headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** False: a certificate that nobody vouches for will do. */
  readonly isCertificateChecked: boolean;
  readonly timeoutMs?: number;
}

export interface DeliveryResult {
  /** The receiver's, where it answered. */
  readonly status?: number;
  /** Why it did not. */
  readonly failure?: string;
  readonly ms: number;
}

/** Hands one event over, once. */
export async function sendEvent(
  event: RawEvent,
  receiver: Receiver,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const startedAt = performance.now();
  const elapsedMs = () => Math.round(performance.now() - startedAt);
  try {
    const status = await post(event, receiver, signal);
    return { status, ms: elapsedMs() };
  } catch (error) {
    return { failure: reasonOf(error), ms: elapsedMs() };
  }
}

export function isAccepted({ status = 0 }: DeliveryResult): boolean {
  return status >= 200 && status < 300;
}

function post({ id, text }: RawEvent, receiver: Receiver, signal: AbortSignal): Promise<number> {
  const { url, secret, headers, isCertificateChecked, timeoutMs = TIMEOUT_MS } = receiver;
  const limit = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      signal: AbortSignal.any([signal, limit]),
      // Each delivery on a connection of its own: a receiver that restarts has cut none that waits.
      agent: false as const,
      headers: {
        'user-agent': USER_AGENT,
        'x-svc-attempt': '1',
        ...headers,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(text)),
        ...generateTestHeaders({ payload: text, secret, id }),
      },
    };
    const sent: ClientRequest =
      url.protocol === 'https:'
        ? overHttps(url, { ...options, rejectUnauthorized: isCertificateChecked })
        : overHttp(url, options);
    sent.on('error', (error) =>
      reject(limit.aborted ? new Error(`no answer within ${timeoutMs / 1000} s`) : error),
    );
    sent.on('response', (answer) => {
      // Read to its end by nobody: a receiver that is cut off while it answers would call that an error of its own.
      answer.on('error', () => undefined).resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.end(text);
  });
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === 'ECONNREFUSED') return 'nobody listens there';
  if (code === 'ENOTFOUND') return 'the name is not known';
  if (code === 'ABORT_ERR') return 'cut short';
  return String(message === undefined || message === '' ? (code ?? error) : message);
}

/** The address in `http://localhost:3000/hook`, `localhost:3000/hook` or `3000/hook`. @throws {UsageError} for anything else */
export function addressOf(given: string): URL {
  const text = /^\d+(?:\/|$)/.test(given) ? `localhost:${given}` : given;
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.hash !== '')
    throw new UsageError(
      `${JSON.stringify(given)} is no address to hand events to: give one like localhost:3000/hook, over http or https.`,
    );
  return url;
}

/** The headers in `name: value` texts. @throws {UsageError} for what is none, or is part of what is signed */
export function headersOf(given: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const text of given) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+)\s*:\s*([\t\x20-\x7e]*)$/.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`${JSON.stringify(text)} is no header: give name:value.`);
    if (OWN_HEADERS.includes(name.toLowerCase()))
      throw new UsageError(`${name} is the delivery's own header, and can't be given.`);
    headers[name.toLowerCase()] = value.trim();
  }
  return headers;
}
