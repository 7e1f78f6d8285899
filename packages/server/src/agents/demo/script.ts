import { listInstancesName } from '../tools/list-instances.ts';
import { runWorkflowName } from '../tools/run-workflow.ts';
import { isWorkflowTool, toolNameOf } from '../tools/workflow-tool-name.ts';
import { listWorkflowsName } from '../tools/workflow-tools.ts';
import { listFilesName, pictureReply, pictureReplyTo } from './picture-replies.ts';
import { namesPicture } from './picture-request.ts';
import { sampleCall } from './sample-workflow.ts';
import type { ScriptedCall, ScriptedReply, Turn } from './turn.ts';

interface Rule {
  asks: RegExp;
  reply: (tools: ReadonlySet<string>) => ScriptedReply;
}

/** Matches `run portrait` and `run portrait with width = 512, prompt = a red kite`. */
const namedRun = /^\s*(?:please )?run (?:my |the )?(?:workflow )?["“]?(.+?)["”]?(?: with (.+))?[.!]?\s*$/is;

/** The first rule that matches wins. */
const rules: readonly Rule[] = [
  { asks: /\b(what|which things) can you do\b|\bhelp\b|\bcommands?\b/, reply: () => say(abilities) },
  {
    asks: /\b(instances?|workers?)\b/,
    reply: call({ name: listInstancesName, args: {} }, 'Let me look at the pool.'),
  },
  {
    asks: /\b(list|show|what|which)\b.*\bworkflows\b/,
    reply: call({ name: listWorkflowsName, args: {} }, 'Let me look at your saved workflows.'),
  },
  {
    asks: /\b(list|show|what|which)\b.*\b(files|uploads)\b/,
    reply: call(
      { name: listFilesName, args: { description: 'See which files there are', path: '/mnt/user-data' } },
      'Let me look at the files of this conversation.',
    ),
  },
  {
    asks: /\binvert (a|some|any) (picture|image|photo)\b|\b(sample|demo|example)\b.*\bworkflow\b|\brun\b.*\bworkflow\b/,
    reply: call(sampleCall, 'I run a small sample workflow on the pool: it draws a picture and inverts it.'),
  },
  {
    asks: /\b(who|what) are you\b|\bexplain yourself\b|\bare you (an ai|real|a bot)\b/,
    reply: () => say(self),
  },
  { asks: /^\s*(hi|hello|hey|good (morning|afternoon|evening)|greetings)\b/, reply: () => say(greeting) },
  { asks: /\b(thanks|thank you)\b/, reply: () => say('You are welcome.') },
];

const label = 'I am the demo model of Switchyard: scripted, not an AI.';
const examples = '"invert cat.png", "list instances", "invert a picture" or "what can you do?"';
const abilities = [
  `${label} Until a real model is configured I understand a few plain requests:`,
  '- "list instances" shows the workers of the pool and what each is doing',
  '- "make a smaller inverted copy of cat.png" changes a picture that you have uploaded. I know resize (half, double, 200 px wide, 64x48, 50%), thumbnail, crop 100x80 at 10,20, rotate, flip, mirror, invert, blur, sharpen, grayscale, brighter, darker, contrast, 8 colors and border, one after the other; without a name I take your newest picture',
  '- "contact sheet of all my pictures" and "blend a.png with b.png" make one of several',
  '- "which files are there?" lists your uploads and what was made of them',
  '- "invert a picture" or "run the sample workflow" runs a workflow that needs no upload. All of these are real tasks on a worker, with their progress in this conversation',
  '- "list workflows" and "run <name>", also "run <name> with width = 512", use the workflows that you have saved and exposed',
  '- "who are you?" explains what I am',
].join('\n');
const self = `${label} My answers are written in advance, and my token counts are simulated. The tools that I call are real: a workflow that I start runs on a worker of your pool.`;
const greeting = `Hello! ${label} Try ${examples}.`;
const unknown = `${label} I did not understand that. Try ${examples}.`;

/** Returns what the demo model says next. */
export function nextReply(turns: readonly Turn[], tools: ReadonlySet<string>): ScriptedReply {
  const question = turns.findLast(({ from }) => from === 'user')?.text ?? '';
  const asked = question.slice(0, maxQuestionLength);
  if (turns.at(-1)?.from === 'tool') return replyToTools(turns, { asked, tools });
  const named = runByName(asked, tools);
  if (named) return named;
  const rule = rules.find(({ asks }) => asks.test(asked.toLowerCase()));
  const picture = pictureReply(asked, { lastMade: lastMadeIn(turns), canList: tools.has(listFilesName) });
  if (picture && (!rule || namesPicture(asked))) return onPool(picture, tools);
  return rule ? rule.reply(tools) : say(unknown);
}

/** Continues the request when a list of the uploads was its first step; otherwise reports the results of the calls. */
function replyToTools(
  turns: readonly Turn[],
  { asked, tools }: { asked: string; tools: ReadonlySet<string> },
): ScriptedReply {
  const answers = answersSince(turns);
  const [list] = answers;
  const isList = answers.length === 1 && list?.tool?.name === listFilesName && !list.tool.failed;
  const picture = isList ? pictureReplyTo(asked, { list: list.text, lastMade: lastMadeIn(turns) }) : null;
  return picture ? onPool(picture, tools) : say(answers.map(tellResult).join('\n'));
}

