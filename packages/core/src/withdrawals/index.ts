export { CONFIRMATION_PATH } from './addresses/address-mail.js';
export { WithdrawalAddressesService } from './addresses/withdrawal-addresses.service.js';
export { missingLiveSettings, withdrawalSettingsOf, withdrawalVariables } from './withdrawal-settings.js';
export { type WithdrawalSettings, WithdrawalsModule } from './withdrawals.module.js';
export { WithdrawalsService } from './withdrawals.service.js';
