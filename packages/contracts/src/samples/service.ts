import { serviceOperations as operations } from '../service.js';
import { sample } from './sample.js';

export const serviceSamples = [
  sample(operations.health, { title: 'Is the API there?' }),
  sample(operations.detailedHealth, { title: 'How is each service behind it?' }),
  sample(operations.version, { title: 'Which version, and which world?' }),
];
