/** The browser entry, plus the selection of one of the three engines. */
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
