/** Registers the loader of TypeScript sources, which adds an export with the SQL of its statements to each module. */
import { register } from 'node:module';

register('./load-source.mjs', import.meta.url);
