export { LocalBudget, type LocalLimits } from './budget.js';
export { limitsOf, PROVEN_VENUES, type VenueConfig, venueConfig, venuesSetting } from './config.js';
export { createVenue, type VenueOptions } from './venue.js';
