import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { svc } from '../svc.mjs';
import { startReceiver } from './receiver.mjs';

/**
 * Plays the first trade as a user at a terminal: from an empty home to filled trades and verified webhooks, only with
 * commands of the CLI. The home is removed afterwards.
 *
 * @typedef {{ command: string, output: string }} Played the command and its output
 *
 * @param {{ restUrl: string, paperExchangeUrl: string, show?: (played: Played) => void }} options `show` receives each
 *   command that worked, without secrets
 * @throws {Error} with the message of the first command that fails
 */
export async function playFirstTrade({ restUrl, paperExchangeUrl, show = () => {} }) {
  const home = mkdtempSync(join(tmpdir(), 'trading-automation-svc-'));
  const receiver = await startReceiver();
  /** @param {string[]} args */
  async function type(...args) {
    const { code, stdout, stderr } = await svc(home, args);
    const command = ['svc', ...args].join(' ');
    if (code !== 0) throw new Error(`$ ${command}\n${stderr}(exit code ${code})`);
    show({ command, output: withoutSecrets((stderr + stdout).trimEnd()) });
    return stdout.trim();
  }
  try {
    await type('auth', 'login', '--base-url', restUrl, '--label', 'first trade');
    await type('dev', 'seed', '--paper-url', paperExchangeUrl);
    await type('pairs', 'list', '--exchange', 'paper');
    const hook = ['--url', receiver.url, '--events', 'trade.*', '--json', 'id,secret'];
    const webhook = JSON.parse(await type('webhooks', 'create', ...hook));
    receiver.useSecret(webhook.secret);

    const buy = ['trades', 'create', '--pair', 'BTC/USDT', '--side', 'BUY', '--json', 'id,status'];
    const limit = JSON.parse(await type(...buy, '--type', 'LIMIT', '--price', '10000', '--amount', '0.001'));
    const market = JSON.parse(await type(...buy, '--type', 'MARKET', '--amount', '0.01'));
    await type('trades', 'watch', market.id, '--until-final');
    const shown = ['--json', 'status,filled_amount,average_price,fee'];
    const filled = JSON.parse(await type('trades', 'get', market.id, ...shown));
    const cancelled = JSON.parse(
      await type('trades', 'cancel', limit.id, '--json', 'status,cancel_reason,filled_amount'),
    );

    const deliveries = await Promise.all(
      [
        ['trade.created', limit.id],
        ['trade.created', market.id],
        ['trade.filled', market.id],
        ['trade.cancelled', limit.id],
      ].map(([kind, id]) =>
        receiver.until(
          `${kind} of ${id}`,
          ({ event, isGenuine }) => event.type === kind && event.data.id === id && isGenuine,
        ),
      ),
    );
    await type('webhooks', 'deliveries', webhook.id);
    return { webhook, limit, market, filled, cancelled, deliveries };
  } finally {
    await receiver.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** @param {string} text */
const withoutSecrets = (text) => text.replaceAll(/whsec_[\w+/=-]+/g, 'whsec_…');
