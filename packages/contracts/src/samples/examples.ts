import type { IdPrefix } from '../ids.js';
import { exampleId } from './sample.js';

/**
 * Values that a run of the samples must supply: credentials of two accounts at the paper exchange, two key pairs that
 * sign challenges, the e-mailed code, and two webhook receivers, of which one always fails.
 */
export const SAMPLE_FIXTURES = [
  'paper',
  'further_paper',
  'key_pair',
  'further_key_pair',
  'session_key_pair',
  'device_key_pair',
  'refused_key_pair',
  'mail',
  'receiver',
  'failing_receiver',
] as const;

/** The id prefix of the record that each name in the samples refers to. */
const ID_PREFIX_OF_NAME: Readonly<Record<string, IdPrefix>> = {
  bot_key: 'key',
  further_identity: 'pbk',
  account: 'exa',
  copy_account: 'exa',
  perpetual_account: 'exa',
  pairs: 'tpr',
  perpetual_pairs: 'tpr',
  resting: 'trd',
  lots: 'lot',
  strategy: 'str',
  copier: 'cpr',
  rewards: 'rwd',
  browser_session: 'pbk',
  withdrawal: 'wdr',
  withdrawal_address: 'wad',
  notifications: 'ntf',
  events: 'evt',
  webhook: 'whk',
  failing_webhook: 'whk',
  dead_letters: 'dlq',
};

const CHALLENGE = '2dd00bd77e0222ced882665481a9c1d9f907309d16e05ed007a1ea63928477a9';
const PUBLIC_KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
/** The challenge signed with the private key whose value is 1, from the published test vectors. */
const SIGNATURE =
  '519ebdf60a048f6b8f608f8ac15d33eb06f3cf50e127b75aca84648f92d5f1023f0745e2162ee84b9839e2bee77e8e87a253678f9476ff4841ed01ebefab9fae';

const FIXED_EXAMPLES: Readonly<Record<string, string>> = {
  '$challenge.challenge': CHALLENGE,
  '$key_pair.pubkey': PUBLIC_KEY,
  '$key_pair.signature': SIGNATURE,
  '$further_challenge.challenge': CHALLENGE,
  '$further_key_pair.pubkey': PUBLIC_KEY,
  '$further_key_pair.signature': SIGNATURE,
  '$session_challenge.challenge': CHALLENGE,
  '$session_key_pair.pubkey': PUBLIC_KEY,
  '$session_key_pair.signature': SIGNATURE,
  '$device_challenge.challenge': CHALLENGE,
  '$device_key_pair.pubkey': PUBLIC_KEY,
  '$device_key_pair.signature': SIGNATURE,
  '$refused_challenge.challenge': CHALLENGE,
  '$refused_key_pair.pubkey': PUBLIC_KEY,
  '$refused_key_pair.signature': SIGNATURE,
  '$device.user_code': 'BCDF-GHJK',
  '$device.device_code': 'the code from the response',
  '$refused_device.user_code': 'LMNP-QRST',
  '$mail.code': 'the code from the link',
  '$paper.api_key': 'your key at the exchange',
  '$paper.api_secret': 'your secret at the exchange',
  '$further_paper.api_key': 'your key at the exchange',
  '$further_paper.api_secret': 'your secret at the exchange',
  '$receiver.url': 'https://example.com/hooks/trading',
  '$failing_receiver.url': 'https://example.com/hooks/out-of-order',
};

/** Returns the value that the API reference shows in place of a string such as `$challenge.challenge`. */
export function exampleOf(reference: string): string {
  const fixed = FIXED_EXAMPLES[reference];
  if (fixed !== undefined) return fixed;
  const [, name = '', field = ''] = /^\$([a-z_]+)\.(?:\d+\.)?(\w+)$/.exec(reference) ?? [];
  const prefix = ID_PREFIX_OF_NAME[name];
  if (prefix === undefined || !['id', 'event_id'].includes(field))
    throw new TypeError(`no example is known for ${reference}`);
  return exampleId(prefix);
}
