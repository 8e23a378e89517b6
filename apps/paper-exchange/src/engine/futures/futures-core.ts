import { HOUSE } from '../ledger.js';
import type { FeeRates } from '../settlement.js';
import { AlgoBook } from './algo-book.js';
import { INSURANCE } from './futures-account.js';
import { FuturesLog } from './futures-log.js';
import { FuturesMatcher, type SplitLots } from './futures-matcher.js';
import type { FuturesRecord } from './futures-records.js';
import { FuturesSettlement } from './futures-settlement.js';
import type { FuturesState } from './futures-state.js';
import { Margins } from './margins.js';

/** What the accounts of the exchange own in the beginning, in units of 10^-8 USDT. */
const HOUSE_GRANT = 10n ** 20n;
const INSURANCE_GRANT = 10n ** 15n;

export interface FuturesOptions {
  readonly state: FuturesState;
  readonly fees: FeeRates;
  readonly now: () => number;
  readonly persist: (record: FuturesRecord) => void;
  readonly splitLots?: SplitLots;
}

/** The parts of the futures engine, which its operations share. */
export interface FuturesCore {
  readonly log: FuturesLog;
  readonly settlement: FuturesSettlement;
  readonly matcher: FuturesMatcher;
  readonly algos: AlgoBook;
  readonly margins: Margins;
}

/** Creates the parts of the engine from a state, which may be restored from a journal. */
export function createFuturesCore(options: FuturesOptions): FuturesCore {
  const { state } = options;
  const log = new FuturesLog(options);
  const settlement = new FuturesSettlement(options, log);
  const core = {
    log,
    settlement,
    matcher: new FuturesMatcher(state, settlement, log, options.splitLots),
    algos: new AlgoBook(),
    margins: new Margins(state),
  };
  for (const order of state.openAlgoOrders()) core.algos.add(order);
  if (state.deposited === 0n) {
    for (const [id, grant] of [
      [HOUSE, HOUSE_GRANT],
      [INSURANCE, INSURANCE_GRANT],
    ] as const) {
      state.account(id).cross += grant;
      state.deposited += grant;
      log.touch(state.account(id));
    }
  }
  return core;
}
