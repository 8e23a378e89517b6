import { describeVenue } from '../../../conformance/describe-venue.js';
import { dialect } from './dialect/dialect.js';

describeVenue(dialect, new URL('./', import.meta.url).href);
