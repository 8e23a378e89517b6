import type { Operation } from '../operation.js';
import { algoOperations } from './algo-operations.js';
import { batchOperations } from './batch-operations.js';
import { futuresAccountOperations } from './futures-account-operations.js';
import type { FuturesContext } from './futures-context.js';
import { futuresInfoOperations } from './futures-exchange-info.js';
import { futuresMarketOperations } from './futures-market-operations.js';
import { futuresOrderOperations } from './futures-order-operations.js';
import { settingsOperations } from './settings-operations.js';

/** Returns the futures operations of the venue. What is not among them is refused with -1020. */
export function futuresOperationsOf(context: FuturesContext): readonly Operation[] {
  return [
    ...futuresInfoOperations(context),
    ...futuresMarketOperations(context),
    ...futuresOrderOperations(context),
    ...batchOperations(context),
    ...algoOperations(context),
    ...futuresAccountOperations(context),
    ...settingsOperations(context),
  ];
}
