export { LocalBudget, type VenueRateLimits } from './budget.js';
export { limitsByBudget, type VenueConfig, venueConfig, venuesSetting } from './config.js';
export { createVenue, type VenueOptions } from './venue.js';
