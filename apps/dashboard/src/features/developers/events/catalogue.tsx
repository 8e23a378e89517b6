'use client';
import { parseAsString, useQueryState } from 'nuqs';
import { classNames } from '../../../ui/class-names';
import { CodeBlock } from '../../../ui/code-block';
import { PageHeader } from '../../../ui/page-header';
import { TableSkeleton } from '../../../ui/skeleton';
import { StaleNotice } from '../../../ui/stale-notice';
import { ErrorState } from '../../../ui/states';
import { wordsOf } from '../../../ui/status';
import { Tab, Tabs } from '../../../ui/tabs';
import { subjectsOf } from '../shared/event-selectors.rules';
import { indentJson } from '../shared/raw-json.rules';
import { EventTabs } from './event-tabs';
import { type CatalogueEntry, useCatalogue } from './use-catalogue';

/** Every event type with its description, a sample and the schema of its payload. */
export function EventCatalogue() {
  const types = useCatalogue();
  const [chosen, choose] = useQueryState('type', parseAsString);
  const retry = () => void types.refetch();
  const kinds = types.data ?? [];
  const shown = kinds.find(({ type }) => type === chosen) ?? kinds[0];
  return (
    <>
      <PageHeader
        title="Events"
        description="Every type of event, with a sample and the JSON Schema of its payload."
      />
      <EventTabs />
      {types.isPending && <TableSkeleton rows={12} />}
      {types.isError &&
        (types.data === undefined ? (
          <ErrorState error={types.error} onRetry={retry} />
        ) : (
          <div className="pb-4">
            <StaleNotice error={types.error} onRetry={retry} />
          </div>
        ))}
      {shown !== undefined && (
        <div className="grid gap-4 lg:grid-cols-[280px_minmax(0,1fr)]">
          <TypeList kinds={kinds} shown={shown.type} onChoose={(type) => void choose(type)} />
          <Kind kind={shown} />
        </div>
      )}
    </>
  );
}

interface TypeListProps {
  readonly kinds: readonly CatalogueEntry[];
  readonly shown: string;
  readonly onChoose: (type: string) => void;
}

function TypeList({ kinds, shown, onChoose }: TypeListProps) {
  return (
    <nav
      aria-label="Event types"
      className="flex flex-col gap-3 self-start rounded-card border bg-surface p-2 max-lg:max-h-72 max-lg:overflow-y-auto"
    >
      {subjectsOf(kinds).map(({ subject, types }) => (
        <div key={subject}>
          <p className="px-2 pb-1 text-muted text-xs">{wordsOf(subject)}</p>
          <ul>
            {types.map(({ type }) => (
              <li key={type}>
                <button
                  type="button"
                  aria-current={type === shown ? 'true' : undefined}
                  onClick={() => onChoose(type)}
                  className={classNames(
                    'flex h-8 w-full items-center rounded-control px-2 text-left font-mono text-xs hover:bg-hover',
                    type === shown && 'bg-selected font-medium',
                  )}
                >
                  {type}
                </button>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

const textOf = (value: unknown) => JSON.stringify(value, null, 2);

function Kind({ kind }: { readonly kind: CatalogueEntry }) {
  const [tab] = useQueryState('tab', parseAsString);
  return (
    <section className="min-w-0 rounded-card border bg-surface p-5">
      <h2 className="font-mono font-semibold text-base">{kind.type}</h2>
      <p className="pt-1 pb-4 text-muted text-sm">{kind.description}</p>
      <Tabs label="Payload" initial={tab === 'schema' ? 'schema' : 'sample'}>
        <Tab value="sample" label="Sample">
          <CodeBlock
            label="Sample payload"
            title="application/json"
            code={indentJson(kind.sampleText)}
            className="max-h-160"
          />
        </Tab>
        <Tab value="schema" label="Schema">
          <CodeBlock
            label="Schema"
            title="JSON Schema, 2020-12"
            code={textOf(kind.schema)}
            className="max-h-160"
          />
        </Tab>
      </Tabs>
    </section>
  );
}
