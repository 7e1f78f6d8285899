import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { shellWord } from '@switchyard/contract/shell-word';

type Copied = Pick<
  TaskDetail,
  | 'workflow'
  | 'params'
  | 'name'
  | 'note'
  | 'priority'
  | 'tags'
  | 'pool'
  | 'pinnedInstanceId'
  | 'savedWorkflow'
>;

/** The body that submits the same work again. Secrets of the task are not known to the page, so they are left out. */
export function submissionOf(task: Copied) {
  const { workflow, params, name, note, priority, tags, pool, pinnedInstanceId } = task;
  return {
    workflow,
    ...(Object.keys(params).length > 0 && { params }),
    ...(name !== null && { name }),
    ...(note !== null && { note }),
    ...(priority !== 0 && { priority }),
    ...(tags.length > 0 && { tags }),
    ...(pool !== null && { pool }),
    ...(pinnedInstanceId !== null && { instanceId: pinnedInstanceId }),
  };
}

export function asCurl(task: Copied, origin: string): string {
  const body = shellWord(JSON.stringify(submissionOf(task)));
  return `curl -X POST ${origin}/api/tasks \\\n  -H "Authorization: Bearer $ACCESS_TOKEN" \\\n  -H 'Content-Type: application/json' \\\n  -d ${body}`;
}

/** The command needs the graph as a file, so it writes one first. */
export function asCommand(task: Copied): string {
  const options = [
    ...Object.entries(task.params).map(([name, value]) => `-p ${shellWord(`${name}=${paramText(value)}`)}`),
    ...(task.name === null ? [] : [`--name ${shellWord(task.name)}`]),
    ...(task.note === null ? [] : [`--note ${shellWord(task.note)}`]),
    ...(task.priority === 0 ? [] : [`--priority ${task.priority}`]),
    ...task.tags.map((tag) => `--tag ${shellWord(tag)}`),
  ];
  const run = ['switchyard run workflow.json', ...options].join(' ');
  return `cat > workflow.json <<'JSON'\n${JSON.stringify(task.workflow)}\nJSON\n${run}`;
}

function paramText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function asClient(task: Copied, origin: string): string {
  const body = JSON.stringify(submissionOf(task), null, 2);
  return `import { createClient } from '@switchyard/client/client';
import { submitTask } from '@switchyard/contract/dispatch/tasks';

const gateway = createClient({ baseUrl: '${origin}', token: process.env.ACCESS_TOKEN });
const task = await gateway.call(submitTask, { body: ${body} });`;
}
