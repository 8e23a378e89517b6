import type { Register } from '../context.js';
import { registerApi } from './api.js';
import { registerDev } from './dev.js';
import { registerDocs } from './docs.js';
import { registerDoctor } from './doctor.js';
import { registerEventsStream } from './events-stream.js';
import { registerGraphql } from './graphql.js';
import { registerListen } from './listen.js';
import { registerOpen } from './open.js';
import { registerOrderbook } from './orderbook.js';
import { registerSignals } from './signals.js';
import { registerTradesWatch } from './trades-watch.js';
import { registerTrigger } from './trigger.js';

/** Commands that do more than call one operation. */
export const CUSTOM_COMMANDS: readonly Register[] = [
  registerListen,
  registerTrigger,
  registerEventsStream,
  registerTradesWatch,
  registerOrderbook,
  registerSignals,
  registerApi,
  registerGraphql,
  registerDoctor,
  registerDev,
  registerOpen,
  registerDocs,
];
