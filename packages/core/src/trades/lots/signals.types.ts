/** The signal types that the rules of this folder use. */
export type { EmittedLotState, NewSignal } from '../../strategies/index.js';
