import {
  type Decimal,
  type ExchangeAccount,
  encodeId,
  type SupportedExchange,
} from '@trading-automation/contracts';
import type { ExchangeVenue } from '@trading-automation/exchanges';
import { balanceDetail } from './balance-detail.rules.js';
import type { ExchangeAccountEntity } from './exchange-account.entity.js';
import type { SupportedExchangeEntity } from './supported-exchange.entity.js';

/** @param balance free plus locked, by asset; see `currentBalances` */
export function exchangeAccountView(
  account: ExchangeAccountEntity,
  balance: Readonly<Record<string, Decimal>>,
): ExchangeAccount {
  return {
    id: encodeId('exa', account.id),
    exchange_name: account.exchange,
    account_name: account.accountName,
    trading_type: account.tradingType,
    is_active: account.isActive,
    inactive_reason: account.isActive ? null : (account.inactiveReason ?? 'CREDENTIALS'),
    can_trade: account.canTrade,
    can_withdraw: account.canWithdraw,
    balance: { ...balance },
    balance_detail: balanceDetail(account, balance),
    last_sync_at: account.lastSyncAt?.toISOString() ?? null,
    created_at: account.createdAt.toISOString(),
    updated_at: account.updatedAt.toISOString(),
  };
}

export function viewSupportedExchange(exchange: SupportedExchangeEntity): SupportedExchange {
  return {
    id: exchange.code,
    name: exchange.name,
    trading_types: exchange.tradingTypes,
    stages: { ...exchange.stages },
    credentials: {
      secret: exchange.credentialForm.secret,
      has_passphrase: exchange.credentialForm.hasPassphrase,
      permissions: permissionsOf(exchange),
    },
    is_active: exchange.isActive,
    created_at: exchange.createdAt.toISOString(),
  };
}

/** A row that an earlier release wrote has no permissions until a trading worker starts. */
function permissionsOf({ tradingTypes, credentialForm }: SupportedExchangeEntity) {
  const stored: ExchangeVenue['credentialForm']['permissions'] = credentialForm.permissions ?? {};
  return tradingTypes.flatMap((type) => {
    const permissions = stored[type];
    if (permissions === undefined) return [];
    const { needed, refused, notes } = permissions;
    return [{ trading_type: type, needed: [...needed], refused: [...refused], notes: [...notes] }];
  });
}
