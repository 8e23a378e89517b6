/** What the rules of this folder know of signals. */
export type { NewSignal, ToldLot } from '../../strategies/index.js';
