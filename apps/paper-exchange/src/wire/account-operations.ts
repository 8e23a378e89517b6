import { formatUnits } from '../engine/decimal.js';
import { ASSETS, SYMBOLS } from '../engine/symbols.js';
import { VENUE_ERRORS } from '../errors.js';
import { commissionOf } from './commission.js';
import { accountOperation, type Operation, type VenueContext } from './operation.js';
import { symbolOf } from './params.js';
import { accountView } from './views.js';

const ZERO = formatUnits(0n);

/** Declares the operations on an account: its balances, limits and fees. */
export function accountOperations(context: VenueContext): Operation[] {
  const { exchange, limits, fees, now } = context;
  const { state } = exchange;
  return [
    accountOperation(
      'GET /api/v3/account',
      { params: ['omitZeroBalances'], socketMethod: 'account.status' },
      ({ account, params }) => {
        const omitsZero = params.get('omitZeroBalances') ?? 'false';
        if (omitsZero !== 'true' && omitsZero !== 'false')
          throw VENUE_ERRORS.invalidValue('omitZeroBalances');
        return accountView(state, account, fees, now(), omitsZero === 'true');
      },
    ),
    accountOperation(
      'GET /api/v3/rateLimit/order',
      { socketMethod: 'account.rateLimits.orders' },
      ({ account }) => limits.orderView(account.id),
    ),
    accountOperation(
      'GET /api/v3/account/commission',
      { params: ['symbol'], socketMethod: 'account.commission' },
      ({ params }) => ({
        symbol: symbolOf(params).id,
        standardCommission: commissionOf(fees),
        specialCommission: { maker: ZERO, taker: ZERO, buyer: ZERO, seller: ZERO },
        taxCommission: { maker: ZERO, taker: ZERO, buyer: ZERO, seller: ZERO },
        discount: {
          enabledForAccount: false,
          enabledForSymbol: false,
          discountAsset: 'BNB',
          discount: '1.00000000',
        },
      }),
    ),
    ...walletOperations(context),
  ];
}

/** Declares the operations of the venue's wallet API that clients call before they trade. */
function walletOperations({ exchange: { state }, fees, now }: VenueContext): Operation[] {
  return [
    accountOperation('GET /sapi/v1/account/apiRestrictions', {}, ({ account }) => ({
      ipRestrict: false,
      createTime: account.createdAt,
      enableReading: true,
      enableSpotAndMarginTrading: account.canTrade,
      enableWithdrawals: account.canWithdraw,
      enableInternalTransfer: false,
      enableMargin: account.canTrade,
      enableFutures: account.canTrade,
      permitsUniversalTransfer: false,
      enableVanillaOptions: false,
      enableFixApiTrade: false,
      enableFixReadOnly: false,
      enablePortfolioMarginTrading: false,
    })),
    accountOperation('GET /sapi/v1/account/status', {}, () => ({ data: 'Normal' })),
    accountOperation('GET /sapi/v1/account/apiTradingStatus', {}, () => ({
      data: {
        isLocked: false,
        plannedRecoverTime: 0,
        triggerCondition: { GCR: 150, IFER: 150, UFR: 300 },
        updateTime: now(),
      },
    })),
    accountOperation('GET /sapi/v1/asset/tradeFee', { params: ['symbol'] }, ({ params }) => {
      const specs = params.has('symbol') ? [symbolOf(params)] : SYMBOLS;
      const { maker: makerCommission, taker: takerCommission } = commissionOf(fees);
      return specs.map(({ id: symbol }) => ({ symbol, makerCommission, takerCommission }));
    }),
    accountOperation('GET /sapi/v1/capital/config/getall', {}, ({ account }) =>
      ASSETS.map((coin) => {
        const { free, locked } = state.ledger.balance(account.id, coin);
        return {
          coin,
          name: coin,
          free: formatUnits(free),
          locked: formatUnits(locked),
          freeze: ZERO,
          ipoable: ZERO,
          ipoing: ZERO,
          storage: ZERO,
          withdrawing: ZERO,
          isLegalMoney: false,
          trading: true,
          depositAllEnable: false,
          withdrawAllEnable: false,
          networkList: [],
        };
      }),
    ),
  ];
}
