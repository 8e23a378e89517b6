/**
 * The results of an operation of the caller's own.
 *
 * After a cut it is asked for anew: what a subscription would have told meanwhile is lost, unless its variables say from
 * where it goes on. A mutation that is sent again happens once.
 */
import { TradingAutomationError } from '../core/errors.js';
import { hexOf } from '../core/signer.js';
import type { StreamSource } from './reconnecting-stream.js';
import type { OperationPayload } from './shared-socket.js';

const KEPT_MAX = 1_000;
const BYTES_MAX = 65_000;

export class DocumentSource<Data> implements StreamSource<Data> {
  readonly isEndless = false;
  private readonly kept: Data[] = [];
  private readonly extensions = { idempotencyKey: hexOf(crypto.getRandomValues(new Uint8Array(16))) };

  constructor(
    private readonly query: string,
    private readonly variables: object | (() => object),
  ) {}

  /** @throws {RangeError} where the server would take no message of that size, and close the connection for all */
  payload(): OperationPayload {
    const { query, extensions } = this;
    const variables = (
      typeof this.variables === 'function' ? this.variables() : this.variables
    ) as OperationPayload['variables'];
    const { length } = new TextEncoder().encode(JSON.stringify({ query, variables }));
    if (length > BYTES_MAX)
      throw new RangeError(`An operation has ${BYTES_MAX} bytes at most, and this one ${length}.`);
    return { query, variables, extensions };
  }

  push(data: unknown): boolean {
    if (this.kept.length >= KEPT_MAX)
      throw new TradingAutomationError(`${KEPT_MAX} results wait to be read: read faster, or ask for less.`);
    this.kept.push(data as Data);
    return true;
  }

  shift(): Data | undefined {
    return this.kept.shift();
  }

  hasCapacity(): boolean {
    return true;
  }
}
