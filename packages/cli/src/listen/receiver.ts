/**
 * Sends events to a webhook receiver, as the platform's dispatcher does.
 *
 * 1. The body is the exact text of the event, signed with the secret at the time of sending.
 * 2. Redirects are not followed, any 2xx is a success, and the timeout is 30 s. Failures are returned, never thrown.
 * 3. Only the status of the response counts; its body is ignored.
 */
import { type ClientRequest, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { generateTestHeaders } from '@trading-automation/sdk/webhooks';
import { UsageError } from '../failures.js';

const TIMEOUT_MS = 30_000;
const USER_AGENT = 'trading-automation-webhooks/1';
/** Headers that the user cannot override, because they must match the body and its signature. */
const RESERVED_HEADERS = [
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'content-type',
  'content-length',
];

/** An event, as it is delivered. */
export interface RawEvent {
  readonly id: string;
  readonly type: string;
  /** The raw body. */
  readonly text: string;
}

/** A receiver, and how svc sends events to it. */
export interface Receiver {
  readonly url: URL;
  /** The signing secret, `whsec_…`. */
  readonly secret: string;
  /** Additional headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the TLS certificate is verified. */
  readonly isCertificateChecked: boolean;
  readonly timeoutMs?: number;
}

export interface DeliveryResult {
  /** Status of the response, if there was one. */
  readonly status?: number;
  /** Why there was no response. */
  readonly failure?: string;
  readonly ms: number;
}

/** Sends one event once. */
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
  const timeout = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      signal: AbortSignal.any([signal, timeout]),
      // Each delivery has a new connection: a pooled connection would break when the receiver restarts.
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
    const request: ClientRequest =
      url.protocol === 'https:'
        ? overHttps(url, { ...options, rejectUnauthorized: isCertificateChecked })
        : overHttp(url, options);
    request.on('error', (error) =>
      reject(timeout.aborted ? new Error(`no response within ${timeoutMs / 1000} s`) : error),
    );
    request.on('response', (response) => {
      // Drain the body: a receiver whose response is cut off would log an error.
      response.on('error', () => undefined).resume();
      resolve(response.statusCode ?? 0);
    });
    request.end(text);
  });
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'ENOTFOUND') return 'the host name does not resolve';
  if (code === 'ABORT_ERR') return 'aborted';
  return String(message === undefined || message === '' ? (code ?? error) : message);
}

/**
 * Parses `http://localhost:3000/hook`, `localhost:3000/hook` or `3000/hook`.
 *
 * @throws {UsageError} for any other form
 */
export function addressOf(address: string): URL {
  const text = /^\d+(?:\/|$)/.test(address) ? `localhost:${address}` : address;
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.hash !== '')
    throw new UsageError(
      `${JSON.stringify(address)} is not a valid receiver address. Use an http or https address such as localhost:3000/hook.`,
    );
  return url;
}

/** Parses `name: value` headers. @throws {UsageError} if one is invalid or reserved */
export function headersOf(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const text of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+)\s*:\s*([\t\x20-\x7e]*)$/.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`${JSON.stringify(text)} is not a valid header. Use name:value.`);
    if (RESERVED_HEADERS.includes(name.toLowerCase()))
      throw new UsageError(`The header ${name} is set by svc and cannot be overridden.`);
    headers[name.toLowerCase()] = value.trim();
  }
  return headers;
}
