/** Sends requests exactly as a test writes them, also malformed ones that an HTTP client would not send. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { type ErrorCode, errorDetailOf } from '@trading-automation/contracts';

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
  /** Sends the body in chunks of 16 KiB, without a Content-Length. */
  readonly chunked?: boolean;
}

interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly details?: readonly { readonly field?: string; readonly code: string; readonly message: string }[];
  readonly request_id: string;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** An empty object if there is no body. */
  readonly json: { success?: boolean; data?: unknown; pagination?: unknown; error?: ErrorBody };
}

export const JSON_TYPE = { 'content-type': 'application/json' };

/** Returns a problem text if the reference does not describe a detail of the error; undefined if it describes all. */
export function undocumentedDetail(error: ErrorBody | undefined): string | undefined {
  for (const detail of error?.details ?? []) {
    const schema = errorDetailOf(error!.code as ErrorCode);
    const problem =
      schema === undefined ? 'errors of this code have no details' : schema.safeParse(detail).error;
    if (problem !== undefined)
      return `The reference does not describe this detail of ${error!.code}: ${JSON.stringify(detail)}: ${problem}`;
  }
  return undefined;
}

/** Sends a request with exactly this target, which a higher-level HTTP client would normalize. */
export function send(
  api: { port: number },
  method: string,
  target: string,
  options: SendOptions = {},
): Promise<TestResponse> {
  const { headers = {}, body, chunked = false } = options;
  return new Promise((resolve, reject) => {
    const lengthHeader =
      body === undefined || chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = httpRequest(
      {
        host: '127.0.0.1',
        port: api.port,
        method,
        path: target,
        headers: { ...lengthHeader, ...headers },
        agent: false,
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part) => parts.push(part));
        response.on('end', () => {
          const text = Buffer.concat(parts).toString();
          const json = text === '' ? {} : JSON.parse(text);
          const undocumented = undocumentedDetail(json.error);
          if (undocumented !== undefined) reject(new Error(undocumented));
          resolve({ status: response.statusCode!, headers: response.headers, text, json });
        });
      },
    );
    outgoing.on('error', reject);
    if (body !== undefined && chunked) {
      const bytes = Buffer.from(body);
      for (let start = 0; start < bytes.length; start += 16_384)
        outgoing.write(bytes.subarray(start, start + 16_384));
    } else if (body !== undefined) outgoing.write(body);
    outgoing.end();
  });
}

/** Sends raw bytes and returns everything received until the server closes the connection. */
export function sendBytes(api: { port: number }, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(api.port, '127.0.0.1', () => socket.write(bytes));
    let received = '';
    socket.on('data', (part) => {
      received += part.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

/** Returns the status of a response and its error code. */
export async function codeOf(response: Promise<TestResponse>): Promise<[number, string | undefined]> {
  const { status, json } = await response;
  return [status, json.error?.code];
}
