/** What an API is made of, whatever its transport. */
export { type ApiFeatureOptions, type ApiSecrets, apiFeatures } from './api-features.js';
export { apiSettings } from './api-settings.js';
export {
  type ApiSurroundings,
  type ApiSurroundingsOptions,
  openApiSurroundings,
} from './api-surroundings.js';
export { Build } from './build.js';
