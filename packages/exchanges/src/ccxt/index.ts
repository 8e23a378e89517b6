export { type VenueConfig, venueConfig, venuesSetting } from './config.js';
export { createVenue } from './venue.js';
