/**
 * Generates the OpenAPI document from the contract. The document is committed as `openapi.json`, so that reviews show
 * every change of the published API. The API serves the committed file.
 */
import type { Operation } from '@trading-automation/contracts';
import type { Sample } from '@trading-automation/contracts/samples';
import { defineErrorSchemas, errorExamples, errorResponseComponents, errorTable } from './error-responses.js';
import { eventWebhooks, webhookHeaders } from './event-webhooks.js';
import { introduction, type Vectors } from './introduction.js';
import type { JsonObject } from './json.js';
import { operationPaths } from './operation-paths.js';
import { SchemaComponents } from './schema-components.js';
import { headers, pagination, parameters, securitySchemes } from './shared-components.js';
import { describeTag, tagOf } from './tags.js';

export interface DocumentInput {
  readonly operations: readonly Operation[];
  readonly samples: readonly Sample[];
  readonly vectors: Vectors;
}

function openApiDocument({ operations, samples, vectors }: DocumentInput): JsonObject {
  const schemas = new SchemaComponents();
  defineErrorSchemas(schemas);
  schemas.define('Pagination', pagination);
  const paths = operationPaths(operations, samples, schemas);
  const webhooks = eventWebhooks(schemas);
  const tags = [...new Set(operations.map(({ id }) => tagOf(id))), 'Webhook deliveries'];
  return {
    openapi: '3.1.1',
    info: {
      title: 'Trading Automation API',
      version: 'v1',
      description: introduction(vectors),
      contact: { name: 'Trading Automation support' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base',
    servers: [{ url: '/', description: 'The origin that served this document.' }],
    tags: tags.map((name) => ({ name, description: describeTag(name) })),
    paths,
    webhooks,
    components: {
      schemas: schemas.all(),
      parameters: { ...parameters, ...webhookHeaders },
      responses: errorResponseComponents(operations),
      headers,
      examples: errorExamples(),
      securitySchemes,
    },
    'x-error-codes': errorTable(),
  };
}

/** Returns the document as it is committed and served. */
export function documentText(input: DocumentInput): string {
  return `${JSON.stringify(openApiDocument(input), null, 2)}\n`;
}
