/** Removes no defence: the dispatcher only sends. Another dispatcher fans out. */
import { builtModule } from './built-module.mjs';

const { WebhookFanOut } = await builtModule('packages/core/dist/webhooks/index.js');
WebhookFanOut.prototype.start = () => ({ stop: async () => undefined });
