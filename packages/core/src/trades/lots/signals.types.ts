/** What the rules of this folder know of signals. */
export type { EmittedLotState, NewSignal } from '../../strategies/index.js';
