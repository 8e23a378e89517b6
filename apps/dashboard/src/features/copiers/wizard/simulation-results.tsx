'use client';
/** What a copier would have done: the result, the curves, and why signals were skipped. */
import type { Simulation } from '@trading-automation/sdk';
import { Exact } from '../../../format/decimals';
import { Card } from '../../../ui/card';
import { Stat, StatRow } from '../../../ui/stat';
import { Amount, Change, Percent, Time } from '../../../ui/values';
import { REASON_NAMES } from '../decision-reasons';
import { basisOf } from '../simulated-curve.rules';
import { TrackingBars } from '../tracking-bars';
import type { CopierRow, StrategyRecord } from '../use-copier';
import { SimulatedDecisions } from './simulated-decisions';
import { SimulationChart } from './simulation-chart';

export interface SimulationResultsProps {
  readonly result: Simulation<'string'>;
  readonly strategy: StrategyRecord;
  /** How the copier is sized: its capital, if any, is what the result is compared with. */
  readonly sizing: CopierRow['sizing'];
}

export function SimulationResults({ result, strategy, sizing }: SimulationResultsProps) {
  if (result.signal_count === 0)
    return (
      <Card title="Nothing to simulate">
        <p className="text-muted text-sm">
          The strategy sent no signal in this time. Choose a longer time, or start without a simulation.
        </p>
      </Card>
    );
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Figures result={result} sizing={sizing} />
      <SimulationChart result={result} strategy={strategy} sizing={sizing} />
      <div className="grid items-start gap-4 2xl:grid-cols-2">
        <Reasons result={result} />
        <Card title="Tracking difference">
          <TrackingBars difference={result.tracking_difference_bps} parts={result.tracking} />
        </Card>
      </div>
      <SimulatedDecisions result={result} />
      <p className="text-muted text-xs">
        A simulation replays past signals at the strategy's prices, in full and without delay, with the equity
        and the rules of today. Real copies have slippage. Past results say nothing about the future.
      </p>
    </div>
  );
}

function Figures({ result, sizing }: Pick<SimulationResultsProps, 'result' | 'sizing'>) {
  const basis = basisOf(result, sizing);
  const start = new Exact(basis.amount);
  const roi = start.gt(0) ? new Exact(result.net_pnl).div(start).toFixed() : null;
  const { currency } = result;
  return (
    <StatRow>
      <Stat
        label="Result after fees"
        value={<Change value={result.net_pnl} asset={currency} />}
        note={
          <>
            <Percent ratio={roi} isChange /> of{' '}
            {basis.kind === 'capital' ? 'its capital' : "the account's equity"} of{' '}
            <Amount value={basis.amount} asset={currency} digits={2} />
          </>
        }
      />
      <Stat label="Fees" value={<Amount value={result.fees} asset={currency} digits={2} />} note="Included" />
      <Stat
        label="Copied"
        value={result.copied}
        note={`of ${result.signal_count} ${result.signal_count === 1 ? 'signal' : 'signals'}`}
      />
      <Stat label="Reduced" value={result.clamped} note="by a limit" />
      <Stat
        label="Skipped"
        value={result.skipped}
        note={
          <>
            since <Time at={result.from} />
          </>
        }
      />
    </StatRow>
  );
}

function Reasons({ result }: { readonly result: SimulationResultsProps['result'] }) {
  const reasons = Object.entries(result.skipped_by_reason).sort(([, a = 0], [, b = 0]) => b - a);
  const most = reasons[0]?.[1] ?? 1;
  return (
    <Card title="Why signals were skipped">
      {reasons.length === 0 ? (
        <p className="text-muted text-sm">No signal was skipped.</p>
      ) : (
        <ul className="flex flex-col">
          {reasons.map(([code, count = 0]) => (
            <li
              key={code}
              className="grid grid-cols-[1fr_auto] items-center gap-x-3 border-t py-2 text-sm first:border-t-0"
            >
              <span>{REASON_NAMES[code] ?? code}</span>
              <span className="text-right">{count}</span>
              <span aria-hidden className="col-span-2 mt-1 h-1.5 rounded bg-hover">
                <span
                  className="block h-1.5 rounded bg-line-strong"
                  style={{ width: `${(count / most) * 100}%` }}
                />
              </span>
            </li>
          ))}
        </ul>
      )}
      {result.skipped_by_reason.NOT_HELD !== undefined && (
        <p className="pt-3 text-muted text-xs">
          After a skipped entry, the exits of the same lot are skipped, too: there is nothing to sell.
        </p>
      )}
      {result.left_out_count > 0 && (
        <p className="pt-3 text-muted text-xs">
          {result.left_out_count} older signals were left out: only the newest {result.signal_count} are
          replayed.
        </p>
      )}
    </Card>
  );
}
