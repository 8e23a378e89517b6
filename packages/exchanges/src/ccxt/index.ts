export { LocalBudget, type VenueRateLimits } from './budget.js';
export { limitsByBudget, type VenueConfig, venueConfig, venuesSetting } from './config.js';
export type { NonceSource } from './nonces.js';
export { createVenue, type VenueOptions } from './venue.js';
