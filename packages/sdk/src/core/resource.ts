import type { DecimalForm } from './decimals.js';
import type { OperationClient } from './operation-client.js';

/** The operations on one record type. Each method is a typed call of one operation of the generated table. */
export abstract class Resource<D extends DecimalForm> {
  constructor(protected readonly operations: OperationClient<D>) {}
}
