/** What an API consists of, for any transport. */
export { type ApiFeatureOptions, type ApiSecrets, apiFeatures } from './api-features.js';
export {
  type ApiInfrastructure,
  type ApiInfrastructureOptions,
  openApiInfrastructure,
} from './api-infrastructure.js';
export { apiSettings } from './api-settings.js';
export { BuildInfo } from './build-info.js';
export { USE_CASES } from './use-cases.js';
