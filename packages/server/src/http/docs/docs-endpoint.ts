import { curlExample } from './docs-example.ts';
import { type Field, fieldsOf, typeText } from './docs-fields.ts';
import { html, type Markup, prose } from './markup.ts';
import type { Operation, Schema } from './openapi.ts';

export interface Entry {
  method: string;
  path: string;
  operation: Operation;
}

const accessTexts: Record<string, string> = {
  public: 'for everyone',
  session: 'signed in',
  admin: 'administrators',
};

export function idOf({ operationId }: Operation): string {
  return operationId;
}

/** Describes one endpoint: its purpose, who may call it, its request and response, and a command to try it with. */
export function endpointSection({ method, path, operation }: Entry, searchText: string): Markup {
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
