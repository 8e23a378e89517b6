'use client';
/** Bars of gains and losses. Each has its value with a sign, so that the colour only repeats it. */
import { Bar, BarChart, Cell, LabelList, ReferenceLine, ResponsiveContainer, XAxis, YAxis } from 'recharts';
import { formatSigned } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import type { NamedResult } from './breakdown.rules';

const TEXT = { fontSize: 11, fill: 'var(--slate-11)' };
const NAME_MAX = 18;
const shorten = (name: string) => (name.length > NAME_MAX ? `${name.slice(0, NAME_MAX - 1)}…` : name);

export function ResultBars({
  results,
  height,
}: {
  readonly results: readonly NamedResult[];
  readonly height: number;
}) {
  const { locale } = usePreferences();
  const data = results.map(({ name, net_pnl }) => ({
    name,
    // A drawing needs no exact digits; the label has them.
    value: Number(net_pnl),
    label: formatSigned(net_pnl, locale, 2),
  }));
  const largest = Math.max(...data.map(({ value }) => Math.abs(value)), 1e-9);
  const hasLoss = data.some(({ value }) => value < 0);
  const hasGain = data.some(({ value }) => value > 0);
  // Room for the labels beyond the ends of the bars.
  const domain = [hasLoss ? -1.45 * largest : 0, hasGain || !hasLoss ? 1.45 * largest : 0];
  return (
    <div aria-hidden style={{ height }}>
      <ResponsiveContainer width="100%" height="100%">
        <BarChart
          data={data}
          layout="vertical"
          accessibilityLayer={false}
          margin={{ top: 4, right: 16, bottom: 4, left: 16 }}
          barCategoryGap={10}
        >
          <XAxis type="number" domain={domain} hide />
          <YAxis
            type="category"
            dataKey="name"
            width={116}
            axisLine={false}
            tickLine={false}
            tick={TEXT}
            tickFormatter={shorten}
          />
          <ReferenceLine x={0} stroke="var(--slate-8)" />
          <Bar dataKey="value" isAnimationActive={false} maxBarSize={18} radius={2}>
            {data.map(({ name, value }) => (
              <Cell key={name} fill={value < 0 ? 'var(--tomato-9)' : 'var(--jade-9)'} />
            ))}
            <LabelList dataKey="label" position="right" {...TEXT} />
          </Bar>
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}
