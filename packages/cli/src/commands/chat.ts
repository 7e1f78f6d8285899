import type { Client } from '@switchyard/client/client';
import type { RunCreate } from '@switchyard/contract/conversation/run';
import { createThread, getThread } from '@switchyard/contract/conversation/threads';
import type { Command } from 'commander';
import { LineReader, readMessage } from '../chat-input.ts';
import { type TurnEnd, takeTurn } from '../chat-turn.ts';
import { CommandError } from '../exit-codes.ts';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { answerTo, type Interrupt, questionOf } from '../interrupt-answer.ts';
import { openConversations } from '../open-gateway.ts';
import { plainLines } from '../plain-text.ts';
import type { Terminal } from '../terminal.ts';

interface ChatOptions extends GatewayOptions {
  thread?: string;
  agent?: string;
  json?: true;
}

export function addChatCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('chat [message...]')
    .option('--thread <id>', 'go on in this thread (default: a new one)')
    .option('--agent <id>', 'agent to talk to: a graph or an assistant (default: that of the gateway)')
    .option('--json', 'print the frames of the stream, one a line')
    .action((words: string[], options: ChatOptions) => chat(words.join(' '), options, terminal));
  addGatewayOptions(command);
  describeCommand(command, {
    purpose: 'talk to an agent: send one message, or hold a conversation when none is given',
    examples: [
      'switchyard chat "what can you do?"',
      'switchyard chat                                # Ctrl-C cancels the answer, Ctrl-D leaves',
      'switchyard chat --thread 4f7c… "and in French?"',
      'git diff | switchyard chat --agent reviewer',
    ],
    environment: gatewayEnvironment,
    exits: ['ok', 'failed', 'usage', 'auth', 'not_found', 'unreachable', 'cancelled'],
  });
}

interface Chat {
  client: Client;
  options: ChatOptions;
  terminal: Terminal;
  threadId: string;
  /** The questions of an agent that waits; the next message answers them. */
  interrupts: Interrupt[];
}

async function chat(given: string, options: ChatOptions, terminal: Terminal): Promise<void> {
  const isConversation = given === '' && terminal.stdin.isTTY === true;
  const message = given === '' && !isConversation ? await readMessage(terminal) : given;
  if (message === '' && !isConversation)
    throw new CommandError('usage', 'There is no message. Write one after the command, or pipe one in.');
  const client = await openConversations(options, terminal);
  const talk: Chat = { client, options, terminal, ...(await openThread(client, options)) };
  if (isConversation) await converse(talk);
  else await sendOne(message, talk);
}

async function openThread(
  client: Client,
  { thread: thread_id, agent }: ChatOptions,
): Promise<Pick<Chat, 'threadId' | 'interrupts'>> {
  if (thread_id === undefined) {
    const created = await client.call(createThread, { body: { ...(agent && { assistant_id: agent }) } });
    return { threadId: created.thread_id, interrupts: [] };
  }
  const thread = await client.call(getThread, { params: { thread_id } });
  return { threadId: thread_id, interrupts: Object.values(thread.interrupts).flat() };
}

async function sendOne(message: string, talk: Chat): Promise<void> {
  const { stderr } = talk.terminal;
  const end = await send(message, talk);
  if (end.outcome === 'cancelled') throw new CommandError('cancelled', 'Cancelled.');
  if (end.outcome === 'failed') throw new CommandError('failed', end.error ?? 'The run failed.');
  if (!talk.options.json) stderr.write(`Go on with: switchyard chat --thread ${talk.threadId}\n`);
}

/** Takes turns until Ctrl-D, or until Ctrl-C while no run is going on. */
async function converse(talk: Chat): Promise<void> {
  const { stderr } = talk.terminal;
  const reader = new LineReader(talk.terminal);
  stderr.write(`Thread ${talk.threadId}. Ctrl-C cancels an answer, Ctrl-D leaves.\n`);
  if (talk.interrupts.length > 0) sayQuestion(talk);
  for (;;) {
    const line = await reader.ask('> ');
    if (line === null) return void stderr.write('\n');
    if (line.trim() === '') continue;
    const end = await send(line, talk);
    if (end.outcome === 'failed') stderr.write(`${plainLines(end.error ?? 'The run failed.')}\n`);
    if (end.outcome === 'cancelled') stderr.write('Cancelled.\n');
  }
}

async function send(text: string, talk: Chat): Promise<TurnEnd> {
  const { client, terminal, threadId, options } = talk;
  const end = await takeTurn(bodyFor(text, talk), {
    client,
    terminal,
    threadId,
    asJson: options.json === true,
  });
  talk.interrupts = end.interrupts;
  if (end.interrupts.length > 0) sayQuestion(talk);
  return end;
}

function bodyFor(text: string, { interrupts, options }: Chat): RunCreate {
  const agent = options.agent === undefined ? {} : { assistant_id: options.agent };
  if (interrupts.length > 0) return { ...agent, command: { resume: answerTo(interrupts, text) } };
  return { ...agent, input: { messages: [{ role: 'user', content: text }] } };
}

function sayQuestion({ interrupts, terminal }: Chat): void {
  terminal.stderr.write(`The agent waits for an answer:\n${plainLines(questionOf(interrupts))}\n`);
}
