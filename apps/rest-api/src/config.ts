import { apiSettings } from '@trading-automation/core/api';
import { missingLiveSettings } from '@trading-automation/core/withdrawals';
import { flag } from '@trading-automation/runtime';
import { edgeSettings, isSecureOrigin, originSetting } from '@trading-automation/runtime/http';
import { z } from 'zod';

/** Settings of the process, from environment variables. */
export const configSchema = z
  .object({
    ...edgeSettings,
    ...apiSettings,
    /** The origin at which clients reach this API; links in e-mails use it. Default: the address of this process. */
    PUBLIC_URL: originSetting.optional(),
    OPEN_REGISTRATION: flag.default(false),
    /** Allows webhooks to loopback addresses; for development only. */
    WEBHOOK_ALLOW_LOOPBACK: flag.default(false),
  })
  .superRefine((config, context) => {
    const { WORLD, WEBHOOK_ALLOW_LOOPBACK, PUBLIC_URL } = config;
    if (WORLD !== 'live') return;
    const addIssue = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    if (WEBHOOK_ALLOW_LOOPBACK) addIssue('WEBHOOK_ALLOW_LOOPBACK', 'must be off in the live world');
    for (const [name, message] of missingLiveSettings(config)) addIssue(name, message);
    if (PUBLIC_URL === undefined) addIssue('PUBLIC_URL', 'is required in the live world');
    else if (!isSecureOrigin(PUBLIC_URL)) addIssue('PUBLIC_URL', 'must be https in the live world');
  });

export type Config = z.output<typeof configSchema>;
