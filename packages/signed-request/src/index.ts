/** Everything of the browser entry, and the choice among the three engines. */
export * from './browser.js';
export { EngineUnavailableError } from './engine.js';
export {
  ENGINE_NAMES,
  type EngineLoader,
  type OpenedEngine,
  openEngine,
  type PickedEngine,
  pickEngine,
} from './pick-engine.js';
