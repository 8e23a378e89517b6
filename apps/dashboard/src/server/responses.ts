/** Responses of this server's own routes, in the form of the API, so that the SDK reads them. */
import type { ErrorCode } from '@trading-automation/contracts';

const NO_STORE = { 'cache-control': 'no-store' };

export function sendData(data: object, cookies: readonly string[] = [], status = 200): Response {
  return withCookies(Response.json({ success: true, data }, { status, headers: NO_STORE }), cookies);
}

export function sendError(status: number, code: ErrorCode, message: string): Response {
  const error = { code, message, details: [] };
  return Response.json({ success: false, error }, { status, headers: NO_STORE });
}

export function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}
