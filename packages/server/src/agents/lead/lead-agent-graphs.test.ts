import { describe, expect, it } from 'vitest';
import type { AgentGraph } from '../loading/agents.ts';
import type { SavedWorkflow } from '../tools/workflow-runner.ts';
import { LeadAgentGraphs } from './lead-agent-graphs.ts';

describe('the graphs of the lead agent', () => {
  it('are kept for each user until the workflows change', async () => {
    const users = new Users({ ada: ['portrait'], bob: ['poster'] });
    const first = await users.graphs.of('ada');

    expect(await users.graphs.of('ada')).toBe(first);
    expect(await users.graphs.of('bob')).not.toBe(first);
    expect(users.lists).toBe(2);

    users.change('ada', ['portrait', 'film']);
    const second = await users.graphs.of('ada');
    expect(second).not.toBe(first);
    expect(users.toolsOf(second)).toEqual(['portrait', 'film']);
  });

  it('are one for all users without workflows', async () => {
    const users = new Users({});

    expect(await users.graphs.of('ada')).toBe(await users.graphs.of('bob'));
  });

  it('are made once for runs that begin together', async () => {
    const users = new Users({ ada: ['portrait'] });
    const [one, other] = await Promise.all([users.graphs.of('ada'), users.graphs.of('ada')]);

    expect(one).toBe(other);
    expect(users.lists).toBe(1);
  });

  it('are tried again when the list could not be read', async () => {
    const users = new Users({ ada: ['portrait'] });
    users.isBroken = true;
    await expect(users.graphs.of('ada')).rejects.toThrow('broken');

    users.isBroken = false;
    expect(users.toolsOf(await users.graphs.of('ada'))).toEqual(['portrait']);
  });

  it('forget the user who has not come for the longest time', async () => {
    const users = new Users({ ada: ['portrait'] });
    await users.graphs.of('ada');
    for (let count = 0; count < 200; count += 1) await users.graphs.of(`user-${count}`);
    const listed = users.lists;
    await users.graphs.of('ada');

    expect(users.lists).toBe(listed + 1);
  });
});

class Users {
  lists = 0;
  isBroken = false;
  readonly #names: Record<string, string[]>;
  readonly #marks = new Map<string, number>();
  readonly #tools = new Map<AgentGraph, string[]>();
  readonly graphs: LeadAgentGraphs = new LeadAgentGraphs({
    saved: {
      mark: async (userId) => this.#marks.get(userId) ?? 0,
      exposed: async (userId) => {
        this.lists += 1;
        if (this.isBroken) throw new Error('broken');
        return (this.#names[userId] ?? []).map((name) => ({ id: name, name, description: '', schema: {} }));
      },
    },
    make: (saved) => this.#make(saved),
  });

  constructor(names: Record<string, string[]>) {
    this.#names = names;
  }

  change(userId: string, names: string[]): void {
    this.#names[userId] = names;
    this.#marks.set(userId, (this.#marks.get(userId) ?? 0) + 1);
  }

  toolsOf(graph: AgentGraph): string[] | undefined {
    return this.#tools.get(graph);
  }

  #make(saved: readonly SavedWorkflow[]): AgentGraph {
    const graph = {} as AgentGraph;
    this.#tools.set(
      graph,
      saved.map(({ name }) => name),
    );
    return graph;
  }
}
