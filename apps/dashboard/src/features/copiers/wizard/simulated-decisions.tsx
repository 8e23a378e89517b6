'use client';
import type { Simulation } from '@trading-automation/sdk';
import { useState } from 'react';
import { usePreferences } from '../../../format/preferences';
import { Button } from '../../../ui/button';
import { Card } from '../../../ui/card';
import { Segmented } from '../../../ui/segmented';
import { wordsOf } from '../../../ui/status';
import { Time } from '../../../ui/values';
import { decisionSentence } from '../decision-sentence';
import { OutcomeBadge } from '../outcome-badge';

const PAGE = 10;
type Shown = 'ALL' | 'COPIED' | 'CLAMPED' | 'SKIPPED';
const OPTIONS = [
  { value: 'ALL', label: 'All' },
  { value: 'COPIED', label: 'Copied' },
  { value: 'CLAMPED', label: 'Reduced' },
  { value: 'SKIPPED', label: 'Skipped' },
] as const;

/** The simulated decisions, newest first, each in a sentence. */
export function SimulatedDecisions({ result }: { readonly result: Simulation<'string'> }) {
  const { locale } = usePreferences();
  const [shown, setShown] = useState<Shown>('ALL');
  const [count, setCount] = useState(PAGE);
  const decisions = result.decisions.filter(({ outcome }) => shown === 'ALL' || outcome === shown).reverse();
  return (
    <Card
      title="Signal by signal"
      isFlush
      actions={<Segmented label="Outcome" value={shown} onChange={setShown} options={OPTIONS} />}
    >
      {decisions.length === 0 && (
        <p className="border-t px-4 py-4 text-muted text-sm">No signal has this outcome.</p>
      )}
      <ol>
        {decisions.slice(0, count).map((decision) => (
          <li
            key={`${decision.signal_id} ${decision.sequence}`}
            className="grid gap-x-4 gap-y-1 border-t px-4 py-2.5 text-sm sm:grid-cols-[9rem_1fr]"
          >
            <span className="text-muted text-xs">
              <span className="font-medium text-sm text-text">{decision.symbol}</span>
              <span className="block">
                {wordsOf(decision.kind)}, <Time at={decision.signal_at} />
              </span>
            </span>
            <span className="min-w-0">
              <OutcomeBadge outcome={decision.outcome} />{' '}
              <span className="pl-1">{decisionSentence(decision, locale)}</span>
            </span>
          </li>
        ))}
      </ol>
      {decisions.length > count && (
        <div className="border-t px-4 py-3">
          <Button onClick={() => setCount((now) => now + 5 * PAGE)}>
            Show more of {decisions.length} decisions
          </Button>
        </div>
      )}
    </Card>
  );
}
