import type { DecimalForm } from './decimals.js';
import type { OperationClient } from './operation-client.js';

/** The operations of one kind of record: each method is one line over the table of operations. */
export abstract class Resource<D extends DecimalForm> {
  constructor(protected readonly caller: OperationClient<D>) {}
}
