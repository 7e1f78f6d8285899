import { errorCatalogue, statusOfKind } from '@switchyard/contract/errors';
import { html, type Markup, prose } from './markup.ts';

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
export function errorSection(): Markup {
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
