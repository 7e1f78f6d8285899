import { isRecord } from '../../lib/is-record.ts';
import { listFiles } from './pictures.ts';
import { type Turn, valueIn } from './turn.ts';

const maxEchoLength = 1_000;

/** What the tools of the pool answer. */
interface Result {
  task_id?: string;
  files?: { filename: string; url: string; virtual_path?: string | null; problem?: string }[];
  instances?: { name: string; state: string }[];
  workflows?: { name: string; params: string[] }[];
}

/** Says in words what a tool has answered. */
export function tellResult({ text, name, status }: Turn): string {
  if (status === 'error') return `That did not work. ${text}`;
  if (name === listFiles.name) return `This conversation has these files:\n${text.slice(0, maxEchoLength)}`;
  const value = valueIn(text);
  const { task_id: taskId, files = [], instances, workflows }: Result = isRecord(value) ? value : {};
  const workers = instances?.map((worker) => `${worker.name}: ${worker.state}`);
  if (workers) return tell('Workers of the pool', workers);
  const saved = workflows?.map((workflow) => [workflow.name, ...workflow.params].join(', '));
  if (saved) return tell('Your saved workflows', saved);
  const made = files.map(({ filename, url, virtual_path: path, problem }) => {
    const place = problem ? `, not among your files: ${problem}` : path ? `, kept as ${path}` : '';
    return `[${filename}](${url})${place}`;
  });
  return tell(`Done. Task ${taskId} made ${made.length} file${made.length === 1 ? '' : 's'}`, made);
}

function tell(what: string, lines: string[]): string {
  return lines.length === 0 ? `${what}: none.` : `${what}:\n- ${lines.join('\n- ')}`;
}
