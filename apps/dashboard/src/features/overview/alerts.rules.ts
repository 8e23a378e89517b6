/** What needs the user's attention. */

export interface AlertAccount {
  readonly id: string;
  readonly account_name: string;
  readonly is_active: boolean;
  readonly inactive_reason: string | null;
  readonly can_withdraw: boolean | null;
  readonly last_sync_at: string | null;
}

export interface AlertWebhook {
  readonly id: string;
  readonly url: string;
  readonly is_active: boolean;
  readonly deactivated_at?: string;
  readonly deactivation_reason?: string;
}

export interface SyncFailure {
  readonly accountId: string;
  readonly at: string;
}

export interface Alert {
  readonly key: string;
  readonly isUrgent: boolean;
  readonly text: string;
  /** Of an account that is not active; undefined for any other alert. */
  readonly inactiveReason?: string | null;
  readonly at?: string | undefined;
  readonly href: string;
  readonly action: string;
}

const REASONS: Readonly<Record<string, string>> = {
  consecutive_failures: 'too many attempts failed in a row',
  insecure_url: 'its URL is not https',
};

/** Returns the alerts, the urgent ones first. */
export function alertsOf(
  accounts: readonly AlertAccount[],
  webhooks: readonly AlertWebhook[],
  failures: readonly SyncFailure[],
): Alert[] {
  const alerts = [
    ...accounts.flatMap((account) => accountAlerts(account, failures)),
    ...webhooks.flatMap((webhook) => webhookAlerts(webhook)),
  ];
  return alerts.sort((a, b) => Number(b.isUrgent) - Number(a.isUrgent));
}

function accountAlerts(account: AlertAccount, failures: readonly SyncFailure[]): Alert[] {
  const { id, account_name: name } = account;
  const alert = { href: `/exchanges/${id}`, isUrgent: true };
  if (!account.is_active)
    return [
      {
        ...alert,
        key: `${id} inactive`,
        text: `Nothing is traded on ${name}.`,
        inactiveReason: account.inactive_reason,
        action: 'View account',
      },
    ];
  const failedAt = failures
    .filter(({ accountId }) => accountId === id)
    .map(({ at }) => at)
    .sort()
    .at(-1);
  const isFailing =
    failedAt !== undefined && (account.last_sync_at === null || account.last_sync_at < failedAt);
  return [
    ...(isFailing
      ? [
          {
            ...alert,
            key: `${id} sync`,
            text: `${name} could not be synced. Its balances may be old.`,
            at: failedAt,
            action: 'View account',
          },
        ]
      : []),
    ...(account.can_withdraw
      ? [
          {
            ...alert,
            isUrgent: false,
            key: `${id} withdraw`,
            text: `The credentials of ${name} can withdraw. Replace them with ones that cannot.`,
            action: 'Replace credentials',
          },
        ]
      : []),
  ];
}

function webhookAlerts(webhook: AlertWebhook): Alert[] {
  const { id, url, is_active, deactivated_at, deactivation_reason = '' } = webhook;
  // A webhook that the user deactivated is no surprise.
  if (is_active || deactivation_reason === 'user') return [];
  const reason = REASONS[deactivation_reason];
  return [
    {
      key: id,
      isUrgent: true,
      text: `The webhook ${url} is deactivated${reason === undefined ? '' : `, because ${reason}`}.`,
      at: deactivated_at,
      href: `/developers/webhooks/${id}`,
      action: 'View webhook',
    },
  ];
}
