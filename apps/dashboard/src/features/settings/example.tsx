'use client';
import { useNow } from '../../format/clock';
import { usePreferences } from '../../format/preferences';
import { formatExact } from '../../format/times';
import { Card } from '../../ui/card';
import { Detail, Details } from '../../ui/details';
import { Amount, Change, Percent, Time } from '../../ui/values';

const TWO_MINUTES_MS = 120_000;

/** Numbers and times with the chosen format. */
export function Example() {
  const style = usePreferences();
  const nowMs = useNow();
  const now = new Date(nowMs).toISOString();
  return (
    <Card title="Example">
      <div>
        <Details>
          <Detail name="Amount">
            <Amount value="1234567.891" asset="USDT" digits={2} />
          </Detail>
          <Detail name="Small amount">
            <Amount value="0.00051234" asset="BTC" />
          </Detail>
          <Detail name="Gain">
            <Change value="1204.1" asset="USDT" />
          </Detail>
          <Detail name="Loss">
            <Change value="-87.35" asset="USDT" />
          </Detail>
          <Detail name="Change">
            <Percent ratio="0.0123" isChange />
          </Detail>
          <Detail name="Time in a table">
            <Time at={now} isExact />
          </Detail>
          <Detail name="Exact time">{formatExact(now, style)}</Detail>
          <Detail name="Relative time">
            <Time at={new Date(nowMs - TWO_MINUTES_MS).toISOString()} />
          </Detail>
        </Details>
      </div>
    </Card>
  );
}
