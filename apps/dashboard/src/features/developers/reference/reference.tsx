'use client';
import { parseAsString, useQueryState } from 'nuqs';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { useOpenApi } from '../../../data/openapi';
import { classNames } from '../../../ui/class-names';
import { PageHeader } from '../../../ui/page-header';
import { ScrollRegion } from '../../../ui/scroll-region';
import { Skeleton } from '../../../ui/skeleton';
import { StaleNotice } from '../../../ui/stale-notice';
import { ErrorState } from '../../../ui/states';
import { ReferenceTabs } from '../shared/reference-tabs';
import { Markdown } from './markdown';
import { MethodName } from './method-name';
import { groupsOf, type OpenApi, operationsOf } from './openapi.rules';
import { OperationView } from './operation-view';

export interface ReferenceProps {
  /** In Markdown; undefined if only the whole document has it. */
  readonly introduction: string | undefined;
  /** The origin of the REST API. */
  readonly restUrl: string;
}

/** The reference of the REST API, from its own document. */
export function Reference({ introduction, restUrl }: ReferenceProps) {
  const document = useOpenApi<OpenApi>();
  const retry = () => void document.refetch();
  return (
    <>
      <PageHeader
        title="Reference"
        description="Every operation of the REST API. “Try it” sends GET requests with the permissions of this session."
      />
      <ReferenceTabs />
      {document.isPending && (
        <div className="grid items-start gap-4 lg:grid-cols-[300px_minmax(0,1fr)]">
          <Skeleton className="h-120" />
          <Arrived introduction={introduction} restUrl={restUrl} />
        </div>
      )}
      {document.isError &&
        (document.data === undefined ? (
          <ErrorState error={document.error} onRetry={retry} />
        ) : (
          <div className="pb-4">
            <StaleNotice error={document.error} onRetry={retry} />
          </div>
        ))}
      {document.data !== undefined && <Loaded document={document.data} restUrl={restUrl} />}
    </>
  );
}

/** What the page shows until the document is loaded. */
function Arrived({ introduction, restUrl }: ReferenceProps) {
  const [chosen] = useQueryState('operation', parseAsString);
  return introduction === undefined || chosen !== null ? (
    <Skeleton className="h-120" />
  ) : (
    <Introduction text={introduction} restUrl={restUrl} />
  );
}

const Introduction = ({ text, restUrl }: { readonly text: string; readonly restUrl: string }) => (
  <article className="min-w-0 rounded-card border bg-surface p-5">
    <h2 className="pb-2 font-semibold text-lg">Introduction</h2>
    <Markdown text={text.replaceAll('$API_URL', () => restUrl)} />
  </article>
);

function Loaded({ document, restUrl }: { readonly document: OpenApi; readonly restUrl: string }) {
  const [chosen, choose] = useQueryState('operation', parseAsString.withOptions({ history: 'push' }));
  const operation = useMemo(
    () => operationsOf(document).find(({ operationId }) => operationId === chosen),
    [document, chosen],
  );
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[300px_minmax(0,1fr)]">
      <Contents document={document} chosen={operation?.operationId} onChoose={(id) => void choose(id)} />
      {operation === undefined ? (
        <Introduction text={document.info.description} restUrl={restUrl} />
      ) : (
        <OperationView
          key={operation.operationId}
          document={document}
          operation={operation}
          restUrl={restUrl}
        />
      )}
    </div>
  );
}

interface ContentsProps {
  readonly document: OpenApi;
  readonly chosen: string | undefined;
  readonly onChoose: (operationId: string | null) => void;
}

const firstSentence = (text: string) => text.split('. ')[0]?.replace(/\.$/, '');

function Contents({ document, chosen, onChoose }: ContentsProps) {
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search);
  const groups = useMemo(() => groupsOf(document, wanted), [document, wanted]);
  return (
    <nav
      aria-label="Operations"
      className="flex min-w-0 flex-col rounded-card border bg-surface lg:sticky lg:top-18"
    >
      <div className="p-2">
        <input
          type="search"
          aria-label="Search operations"
          placeholder="Search operations"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className="h-8 w-full rounded-control border bg-surface px-2.5 text-sm placeholder:text-muted pointer-coarse:h-10"
        />
      </div>
      <ScrollRegion
        label="List of operations"
        className="max-h-72 overflow-y-auto px-2 pb-2 -outline-offset-2 lg:max-h-[calc(100dvh-140px)]"
      >
        {wanted === '' && (
          <Entry isCurrent={chosen === undefined} onClick={() => onChoose(null)}>
            Introduction
          </Entry>
        )}
        {groups.map(({ name, operations }) => (
          <div key={name} className="pt-2">
            <p className="px-2 pb-1 text-muted text-xs">{name}</p>
            <ul>
              {operations.map(({ operationId, method, path, summary }) => (
                <li key={operationId}>
                  <Entry
                    isCurrent={operationId === chosen}
                    onClick={() => onChoose(operationId)}
                    title={summary}
                  >
                    <span className="min-w-0 flex-1">
                      <span className="block truncate">{firstSentence(summary)}</span>
                      <span className="flex items-center gap-1 font-normal text-muted">
                        <MethodName method={method} className="shrink-0" />
                        <span className="truncate font-mono text-xs">{path.replace('/v1', '')}</span>
                      </span>
                    </span>
                  </Entry>
                </li>
              ))}
            </ul>
          </div>
        ))}
        {groups.length === 0 && (
          <p className="px-2 py-3 text-muted text-sm">No operation matches the search.</p>
        )}
      </ScrollRegion>
    </nav>
  );
}

interface EntryProps {
  readonly isCurrent: boolean;
  readonly onClick: () => void;
  readonly title?: string;
  readonly children: ReactNode;
}

function Entry({ isCurrent, onClick, title, children }: EntryProps) {
  return (
    <button
      type="button"
      aria-current={isCurrent ? 'true' : undefined}
      onClick={onClick}
      title={title}
      className={classNames(
        'flex min-h-8 w-full min-w-0 items-center gap-1 rounded-control px-2 py-1 text-left text-sm -outline-offset-2 hover:bg-hover',
        isCurrent && 'bg-selected font-medium',
      )}
    >
      {children}
    </button>
  );
}
