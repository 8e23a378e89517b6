'use client';
import { useState } from 'react';
import { Line } from './markdown';
import { type OpenApi, recordOf, resolve, type Schema, typeText } from './openapi.rules';

/** A member nested more deeply is described by the operation that returns its record. */
const DEPTH_MAX = 6;

interface SchemaViewProps {
  readonly document: OpenApi;
  readonly schema: Schema;
  readonly depth?: number;
}

/** The members of a schema. Those of a nested record are shown on demand, because records may contain each other. */
export function SchemaView({ document, schema, depth = 0 }: SchemaViewProps) {
  const record = recordOf(document, schema);
  if (record?.properties === undefined)
    return <p className="py-2 font-mono text-xs">{typeText(document, schema)}</p>;
  return (
    <ul className="flex flex-col">
      {Object.entries(record.properties).map(([name, member]) => (
        <Member
          key={name}
          document={document}
          name={name}
          schema={member}
          isRequired={record.required?.includes(name) ?? false}
          depth={depth}
        />
      ))}
    </ul>
  );
}

interface MemberProps {
  readonly document: OpenApi;
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly depth: number;
}

function Member({ document, name, schema, isRequired, depth }: MemberProps) {
  const [isOpen, setOpen] = useState(false);
  const record = depth < DEPTH_MAX ? recordOf(document, schema) : undefined;
  return (
    <li className="border-t py-2 first:border-t-0">
      <MemberHead document={document} name={name} schema={schema} isRequired={isRequired} />
      {record?.properties !== undefined && (
        <details
          open={isOpen}
          onToggle={(event) => setOpen(event.currentTarget.open)}
          className="pt-1 text-xs"
        >
          <summary className="inline-block min-h-6 text-accent-text">
            {isOpen ? 'Hide' : 'Show'} the members of {name}
          </summary>
          {isOpen && (
            <div className="border-l pl-3">
              <SchemaView document={document} schema={record} depth={depth + 1} />
            </div>
          )}
        </details>
      )}
    </li>
  );
}

/** The name, the type and the meaning of a member or of a parameter. */
export function MemberHead({
  document,
  name,
  schema,
  isRequired,
  description,
}: Omit<MemberProps, 'depth'> & { readonly description?: string | undefined }) {
  const target = resolve<Schema>(document, schema);
  const text = description ?? schema.description ?? target.description;
  const values = valuesOf(document, schema);
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <code className="font-medium font-mono text-xs">{name}</code>
        <span className="text-muted text-xs">{typeText(document, schema)}</span>
        {isRequired && <span className="text-warn text-xs">required</span>}
        {target.default !== undefined && target.default !== null && (
          <span className="text-muted text-xs">default {JSON.stringify(target.default)}</span>
        )}
        {(target.minimum !== undefined || target.maximum !== undefined) && (
          <span className="text-muted text-xs">
            {[target.minimum, target.maximum].map((limit) => limit ?? '…').join(' to ')}
          </span>
        )}
      </p>
      {text !== undefined && (
        <p className="pt-0.5 text-muted text-sm">
          <Line text={text} />
        </p>
      )}
      {values.length > 1 && (
        <p className="pt-1 font-mono text-2xs text-muted">{values.map(String).join(' · ')}</p>
      )}
    </>
  );
}

function valuesOf(document: OpenApi, schema: Schema): readonly unknown[] {
  const target = resolve<Schema>(document, schema);
  const choices = target.anyOf ?? target.oneOf ?? [];
  return target.enum ?? choices.flatMap((choice) => resolve<Schema>(document, choice).enum ?? []);
}
