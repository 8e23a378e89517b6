/** What an API is made of, whatever its transport. */
export { type ApiFeatureOptions, type ApiSecrets, apiFeatures } from './api-features.js';
export {
  type ApiSurroundings,
  type ApiSurroundingsOptions,
  openApiSurroundings,
} from './api-surroundings.js';
