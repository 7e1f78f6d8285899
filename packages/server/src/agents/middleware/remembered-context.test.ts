import { HumanMessage } from '@langchain/core/messages';
import { createAgent } from 'langchain';
import { describe, expect, it } from 'vitest';
import { ScriptedModel } from '../../../testing/scripted-model.ts';
import { runHandleKey } from '../run-contract/run-handle.ts';
import { agentNameKey } from '../working-agent.ts';
import { type MemoryOf, rememberedContext } from './remembered-context.ts';

/** Returns what the model is told when a run of this user, working as this agent, asks a question. */
async function promptOf(
  memoryOf: MemoryOf,
  userId: string,
  agentName: string | null = null,
): Promise<string> {
  let prompt = '';
  const model = new ScriptedModel('m', (messages) => {
    prompt = messages.find(({ type }) => type === 'system')?.text ?? '';
    return { text: 'ok' };
  });
  const memory = rememberedContext(memoryOf, { warn: () => {} });
  const agent = createAgent({ model, tools: [], systemPrompt: 'Be kind.', middleware: [memory] });
  const state = await agent.invoke(
    { messages: [new HumanMessage('hello')] },
    {
      configurable: {
        [runHandleKey]: { userId, beforeActing: async () => {} },
        [agentNameKey]: agentName,
      },
    },
  );
  expect(JSON.stringify(state)).not.toContain('remembered');
  return prompt;
}

describe('an agent with memory', () => {
  it('is told what is remembered about the user of its run, and about no other user', async () => {
    const memoryOf = async (userId: string) => `remembered of ${userId}`;
    expect(await promptOf(memoryOf, 'ada')).toBe('Be kind.\n\nremembered of ada');
    expect(await promptOf(memoryOf, 'bob')).toBe('Be kind.\n\nremembered of bob');
  });

  it('is told what it remembers itself, and not what another agent remembers', async () => {
    const memoryOf: MemoryOf = async (_userId, agentName) => `remembered by ${agentName ?? 'the lead agent'}`;
    expect(await promptOf(memoryOf, 'ada', 'painter')).toContain('remembered by painter');
    expect(await promptOf(memoryOf, 'ada')).toContain('remembered by the lead agent');
  });

  it('works without a memory that cannot be read', async () => {
    const memoryOf = async () => {
      throw new Error('broken');
    };
    expect(await promptOf(memoryOf, 'ada')).toBe('Be kind.');
  });
});
