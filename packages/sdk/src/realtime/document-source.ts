/**
 * Provides the results of a caller's GraphQL operation.
 *
 * After a disconnect, the operation is sent again. A subscription loses the results of the time in between, unless its
 * variables define where it resumes. A mutation takes effect once, even if it is sent again.
 */
import { TradingAutomationError } from '../core/errors.js';
import { hexOf } from '../core/signer.js';
import type { StreamSource } from './reconnecting-stream.js';
import type { OperationPayload } from './shared-socket.js';

const BUFFER_MAX = 1_000;
/** Less than 64 KiB, the server's limit for a message: a message also contains the extensions and an id. */
const BYTES_MAX = 65_000;

export class DocumentSource<Data> implements StreamSource<Data> {
  readonly isEndless = false;
  private readonly buffer: Data[] = [];
  private readonly extensions = { idempotencyKey: hexOf(crypto.getRandomValues(new Uint8Array(16))) };

  constructor(
    private readonly query: string,
    private readonly variables: object | (() => object),
  ) {}

  /** @throws {RangeError} if the operation is too large; the server would close the shared connection */
  payload(): OperationPayload {
    const { query, extensions } = this;
    const variables = (
      typeof this.variables === 'function' ? this.variables() : this.variables
    ) as OperationPayload['variables'];
    const { length } = new TextEncoder().encode(JSON.stringify({ query, variables }));
    if (length > BYTES_MAX)
      throw new RangeError(`The operation has ${length} bytes; at most ${BYTES_MAX} are allowed.`);
    return { query, variables, extensions };
  }

  push(data: unknown): boolean {
    if (this.buffer.length >= BUFFER_MAX)
      throw new TradingAutomationError(
        `${BUFFER_MAX} unread results are buffered. Read faster, or subscribe to less data.`,
      );
    this.buffer.push(data as Data);
    return true;
  }

  shift(): Data | undefined {
    return this.buffer.shift();
  }

  hasCapacity(): boolean {
    return true;
  }
}
