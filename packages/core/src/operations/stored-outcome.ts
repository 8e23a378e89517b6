/**
 * Stores the outcome of an operation for its Idempotency-Key: the value, not its rendering. Each transport renders the
 * value for the request at hand.
 *
 * The text is a line with the version of the format, then JSON. Version 1 had no such line: it was the response in the
 * transport's own format, which begins with a JSON value and therefore never with this line.
 */
import {
  compileStoredValue,
  DomainError,
  ERRORS,
  type Operation,
  type StoredValueCodec,
} from '@trading-automation/contracts';
import type { StoredResponse } from '@trading-automation/persistence';

const VERSION_LINE = 'outcome/2\n';

/** The data of a successful operation, or its error. */
export type StoredOutcome =
  | {
      readonly data: unknown;
      /** The HTTP status, if it differs from that of the operation. */
      readonly status?: Operation['status'] | undefined;
      /** The path under `/v1` of the created record, if it is not the path of the request and the id. */
      readonly location?: string | undefined;
    }
  | { readonly error: DomainError };

export class StoredOutcomes {
  private readonly codec: StoredValueCodec;

  constructor(private readonly operation: Operation) {
    this.codec = compileStoredValue(operation.response);
  }

  /** @throws {TypeError} if the data does not match the schema of the response */
  write(outcome: StoredOutcome): StoredResponse {
    if ('error' in outcome) {
      const { code, message, details } = outcome.error;
      const text = JSON.stringify({ error: { code, message, details } });
      return { status: ERRORS[code].status, body: Buffer.from(VERSION_LINE + text) };
    }
    const { data, status, location } = outcome;
    const text = `{"data":${this.codec.write(data)},"response":${JSON.stringify({ status, location })}}`;
    return { status: status ?? this.operation.status, body: Buffer.from(VERSION_LINE + text) };
  }

  /** Returns undefined if a previous release stored the response, in the format of the transport. */
  read({ body }: StoredResponse): StoredOutcome | undefined {
    const text = Buffer.from(body).toString();
    if (!text.startsWith(VERSION_LINE)) return undefined;
    const stored = JSON.parse(text.slice(VERSION_LINE.length));
    if (stored.error === undefined) return { data: this.codec.restore(stored.data), ...stored.response };
    const { code, message, details } = stored.error;
    return { error: new DomainError(code, message, details) };
  }
}
