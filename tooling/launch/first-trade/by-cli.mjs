import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { svc } from '../svc.mjs';
import { startReceiver } from './receiver.mjs';

/**
 * Runs the first trade as a user at a terminal: from an empty home folder to filled trades and verified webhooks, only with
 * commands of the CLI. The home folder is removed afterwards.
 *
 * @typedef {{ command: string, output: string }} CommandResult
 *
 * @param {{ restUrl: string, paperExchangeUrl: string, show?: (result: CommandResult) => void }} options `show` receives each
 *   successful command, without secrets
 * @throws {Error} with the message of the first command that fails
 */
export async function playFirstTrade({ restUrl, paperExchangeUrl, show = () => {} }) {
  const home = mkdtempSync(join(tmpdir(), 'trading-automation-svc-'));
  const receiver = await startReceiver();
  /** @param {string[]} args */
  async function runSvc(...args) {
    const { code, stdout, stderr } = await svc(home, args);
    const command = ['svc', ...args].join(' ');
    if (code !== 0) throw new Error(`$ ${command}\n${stderr}(exit code ${code})`);
    show({ command, output: withoutSecrets((stderr + stdout).trimEnd()) });
    return stdout.trim();
  }
  try {
    await runSvc('auth', 'login', '--base-url', restUrl, '--label', 'first trade');
    await runSvc('dev', 'seed', '--paper-url', paperExchangeUrl);
    await runSvc('pairs', 'list', '--exchange', 'paper');
    const webhookOptions = ['--url', receiver.url, '--events', 'trade.*', '--json', 'id,secret'];
    const webhook = JSON.parse(await runSvc('webhooks', 'create', ...webhookOptions));
    receiver.useSecret(webhook.secret);

    const buy = ['trades', 'create', '--pair', 'BTC/USDT', '--side', 'BUY', '--json', 'id,status'];
    const limit = JSON.parse(
      await runSvc(...buy, '--type', 'LIMIT', '--price', '10000', '--amount', '0.001'),
    );
    const market = JSON.parse(await runSvc(...buy, '--type', 'MARKET', '--amount', '0.01'));
    await runSvc('trades', 'watch', market.id, '--until-final');
    const fields = ['--json', 'status,filled_amount,average_price,fee'];
    const filled = JSON.parse(await runSvc('trades', 'get', market.id, ...fields));
    const cancelled = JSON.parse(
      await runSvc('trades', 'cancel', limit.id, '--json', 'status,cancel_reason,filled_amount'),
    );

    const deliveries = await Promise.all(
      [
        ['trade.created', limit.id],
        ['trade.created', market.id],
        ['trade.filled', market.id],
        ['trade.cancelled', limit.id],
      ].map(([type, id]) =>
        receiver.until(
          `${type} of ${id}`,
          ({ event, isGenuine }) => event.type === type && event.data.id === id && isGenuine,
        ),
      ),
    );
    await runSvc('webhooks', 'deliveries', webhook.id);
    return { webhook, limit, market, filled, cancelled, deliveries };
  } finally {
    await receiver.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** @param {string} text */
const withoutSecrets = (text) => text.replaceAll(/whsec_[\w+/=-]+/g, 'whsec_…');
