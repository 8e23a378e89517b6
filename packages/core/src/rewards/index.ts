export { ProfitSharesService } from './profit-share/profit-shares.service.js';
export { RewardAccrual, type RewardSettings } from './reward-accrual.service.js';
export { RewardAccrualModule, RewardsModule } from './rewards.module.js';
export { RewardsService } from './rewards.service.js';
