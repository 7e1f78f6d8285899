import { errorCatalogue, statusOfKind } from '@switchyard/contract/errors';

/** docs/reference/errors.md: one row for each entry of the catalogue, in its order. */
export function errorsReference(): string {
  const rows = Object.entries(errorCatalogue).map(
    ([code, { kind, message }]) => `| \`${code}\` | ${statusOfKind[kind]} | ${message} |`,
  );
  return `# Errors

Generated from \`packages/contract/src/errors.ts\` by \`npm run docs\`.

A dispatch path (\`/api/auth\`, \`/api/instances\`, \`/api/tasks\`, \`/api/files\`, \`/api/collections\`, \`/api/config\`, \`/api/monitor\`,
\`/api/health\`, \`/api/webhooks\`, \`/api/workflows\`) answers
\`{ "code": <status>, "message", "error": <code>, "data": null, "requestId", "details"? }\`.

Every other path answers \`{ "detail": … }\`: a sentence; for accounts and sessions \`{ "code", "message" }\`; for a request
that is not valid a list of \`{ "type", "loc", "msg", "input", "ctx"? }\` with every fault.

Every answer carries \`X-Request-Id\`; quote it when you report a problem. A thrower may make the sentence more specific; the
code stays.

| Code | Status | Sentence |
| --- | --- | --- |
${rows.join('\n')}
`;
}
