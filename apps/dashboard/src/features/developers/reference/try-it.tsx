'use client';
import { ApiError } from '@trading-automation/sdk';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../../data/api';
import { Button } from '../../../ui/button';
import { CodeBlock } from '../../../ui/code-block';
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

interface Answer {
  readonly title: string;
  readonly body: string;
}

/** Sends a GET request with the session of the dashboard and shows the response as it is. */
export function TryIt({
  document,
  operation,
}: {
  readonly document: OpenApi;
  readonly operation: ApiOperation;
}) {
  const parameters = parametersOf(document, operation).filter((parameter) => parameter.in !== 'header');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [answer, setAnswer] = useState<Answer>();
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const target = targetOf(operation, values);
  const send = async () => {
    if (target === undefined) return;
    setBusy(true);
    setAnswer(undefined);
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
      setAnswer({ title: `Status ${response.status}, ${ms} ms`, body: indentJson(await response.text()) });
    } catch (error) {
      if (error instanceof ApiError) setAnswer(answerOf(error));
      else setFailure(error);
    } finally {
      setBusy(false);
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
          onChange={(value) => setValues((now) => ({ ...now, [parameter.name]: value }))}
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
      <div role="status" className="empty:hidden">
        {answer !== undefined && (
          <CodeBlock label="Response" title={answer.title} code={answer.body} className="max-h-120" />
        )}
      </div>
      {failure !== undefined && <FormError error={failure} />}
    </form>
  );
}

function answerOf({ status, code, summary, details, requestId }: ApiError): Answer {
  const error = { code, message: summary, details, request_id: requestId };
  return { title: `Status ${status}`, body: JSON.stringify({ success: false, error }, null, 2) };
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
