import {
  type FakeOpenAi,
  type FakeReply,
  type FakeRequest,
  startFakeOpenAi,
} from '@switchyard/dev-env/fake-openai';
import { longGraph } from './fleet.ts';

interface Gate {
  opened: Promise<void>;
  open: () => void;
}

export interface ScriptedProvider extends FakeOpenAi {
  /** Lets stories that wait in the middle go on. */
  goOn: () => void;
  /** The file of settings for a gateway that asks this provider. */
  settings: (more?: object) => object;
}

export const storyBegins = 'Once upon a time ';
export const storyEnds = 'there was a worker.';

/** A provider that answers by what the last message of the user says. */
export async function startScriptedProvider(): Promise<ScriptedProvider> {
  let gate = newGate();
  const provider = await startFakeOpenAi((request) => aside(request) ?? scripted(request, gate));
  return {
    ...provider,
    goOn: () => {
      gate.open();
      gate = newGate();
    },
    settings: (more = {}) => ({
      version: 1,
      models: { scripted: { base_url: provider.url, api_key: 'sk-1', model: 'scripted-1', ...priced } },
      ...more,
    }),
  };
}

const priced = { pricing: { input_per_million: 1_000, output_per_million: 2_000 } };

/** What the gateway asks beside the conversation. */
function aside({ messages }: FakeRequest): FakeReply | null {
  const first = textOf(messages[0]);
  if (first.startsWith('Write a title')) return { text: 'A scripted title' };
  if (first.startsWith('Suggest exactly')) return { text: '["What next?"]' };
  return first.includes('You are a sub-agent') ? { text: 'I looked at every box.' } : null;
}

function scripted({ messages }: FakeRequest, gate: Gate): FakeReply {
  const asked = textOf(messages.findLast(({ role }: { role: string }) => role === 'user'));
  const answered = answeredCalls(messages);
  const step = asked.includes('a report') ? reportCalls[answered] : undefined;
  if (step) return { text: 'I write.', calls: [{ id: `call_${messages.length}`, ...step }] };
  if (answered > 0) return { text: `The tool said: ${textOf(messages.at(-1)).slice(0, 300)}` };
  if (asked.includes('a story')) return { text: storyBegins, later: { when: gate.opened, text: storyEnds } };
  const call = callFor(asked, messages.length);
  return call ? { text: 'I will see.', calls: [call] } : { text: `You said: ${asked}` };
}

/** A report is written, and then shown. */
const reportCalls = [
  {
    name: 'write_file',
    args: { description: 'Writes', path: '/mnt/user-data/outputs/report.md', content: '# Report' },
  },
  { name: 'present_files', args: { filepaths: ['/mnt/user-data/outputs/report.md'] } },
];

function callFor(asked: string, place: number): NonNullable<FakeReply['calls']>[number] | null {
  const id = `call_${place}`;
  if (asked.includes('a picture')) {
    return { id, name: 'run_workflow', args: { workflow: longGraph(2), name: 'Scripted picture' } };
  }
  if (asked.includes('a film')) {
    return { id, name: 'run_workflow', args: { workflow: longGraph(3, 6), name: 'Scripted film' } };
  }
  if (asked.includes('a question')) {
    const question = {
      question: 'Which colour?',
      clarification_type: 'approach_choice',
      options: ['red', 'blue'],
    };
    return { id, name: 'ask_clarification', args: question };
  }
  if (asked.includes('a helper')) {
    const args = { description: 'Look at the boxes', prompt: 'Look', subagent_type: 'general-purpose' };
    return { id, name: 'task', args };
  }
  if (!asked.includes('a plan')) return null;
  const todos = [
    { content: 'Measure', status: 'completed' },
    { content: 'Cut', status: 'in_progress' },
  ];
  return { id, name: 'write_todos', args: { todos } };
}

/** Returns how many calls have a result since the last message of the user. */
function answeredCalls(messages: FakeRequest['messages']): number {
  const asked = messages.findLastIndex(({ role }: { role: string }) => role === 'user');
  return messages.slice(asked).filter(({ role }: { role: string }) => role === 'tool').length;
}

/** The content of a message: text, or parts of which some are text. */
function textOf(message: { content?: unknown } | undefined): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('\n') : '';
}

function newGate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
