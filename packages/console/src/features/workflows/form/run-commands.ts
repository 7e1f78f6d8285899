import { shellWord } from '@switchyard/contract/shell-word';

interface RunToCopy {
  origin: string;
  workflowId: string;
  name: string;
  params: Record<string, unknown>;
}

export interface RunCommands {
  curl: string;
  cli: string;
  client: string;
}

/** The same run for a terminal, for the command line and for a program. A token stands as a variable, never as itself. */
export function runCommands({ origin, workflowId, name, params }: RunToCopy): RunCommands {
  const url = `${origin}/api/workflows/${encodeURIComponent(workflowId)}/run`;
  const body = JSON.stringify({ params });
  const options = Object.entries(params).map(
    ([key, value]) => ` -p ${shellWord(`${key}=${cliValue(value)}`)}`,
  );
  return {
    curl: [
      `curl -X POST ${shellWord(url)}`,
      `  -H "Authorization: Bearer $ACCESS_TOKEN" -H 'Content-Type: application/json'`,
      `  -d ${shellWord(body)}`,
    ].join(' \\\n'),
    cli: `switchyard workflows run ${shellWord(name)}${options.join('')} --wait`,
    client: [
      `import { createClient } from '@switchyard/client/client';`,
      `import { runWorkflow } from '@switchyard/contract/dispatch/workflow';`,
      '',
      `const client = createClient({ baseUrl: ${JSON.stringify(origin)}, token: process.env.ACCESS_TOKEN });`,
      `const task = await client.call(runWorkflow, {`,
      `  params: { workflowId: ${JSON.stringify(workflowId)} },`,
      `  body: { params: ${JSON.stringify(params)} },`,
      `});`,
    ].join('\n'),
  };
}

/** The command line reads a value as JSON where it is JSON, and a text that begins with @ as a file. */
function cliValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (value.startsWith('@')) return `@${value}`;
  return isJson(value) ? JSON.stringify(value) : value;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // an ordinary text
  }
}
