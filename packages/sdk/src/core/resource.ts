import type { DecimalForm } from './decimals.js';
import type { OperationClient } from './operation-client.js';

/** The operations on one record type. Each method is a typed call of the operation table. */
export abstract class Resource<D extends DecimalForm> {
  constructor(protected readonly caller: OperationClient<D>) {}
}
