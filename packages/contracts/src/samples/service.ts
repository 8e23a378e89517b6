import { serviceOperations as operations } from '../service.js';
import { sample } from './sample.js';

export const serviceSamples = [
  sample(operations.health, { title: 'Check that the API is running' }),
  sample(operations.detailedHealth, { title: 'Get the status of each service' }),
  sample(operations.version, { title: 'Get the version and the environment' }),
];
