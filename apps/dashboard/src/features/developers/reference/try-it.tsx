'use client';
import { ApiError } from '@trading-automation/sdk';
import { Play } from 'lucide-react';
import Link from 'next/link';
import { useRef, useState } from 'react';
import { api } from '../../../data/api';
import { Button } from '../../../ui/button';
import { CodeBlock } from '../../../ui/code-block';
import { Copyable } from '../../../ui/copyable';
import { Field, Input, Select } from '../../../ui/field';
import { FormError } from '../../../ui/form-error';
import { indentJson } from '../shared/raw-json.rules';
import {
  type ApiOperation,
  type OpenApi,
  type Parameter,
  parametersOf,
  resolve,
  type Schema,
  targetOf,
} from './openapi.rules';

export interface Answer {
  readonly title: string;
  readonly body: string;
  readonly requestId: string | undefined;
}

export interface TryItProps {
  readonly document: OpenApi;
  readonly operation: ApiOperation;
  /** The inputs by the names of the parameters. */
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (name: string, value: string) => void;
  readonly answer: Answer | undefined;
  readonly onAnswer: (answer: Answer | undefined) => void;
}

/** Sends a GET request with the session of the dashboard and shows the response as it is. */
export function TryIt({ document, operation, values, onChange, answer, onAnswer }: TryItProps) {
  const parameters = parametersOf(document, operation).filter((parameter) => parameter.in !== 'header');
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const output = useRef<HTMLDivElement>(null);
  const target = targetOf(operation, values);
  const send = async () => {
    if (target === undefined) return;
    setBusy(true);
    onAnswer(undefined);
    setFailure(undefined);
    const query = Object.fromEntries(
      parameters.flatMap(({ name, in: place }) =>
        place === 'query' && (values[name] ?? '') !== '' ? [[name, values[name]]] : [],
      ),
    );
    const begunAt = performance.now();
    try {
      const options = { maxRetries: 0, headers: { accept: 'application/json' } };
      const response = await api().get(target, query, options).asResponse();
      const ms = Math.round(performance.now() - begunAt);
      onAnswer({
        title: `Status ${response.status}, ${ms} ms`,
        body: indentJson(await response.text()),
        requestId: response.headers.get('x-request-id') ?? undefined,
      });
    } catch (error) {
      if (error instanceof ApiError) onAnswer(answerOf(error));
      else setFailure(error);
    } finally {
      setBusy(false);
      // Without an animation, for readers who prefer reduced motion.
      requestAnimationFrame(() => output.current?.scrollIntoView({ block: 'nearest' }));
    }
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          document={document}
          parameter={parameter}
          value={values[parameter.name] ?? ''}
          onChange={(value) => onChange(parameter.name, value)}
        />
      ))}
      <Button
        type="submit"
        variant="primary"
        isBusy={isBusy}
        disabled={target === undefined}
        icon={<Play aria-hidden className="size-4" />}
        className="self-start"
      >
        Send request
      </Button>
      <div ref={output} className="scroll-mb-24 empty:hidden md:scroll-mb-6">
        <div role="status" className="flex flex-col gap-2 empty:hidden">
          {answer !== undefined && <Response answer={answer} />}
        </div>
        {failure !== undefined && <FormError error={failure} />}
      </div>
    </form>
  );
}

function Response({ answer: { title, body, requestId } }: { readonly answer: Answer }) {
  return (
    <>
      {requestId !== undefined && (
        <p className="flex flex-wrap items-center gap-x-2 text-sm">
          <span className="text-muted">Request id</span>
          <Copyable text={requestId} label="the request id" />
          <Link
            href={`/developers/request-log?request=${encodeURIComponent(requestId)}`}
            className="text-accent-text underline"
          >
            Show in the request log
          </Link>
        </p>
      )}
      <CodeBlock label="Response" title={title} code={body} className="max-h-120" />
    </>
  );
}

function answerOf({ status, code, summary, details, requestId }: ApiError): Answer {
  const error = { code, message: summary, details, request_id: requestId };
  return { title: `Status ${status}`, body: JSON.stringify({ success: false, error }, null, 2), requestId };
}

interface ParameterFieldProps {
  readonly document: OpenApi;
  readonly parameter: Parameter;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ParameterField({ document, parameter, value, onChange }: ParameterFieldProps) {
  const schema = resolve<Schema>(document, parameter.schema ?? {});
  const [example] = schema.examples ?? [];
  const label = <code className="font-mono text-xs">{parameter.name}</code>;
  return (
    <Field label={label} aside={parameter.required ? 'Required' : undefined}>
      {schema.enum === undefined ? (
        <Input
          value={value}
          onChange={(event) => onChange(event.target.value)}
          placeholder={String(schema.default ?? example ?? '')}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
        />
      ) : (
        <Select value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">{schema.default === undefined ? 'Not set' : `Default: ${schema.default}`}</option>
          {schema.enum.map(String).map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </Select>
      )}
    </Field>
  );
}
