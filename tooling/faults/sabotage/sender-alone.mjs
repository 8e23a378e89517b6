/** No defence is taken away here: the dispatcher sends and fans nothing out, which is left to another. */
import { builtModule } from './built-module.mjs';

const { WebhookFanOut } = await builtModule('packages/core/dist/webhooks/index.js');
WebhookFanOut.prototype.start = () => ({ stop: async () => undefined });
