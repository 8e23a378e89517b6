/** Loads TypeScript of the workspace, and exports the SQL of its statements from each module that is asked for it. */
import { register } from 'node:module';

register('./load-source.mjs', import.meta.url);
