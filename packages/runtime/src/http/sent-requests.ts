/** Reports the requests of known callers, once their responses were sent. */
import type { CredentialKind, LoggedMethod } from '@trading-automation/contracts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { addressOf } from './requests.js';

/** The holder of a request's valid credential. The ids are uuids. */
interface RequestCaller {
  readonly userId: string;
  readonly credential: { readonly kind: CredentialKind; readonly id: string };
}

/** A request whose response was sent, or whose client has disconnected. */
interface SentRequest {
  readonly caller: RequestCaller;
  readonly method: LoggedMethod;
  /** The path as it is registered, with the names of its parameters. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string;
  readonly address: string;
  /** When the request arrived. */
  readonly at: Date;
}

export type RecordRequest = (request: SentRequest) => void;

const DECORATION = 'recordRequest';

/** Sets the function to which `recordWhenSent` gives the requests of a server. */
export function recordRequestsOf(server: FastifyInstance, record: RecordRequest): void {
  server.decorate(DECORATION, record);
}

/** Records a request once its response was sent. A request without a caller is not recorded. */
export function recordWhenSent(reply: FastifyReply, caller: RequestCaller | undefined): void {
  if (caller === undefined) return;
  const { request, raw, server } = reply;
  const record = server.getDecorator<RecordRequest>(DECORATION);
  const recordNow = () => {
    const durationMs = Math.round(reply.elapsedTime);
    record({
      caller,
      method: request.method as LoggedMethod,
      route: request.routeOptions.url!,
      status: reply.statusCode,
      durationMs,
      requestId: request.id,
      address: addressOf(request),
      at: new Date(Date.now() - durationMs),
    });
  };
  if (raw.closed) recordNow();
  else raw.once('close', recordNow);
}
