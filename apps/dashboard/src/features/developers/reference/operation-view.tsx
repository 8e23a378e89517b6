'use client';
import { type ReactNode, useState } from 'react';
import { CodeBlock } from '../../../ui/code-block';
import { Copyable } from '../../../ui/copyable';
import { Tab, Tabs } from '../../../ui/tabs';
import { Line } from './markdown';
import { MethodName } from './method-name';
import {
  type ApiOperation,
  bodyOf,
  errorsOf,
  type OpenApi,
  parametersOf,
  type Schema,
  successOf,
} from './openapi.rules';
import { sampleWith } from './sample-code.rules';
import { MemberHead, SchemaView } from './schema-view';
import { type Answer, TryIt } from './try-it';

interface OperationProps {
  readonly document: OpenApi;
  readonly operation: ApiOperation;
}

interface OperationViewProps extends OperationProps {
  readonly restUrl: string;
}

/** One operation: how to call it, what it returns and how it fails. `restUrl`: the origin of the REST API, for the samples. */
export function OperationView({ document, operation, restUrl }: OperationViewProps) {
  const { summary, description, method, path } = operation;
  return (
    <article aria-label={operation.operationId} className="min-w-0 rounded-card border bg-surface p-5">
      <h2 className="font-semibold text-lg">{summary}</h2>
      <div className="flex flex-wrap items-center gap-2 pt-1 pb-2">
        <MethodName method={method} />
        <Copyable text={path} />
      </div>
      {description !== undefined && (
        <p className="text-muted text-sm">
          <Line text={description} />
        </p>
      )}
      <div className="grid gap-8 pt-4 xl:grid-cols-[minmax(0,1fr)_360px] 2xl:grid-cols-2">
        <div className="min-w-0">
          <Tabs label="Operation" initial="request">
            <Tab value="request" label="Request">
              <Request document={document} operation={operation} />
            </Tab>
            <Tab value="response" label="Response">
              <Response document={document} operation={operation} />
            </Tab>
            <Tab value="errors" label="Errors">
              <Errors document={document} operation={operation} />
            </Tab>
          </Tabs>
        </div>
        <div className="min-w-0">
          <Samples document={document} operation={operation} restUrl={restUrl} />
        </div>
      </div>
    </article>
  );
}

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className="pb-4">
    <h3 className="pb-1 font-medium text-sm">{title}</h3>
    {children}
  </section>
);

const PLACES = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Headers'],
] as const;

function Request({ document, operation }: OperationProps) {
  const parameters = parametersOf(document, operation);
  const body = bodyOf(operation);
  if (parameters.length === 0 && body === undefined)
    return <p className="text-muted text-sm">This operation has no parameters and no body.</p>;
  return (
    <>
      {PLACES.map(([place, title]) => {
        const members = parameters.filter((parameter) => parameter.in === place);
        if (members.length === 0) return null;
        return (
          <Part key={place} title={title}>
            <ul>
              {members.map(({ name, schema = {}, required = false, description }) => (
                <li key={name} className="border-t py-2 first:border-t-0">
                  <MemberHead
                    document={document}
                    name={name}
                    schema={schema}
                    isRequired={required}
                    description={description}
                  />
                </li>
              ))}
            </ul>
          </Part>
        );
      })}
      {body?.schema !== undefined && (
        <Part title="Body">
          <SchemaView document={document} schema={body.schema} />
        </Part>
      )}
    </>
  );
}

function Response({ document, operation }: OperationProps) {
  const success = successOf(document, operation);
  if (success?.schema === undefined) return <p className="text-muted text-sm">The response has no body.</p>;
  const data: Schema = success.schema.properties?.data ?? success.schema;
  return (
    <Part title={`Status ${success.status}${success.type === 'application/json' ? ', member data' : ''}`}>
      <SchemaView document={document} schema={data} />
    </Part>
  );
}

function Errors({ document, operation }: OperationProps) {
  return (
    <ul>
      {errorsOf(document, operation).map(({ code, status, meaning, resolution }) => (
        <li key={code} className="border-t py-2 first:border-t-0">
          <p className="flex items-baseline gap-2">
            <span className="text-muted text-xs">{status}</span>
            <code className="font-medium font-mono text-xs">{code}</code>
          </p>
          <p className="pt-0.5 text-muted text-sm">
            <Line text={`${meaning} ${resolution}`} />
          </p>
        </li>
      ))}
    </ul>
  );
}

function Samples({ document, operation, restUrl }: OperationViewProps) {
  // Only the chosen tab is mounted, so the inputs of "Try it" are kept here.
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [answer, setAnswer] = useState<Answer>();
  const samples = operation['x-codeSamples'] ?? [];
  const examples = Object.entries(bodyOf(operation)?.examples ?? {});
  const isTryable = operation.method === 'GET' && successOf(document, operation)?.type === 'application/json';
  return (
    <Tabs label="Samples" initial={isTryable ? 'try' : (samples[0]?.label ?? 'body')}>
      {isTryable && (
        <Tab value="try" label="Try it">
          <TryIt
            document={document}
            operation={operation}
            values={values}
            onChange={(name, value) => setValues((now) => ({ ...now, [name]: value }))}
            answer={answer}
            onAnswer={setAnswer}
          />
        </Tab>
      )}
      {samples.map(({ label, source }) => (
        <Tab key={label} value={label} label={label}>
          <CodeBlock
            label={`Sample: ${label}`}
            title={label}
            code={sampleWith(source, restUrl, operation, values)}
            className="max-h-120"
          />
        </Tab>
      ))}
      {examples.length > 0 && (
        <Tab value="body" label="Bodies">
          <div className="flex flex-col gap-3">
            {examples.map(([name, { summary = name, value }]) => (
              <CodeBlock key={name} label={summary} code={JSON.stringify(value, null, 2)} />
            ))}
          </div>
        </Tab>
      )}
    </Tabs>
  );
}
