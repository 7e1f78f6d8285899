import { errorCatalogue, statusOfKind } from '@switchyard/contract/errors';
import { curlExample } from './docs-example.ts';
import { type Field, fieldsOf, typeText } from './docs-fields.ts';
import { html, type Markup, prose } from './markup.ts';
import type { OpenApiDocument, Operation, Schema } from './openapi.ts';

const accessTexts: Record<string, string> = {
  public: 'for everyone',
  session: 'signed in',
  admin: 'administrators',
};

/** Endpoints that share a tag. */
interface Group {
  tag: string;
  area: 'Dispatch' | 'Accounts and conversation' | 'Service';
  entries: Entry[];
}

const areas: readonly Group['area'][] = ['Dispatch', 'Accounts and conversation', 'Service'];

/** The whole interface on one page, which is readable without its script. */
export function docsPage(document: OpenApiDocument): string {
  const { title, version } = document.info;
  const groups = groupsOf(document);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/docs.css">
<script src="/docs/docs.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<a class="brand" href="#content">${title} <span>API ${version}</span></a>
<input id="filter" type="search" placeholder="Filter endpoints" aria-label="Filter endpoints" hidden>
<a href="#errors">Errors</a>
<a href="/openapi.json">OpenAPI</a>
</header>
<div class="columns">
<nav aria-label="Endpoints">
${areas.map((area) => navigation(area, groups))}
</nav>
<main id="content" tabindex="-1">
${introduction(document)}
${groups.map(groupSection)}
<p id="nothing" hidden>No endpoint matches the filter. Clear it to see them all.</p>
${errorSection()}
</main>
</div>
</body>
</html>
`.text;
}

function groupsOf(document: OpenApiDocument): Group[] {
  const groups = new Map<string, Group>();
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags[0] ?? 'Other';
      const group = groups.get(tag) ?? { tag, area: areaOf(tag, operation['x-area']), entries: [] };
      group.entries.push({ method: method.toUpperCase(), path, operation });
      groups.set(tag, group);
    }
  }
  return [...groups.values()].sort((a, b) => areas.indexOf(a.area) - areas.indexOf(b.area));
}

function areaOf(tag: string, area: 'dispatch' | 'conversation'): Group['area'] {
  if (tag === 'Service') return 'Service';
  return area === 'dispatch' ? 'Dispatch' : 'Accounts and conversation';
}

function navigation(area: Group['area'], groups: readonly Group[]): Markup | undefined {
  const own = groups.filter((group) => group.area === area);
  if (own.length === 0) return undefined;
  return html`<div data-group><h2>${area}</h2>
${own.map(
  ({ tag, entries }) => html`<details open data-group><summary>${tag}</summary><ul>
${entries.map(
  ({ method, path, operation }) =>
    html`<li data-find="${searchText(method, path, operation.summary)}"><a href="#${idOf(operation)}"><b class="method ${method}">${shortMethod(method)}</b> ${operation.summary}</a></li>
`,
)}</ul></details>
`,
)}</div>
`;
}

function groupSection({ tag, entries }: Group): Markup {
  return html`<section data-group>
<h2>${tag}</h2>
${entries.map((entry) => endpointSection(entry, searchText(entry.method, entry.path, entry.operation.summary)))}
</section>
`;
}

function searchText(method: string, path: string, summary: string): string {
  return `${method} ${path} ${summary}`.toLowerCase();
}

function shortMethod(method: string): string {
  return method === 'DELETE' ? 'DEL' : method;
}

function introduction({ info, components }: OpenApiDocument): Markup {
  const schemes = Object.values(components.securitySchemes ?? {}) as { name?: string; description: string }[];
  return html`<section class="lead">
<h1>${info.title} API</h1>
<p>${info.description}</p>
<p>Every answer carries <code>X-Request-Id</code>; quote it when you report a problem. Send credentials in one of these ways:</p>
<dl>
${schemes.map(
  ({
    name,
    description,
  }) => html`<div><dt><code>${name ?? 'Authorization: Bearer'}</code></dt><dd>${prose(description)}</dd></div>
`,
)}</dl>
</section>
`;
}

const dispatchExample = `{
  "code": 404,
  "message": "No such task. GET /api/tasks lists your tasks.",
  "error": "task_not_found",
  "data": null,
  "requestId": "5f0c…"
}`;
const conversationExample = `{ "detail": "Thread not found" }

{ "detail": { "code": "token_expired", "message": "The token has expired." } }

{ "detail": [{ "type": "missing", "loc": ["body", "email"], "msg": "Field required", "input": {} }] }`;

/** Describes both shapes of an error, and every code that an error can have. */
function errorSection(): Markup {
  return html`<section id="errors">
<h2>Errors</h2>
<p>Dispatch answers with the status, a sentence, and a code for programs. A request that is not valid lists every fault in <code>details</code> as <code>{ path, message }</code>.</p>
<figure><figcaption>Dispatch</figcaption><pre tabindex="0"><code>${dispatchExample}</code></pre></figure>
<p>Everything else answers <code>detail</code>: a sentence; for accounts and sessions a code and a sentence; for a request that is not valid the list of every fault.</p>
<figure><figcaption>Accounts and conversation</figcaption><pre tabindex="0"><code>${conversationExample}</code></pre></figure>
<table>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Sentence</th></tr></thead>
<tbody>
${Object.entries(errorCatalogue).map(
  ([code, { kind, message }]) =>
    html`<tr id="error-${code}"><td><code>${code}</code></td><td>${statusOfKind[kind]}</td><td>${prose(message)}</td></tr>
`,
)}</tbody></table>
</section>
`;
}

interface Entry {
  method: string;
  path: string;
  operation: Operation;
}

function idOf({ operationId }: Operation): string {
  return operationId;
}

/** Describes one endpoint: its purpose, who may call it, its request and response, and a command to try it with. */
function endpointSection({ method, path, operation }: Entry, searchText: string): Markup {
  return html`<article id="${idOf(operation)}" data-find="${searchText}">
<h3><a href="#${idOf(operation)}">${operation.summary}</a></h3>
<p class="line"><b class="method ${method}">${method}</b> <code>${breakable(path)}</code> <span class="access">${accessText(operation)}</span></p>
${operation.description !== undefined && html`<p>${prose(operation.description)}</p>`}
${fieldTable('Path, query and headers', operation.parameters.map(parameterField))}
${bodyTables(operation)}
${answerTables(operation)}
<figure><figcaption>Try it</figcaption><pre tabindex="0"><code>${curlExample(method, path, operation)}</code></pre></figure>
</article>
`;
}

function accessText(operation: Operation): string {
  const access = operation['x-access'];
  return accessTexts[access] ?? `scope ${access}`;
}

function parameterField({
  name,
  in: where,
  required,
  description = '',
  schema,
}: Operation['parameters'][number]): Field {
  return { name, type: `${where}, ${typeText(schema)}`, required, description };
}

function bodyTables({ requestBody }: Operation): Markup | undefined {
  if (requestBody === undefined) return undefined;
  const [schema] = Object.values(requestBody.content).map((content) => content.schema);
  const types = Object.keys(requestBody.content).join(' or ');
  return schemaTable(`Body, ${types}`, schema);
}

/** Folded, because most readers want to know what to send and see in the example what comes back. */
function answerTables({ responses }: Operation): Markup[] {
  return Object.entries(responses).flatMap(([status, response]) => {
    if (!('content' in response)) return [];
    const [mediaType, content] = Object.entries(response.content)[0] ?? [];
    const table = schemaTable(undefined, content?.schema);
    return [
      html`<details><summary>Answer ${status} <span>${response.description}, ${mediaType}</span></summary>${table}</details>
`,
    ];
  });
}

function schemaTable(title: string | undefined, schema: Schema | undefined): Markup | undefined {
  if (schema === undefined) return undefined;
  const fields = fieldsOf(schema);
  if (fields.length > 0) return fieldTable(title, fields);
  const description = typeof schema.description === 'string' ? schema.description : '';
  return html`${title !== undefined && html`<h4>${title}</h4>`}<p>${typeText(schema)}. ${prose(description)}</p>`;
}

function fieldTable(title: string | undefined, fields: readonly Field[]): Markup | undefined {
  if (fields.length === 0) return undefined;
  return html`${title !== undefined && html`<h4>${title}</h4>`}<table>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${fields.map(fieldRow)}</tbody></table>
`;
}

function fieldRow({ name, type, required, description }: Field): Markup {
  return html`<tr><td><code>${breakable(name)}</code>${required && html` <abbr title="required">*</abbr>`}</td><td>${type}</td><td>${prose(description)}</td></tr>
`;
}

/** Lets a long path or dotted name break where a person would break it. */
function breakable(text: string): Markup {
  return html`${text.split(/(?<=[/.])/).map((part, index) => (index === 0 ? part : html`<wbr>${part}`))}`;
}
