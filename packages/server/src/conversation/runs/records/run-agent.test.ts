import { describe, expect, it } from 'vitest';
import { requestedAgentOf, withAgent } from './run-agent.ts';
import { kwargsOf } from './run-request.ts';

const rules = {
  assistant: { config: { configurable: { agent_name: 'painter' } }, context: {} },
  recursionLimit: { standard: 100, max: 1_000 },
  newMessageId: () => 'id',
};
const asked = (body: object) => kwargsOf(body, rules);
const modelOf = ({ config, context }: ReturnType<typeof asked>) =>
  context.model_name ?? config.configurable?.model_name;

describe('the agent that a run names', () => {
  it('is that of its assistant, unless the run itself names one', () => {
    expect(requestedAgentOf(asked({}))).toBe('painter');
    expect(requestedAgentOf(asked({ config: { configurable: { agent_name: 'writer' } } }))).toBe('writer');
    const both = { context: { agent_name: 'singer' }, config: { configurable: { agent_name: 'writer' } } };
    expect(requestedAgentOf(asked(both))).toBe('singer');
    expect(requestedAgentOf(asked({ context: { agent_name: 'lead_agent' } }))).toBeNull();
  });

  it.each([null, ''])('is not named by %j', (agent_name) => {
    expect(requestedAgentOf(asked({ context: { agent_name } }))).toBe('painter');
  });

  it.each([0, false, {}, []])('is refused as %j', (agent_name) => {
    expect(() => requestedAgentOf(asked({ context: { agent_name } }))).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    );
  });
});

describe('a run of an agent', () => {
  const agent = { name: 'painter', model: 'big' };

  it('carries its name where no client can write it', () => {
    const forged = { agent_name: 'writer', __switchyard_agent: 'writer' };
    const kwargs = asked({ ...forged, config: { configurable: forged }, context: forged });

    expect(kwargs.agent_name).toBeUndefined();
    expect(JSON.stringify(kwargs)).not.toContain('__switchyard_agent');
    expect(withAgent(kwargs, agent).agent_name).toBe('painter');
  });

  it('uses the agent’s model when it asks for none itself', () => {
    expect(modelOf(withAgent(asked({}), agent))).toBe('big');
    expect(modelOf(withAgent(asked({ context: { model_name: 'small' } }), agent))).toBe('small');
    expect(modelOf(withAgent(asked({}), { ...agent, model: null }))).toBeUndefined();
  });
});
