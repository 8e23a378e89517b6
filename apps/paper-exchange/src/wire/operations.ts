import { accountOperations } from './account-operations.js';
import { exchangeInfoOperations } from './exchange-info.js';
import { type ListenKeys, listenKeyOperations } from './listen-keys.js';
import { listenTokenOperations, type MarginListenTokens } from './margin/listen-tokens.js';
import { marginOperations } from './margin/margin-operations.js';
import { marginOrderOperations } from './margin/margin-order-operations.js';
import { marketOperations } from './market-operations.js';
import type { Operation, VenueContext } from './operation.js';
import { orderListOperations } from './order-list-operations.js';
import { orderOperations } from './order-operations.js';

/** Returns all operations of the venue. What is not among them is refused with -1020. */
export function operationsOf(
  context: VenueContext,
  listenKeys: ListenKeys,
  listenTokens: MarginListenTokens,
): readonly Operation[] {
  return [
    ...exchangeInfoOperations(context),
    ...marketOperations(context),
    ...orderOperations(context),
    ...orderListOperations(context),
    ...accountOperations(context),
    ...marginOperations(context),
    ...marginOrderOperations(context),
    ...listenKeyOperations(listenKeys),
    ...listenTokenOperations(listenTokens),
  ];
}
