import { isRecord } from '@switchyard/contract/is-record';
import { listInstancesName } from '../tools/list-instances.ts';
import { runWorkflowName } from '../tools/run-workflow.ts';
import { toolNameOf } from '../tools/workflow-tool-name.ts';
import { listWorkflowsName } from '../tools/workflow-tools.ts';
import { listFiles, pictureReply } from './pictures.ts';
import { sampleWorkflow } from './sample-workflow.ts';
import { type ScriptedReply, say, type Turn, valueIn } from './turn.ts';

/** A request fits into a sentence; text after that is material. */
const maxQuestionLength = 2_000;

const label = 'I am the demo model of Switchyard: scripted, not an AI.';
const examples = '"invert cat.png", "list instances", "invert a picture" or "what can you do?"';
const abilities = `${label} Until a real model is configured I understand a few plain requests:
- "list instances" and "list files" show the workers of the pool and the files of this conversation
- "make a smaller inverted copy of cat.png" changes a picture that you have uploaded. I know half, double, rotate, flip, mirror, invert and blur; without a name I take the newest picture
- "invert a picture" runs a sample workflow that needs no upload
- "list workflows" and "run <name> with width = 512" use the workflows that you have saved and exposed`;
const self = `${label} My answers are written in advance, and my token counts are simulated. The tools that I call are real: a workflow that I start runs on a worker of your pool.`;
const unknown = `${label} I did not understand that. Try ${examples}.`;
const sample = { workflow: sampleWorkflow, name: 'Invert a sample picture' };

/** The first rule that matches wins. */
const rules: readonly { asks: RegExp; reply: ScriptedReply }[] = [
  { asks: /\bwhat can you do\b|\bhelp\b/, reply: say(abilities) },
  { asks: /\b(who|what) are you\b/, reply: say(self) },
  { asks: /^\s*(hi|hello|hey)\b/, reply: say(`Hello! ${label} Try ${examples}.`) },
  { asks: /\b(instances?|workers?)\b/, reply: call(listInstancesName) },
  { asks: /\b(list|show|which)\b.*\bworkflows\b/, reply: call(listWorkflowsName) },
  { asks: /\b(list|show|which)\b.*\b(files|uploads)\b/, reply: call(listFiles.name, listFiles.args) },
  {
    asks: /\binvert a (picture|image|photo)\b|一张图片反相|\brun\b.*\bworkflow\b/,
    reply: call(runWorkflowName, sample),
  },
];

function call(name: string, args = {}): ScriptedReply {
  return { text: `I call the tool ${name}.`, calls: [{ name, args }] };
}

/** Returns the next reply of the demo model. It calls no tool that it does not have. */
export function nextReply(turns: readonly Turn[], tools: ReadonlySet<string>): ScriptedReply {
  const reply = replyTo(turns, tools);
  const missing = reply.calls.find(({ name }) => !tools.has(name))?.name;
  const reason = missing === listFiles.name ? 'files cannot be listed here' : 'this gateway has no pool';
  return missing ? say(`${label} I would need the tool ${missing} for that, and ${reason}.`) : reply;
}

function replyTo(turns: readonly Turn[], tools: ReadonlySet<string>): ScriptedReply {
  const question = turns.findLast(({ type }) => type === 'human')?.text ?? '';
  const asked = question.slice(0, maxQuestionLength);
  const answers = turns.slice(turns.findLastIndex(({ type }) => type !== 'tool') + 1);
  if (answers.length > 0) {
    const list = answers.find(({ name, status }) => name === listFiles.name && status !== 'error')?.text;
    const picture = list === undefined ? null : pictureReply(asked, list);
    return picture ?? say(answers.map(tellResult).join('\n'));
  }
  const saved = savedRun(asked);
  if (saved?.calls.some(({ name }) => tools.has(name))) return saved;
  const rule = rules.find(({ asks }) => asks.test(asked.toLowerCase()));
  return rule?.reply ?? pictureReply(asked) ?? say(unknown);
}

/** Matches `run portrait` and `run portrait with width = 512, prompt = a red kite`. */
const namedRun = /^\s*(?:please )?run (?:my )?(?:workflow )?"?(.+?)"?(?: with (.+))?[.!]?\s*$/is;

/** Returns a call of the saved workflow that the request names. */
function savedRun(asked: string): ScriptedReply | null {
  const [, workflow = '', values = ''] = namedRun.exec(asked) ?? [];
  const pairs = [...values.matchAll(/([\w.-]+)\s*=\s*([^,]+)/g)];
  const args = Object.fromEntries(pairs.map(([, key, value = '']) => [key, valueIn(value.trim())]));
  const name = toolNameOf(workflow);
  return name === null ? null : call(name, args);
}

const maxEchoLength = 1_000;

/** An answer of the tools of the pool. */
interface Result {
  task_id?: string;
  files?: { filename: string; url: string; virtual_path?: string | null; problem?: string }[];
  instances?: { name: string; state: string }[];
  workflows?: { name: string; params: string[] }[];
}

/** Says in words what a tool has answered. */
function tellResult({ text, name, status }: Turn): string {
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