/** A reply whose tools are missing is replaced before anything starts. */
function onPool(reply: ScriptedReply, tools: ReadonlySet<string>): ScriptedReply {
  return reply.calls.length === 0 || tools.has(runWorkflowName) ? reply : say(without(runWorkflowName));
}

/** Returns the path of the newest file that a workflow has put into the thread. */
function lastMadeIn(turns: readonly Turn[]): string | undefined {
  const made = turns.flatMap(({ text, tool }) => (tool && !tool.failed ? filesIn(parse(text)) : []));
  return made.flatMap(({ virtual_path: path }) => path ?? []).at(-1);
}

/** Runs the user's saved workflow with this name; returns null when there is none. */
function runByName(question: string, tools: ReadonlySet<string>): ScriptedReply | null {
  const [, name = '', values = ''] = namedRun.exec(question) ?? [];
  const tool = toolNameOf(name);
  if (tool === null || !tools.has(tool)) return null;
  return {
    text: `I run your workflow "${name}" on the pool.`,
    calls: [{ name: tool, args: argsIn(values) }],
  };
}

/** Reads `width = 512, prompt = a red kite`. A value that is JSON is read as JSON. */
function argsIn(values: string): Record<string, unknown> {
  const pairs = [...values.matchAll(/([\w.-]+)\s*=\s*([^,]+)/g)];
  return Object.fromEntries(pairs.map(([, name, value = '']) => [name, valueIn(value.trim())]));
}

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A request fits into a sentence; text after that is material. */
const maxQuestionLength = 2_000;

function say(text: string): ScriptedReply {
  return { text, calls: [] };
}

function call(scripted: ScriptedCall, text: string): Rule['reply'] {
  return (tools) => {
    if (tools.has(scripted.name)) return { text, calls: [scripted] };
    return say(without(scripted.name));
  };
}

function without(tool: string): string {
  const reason =
    tool === listFilesName ? 'the files of threads cannot be listed here' : 'this gateway has no pool';
  return `${label} I would need the tool ${tool} for that, and ${reason}.`;
}

/** Returns the answers of all tools that the last reply called. */
function answersSince(turns: readonly Turn[]): Turn[] {
  const before = turns.findLastIndex(({ from }) => from !== 'tool');
  return turns.slice(before + 1);
}

function tellResult({ text, tool }: Turn): string {
  if (tool?.failed) return `That did not work. ${text}`;
  const result = parse(text);
  if (tool?.name === listInstancesName) return tellInstances(result);
  if (tool?.name === listWorkflowsName) return tellWorkflows(result);
  if (tool?.name === listFilesName)
    return `This conversation has these files:\n${text.slice(0, maxEchoLength)}`;
  if (tool && (tool.name === runWorkflowName || isWorkflowTool(tool.name))) return tellFiles(result);
  return `Here is what ${tool?.name ?? 'the tool'} answered: ${text.slice(0, maxEchoLength)}`;
}

const maxEchoLength = 1_000;

function tellInstances({ instances }: Record<string, unknown>): string {
  const workers = (Array.isArray(instances) ? instances : []) as { name: string; state: string }[];
  if (workers.length === 0) return 'The pool has no workers yet.';
  const lines = workers.map(({ name, state }) => `- ${name}: ${state}`);
  return [`The pool has ${count(workers.length, 'worker')}:`, ...lines].join('\n');
}

function tellWorkflows({ workflows }: Record<string, unknown>): string {
  const saved = (Array.isArray(workflows) ? workflows : []) as { name: string; params: string[] }[];
  if (saved.length === 0) {
    return 'You have saved no workflow for me yet. `switchyard workflows import FILE --expose` does it.';
  }
  const lines = saved.map(
    ({ name, params }) => `- ${name}${params.length > 0 ? ` (${params.join(', ')})` : ''}`,
  );
  return [`You have ${count(saved.length, 'saved workflow')}. Say "run <name>":`, ...lines].join('\n');
}

interface MadeFile {
  filename: string;
  url: string;
  virtual_path?: string | null;
  problem?: string;
}

function filesIn({ files }: Record<string, unknown>): MadeFile[] {
  return (Array.isArray(files) ? files : []) as MadeFile[];
}

function tellFiles(result: Record<string, unknown>): string {
  const taskId = String(result.task_id);
  const made = filesIn(result);
  if (made.length === 0) return `Task ${taskId} is done. It made no files.`;
  return [`Done. Task ${taskId} made ${count(made.length, 'file')}:`, ...made.map(fileLine)].join('\n');
}

function fileLine({ filename, url, virtual_path: path, problem }: MadeFile): string {
  if (problem !== undefined) return `- [${filename}](${url}), not among your files: ${problem}`;
  return path ? `- [${filename}](${url}), kept as ${path}` : `- [${filename}](${url})`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
