export { pauseAllCopiers } from './copier-stops.service.js';
export { CopiersModule } from './copiers.module.js';
export { CopiersService } from './copiers.service.js';
export { FollowedStrategiesService } from './followed-strategies.service.js';
