export { type WithdrawalSettings, WithdrawalsModule } from './withdrawals.module.js';
export { WithdrawalsService } from './withdrawals.service.js';
