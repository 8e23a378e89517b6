/**
 * The fields that a log line may have. A line is written from this list, not from what a caller passes: a field that is
 * not listed, or whose value has another form than declared here, is not written.
 */
import { describeError } from './describe-error.js';
import { removeSecrets } from './remove-secrets.js';

/** Numbers by name. */
type Counts = object;

/** The fields of one log line. */
export interface LogFields {
  /** The stable name of the event, for example `request.failed`. */
  readonly event: string;
  /** Any thrown value. Only its type, code, text and stack are written, without values. */
  readonly err?: unknown;
  readonly account_id?: string;
  /** The number of accounts by state. */
  readonly accounts?: Counts;
  readonly attempt?: number;
  readonly claims?: number;
  readonly code?: string;
  readonly concurrency?: number;
  /** The part of a library that wrote the line. */
  readonly context?: string;
  readonly deliveries?: number;
  readonly delivery_id?: string;
  readonly engine?: string;
  /** The code of a delivery's failure, or the text of a mail server. */
  readonly error?: string | null;
  readonly exchange_order_id?: string;
  readonly exchanges?: readonly string[];
  readonly grace_ms?: number;
  readonly instance?: string;
  readonly is_recorded?: boolean;
  readonly job_id?: string;
  readonly jobs?: number;
  readonly lane?: string;
  readonly mail_id?: string;
  readonly migrations?: number | readonly string[];
  readonly operation?: string;
  readonly outcome?: string;
  /** The number of expired owners that were deleted. */
  readonly owners?: number;
  /** Signature engines that could not be used, with the reason. */
  readonly passed_over?: readonly { readonly name: string; readonly reason: string }[];
  readonly reason?: string;
  /** The number of deleted rows by kind. */
  readonly removed?: Counts;
  readonly request_id?: string;
  /** The number of requests that the request log lacks. */
  readonly requests?: number;
  readonly response_time_ms?: number | null;
  readonly state?: string;
  readonly status_code?: number | null;
  readonly symbol?: string;
  readonly trade_id?: string;
  /** The address at which the process listens. Only its origin is written. */
  readonly url?: string;
  readonly webhook_id?: string;
  readonly workers?: number;
}

type Writer = (value: unknown) => unknown;

/** A name that the product chose, or an id. */
const NAME = /^[\w.:/+ -]{1,100}$/;
const name: Writer = (value) => (typeof value === 'string' && NAME.test(value) ? value : undefined);
const text: Writer = (value) => (typeof value === 'string' ? removeSecrets(value) : undefined);
const flag: Writer = (value) => (typeof value === 'boolean' ? value : undefined);
const count: Writer = (value) => (typeof value === 'number' ? value : undefined);
const origin: Writer = (value) =>
  typeof value === 'string' && URL.canParse(value) ? new URL(value).origin : undefined;
const counts: Writer = (value) =>
  Object.fromEntries(
    Object.entries(value ?? {}).filter(([key, each]) => NAME.test(key) && typeof each === 'number'),
  );
const list =
  (item: Writer): Writer =>
  (value) =>
    Array.isArray(value) ? value.map(item).filter((each) => each !== undefined) : undefined;

const FIELDS: Readonly<Record<Exclude<keyof LogFields, 'err'>, Writer>> = {
  event: name,
  account_id: name,
  accounts: counts,
  attempt: count,
  claims: count,
  code: name,
  concurrency: count,
  context: name,
  deliveries: count,
  delivery_id: name,
  engine: name,
  error: text,
  exchange_order_id: name,
  exchanges: list(name),
  grace_ms: count,
  instance: name,
  is_recorded: flag,
  job_id: name,
  jobs: count,
  lane: name,
  mail_id: name,
  migrations: (value) => (Array.isArray(value) ? list(name)(value) : count(value)),
  operation: name,
  outcome: name,
  owners: count,
  passed_over: list((each) => {
    const engine = each as { name?: unknown; reason?: unknown };
    return { name: name(engine.name), reason: text(engine.reason) };
  }),
  reason: text,
  removed: counts,
  request_id: name,
  requests: count,
  response_time_ms: count,
  state: name,
  status_code: count,
  symbol: name,
  trade_id: name,
  url: origin,
  webhook_id: name,
  workers: count,
};

/** Returns the fields of a log line that may be written. */
export function writtenFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue;
    if (field === 'err') written.err = describeError(value);
    else if (Object.hasOwn(FIELDS, field)) written[field] = FIELDS[field as keyof typeof FIELDS](value);
  }
  return written;
}
