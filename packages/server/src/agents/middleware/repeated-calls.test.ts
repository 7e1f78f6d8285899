import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { withResults } from './dangling-calls.ts';
import { repetitions } from './repeated-calls.ts';

describe('repeated calls', () => {
  it('are counted in a row, whatever their ids and their order', () => {
    const twice = [...turn('a', 1), ...turn('a', 1)];

    expect(repetitions([])).toBe(0);
    expect(repetitions([new HumanMessage('x'), ...twice])).toBe(2);
    expect(repetitions([...twice, ...turn('a', 2)])).toBe(1);
    expect(repetitions([calls('a', 'b'), calls('b', 'a')])).toBe(2);
  });

  it('are counted from zero again when the user speaks', () => {
    expect(repetitions([...turn('a', 1), ...turn('a', 1), new HumanMessage('again'), ...turn('a', 1)])).toBe(
      1,
    );
  });
});

describe('calls without a result', () => {
  it('get one right behind them, and other calls stay as they are', () => {
    const messages = [new HumanMessage('x'), calls('a', 'b'), result('a'), new HumanMessage('y')];

    const repaired = withResults(messages);
    expect(repaired.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'tool', 'human']);
    expect(repaired[2]).toMatchObject({ tool_call_id: 'id-b', name: 'b', status: 'error' });
    expect(withResults(repaired)).toEqual(repaired);
  });
});

let next = 0;

function turn(name: string, value: number): BaseMessage[] {
  next += 1;
  const id = `call-${next}`;
  return [
    new AIMessage({ content: '', tool_calls: [{ id, name, args: { value } }] }),
    new ToolMessage({ content: 'same', tool_call_id: id }),
  ];
}

function calls(...names: string[]): AIMessage {
  return new AIMessage({
    content: '',
    tool_calls: names.map((name) => ({ id: `id-${name}`, name, args: {} })),
  });
}

function result(name: string): ToolMessage {
  return new ToolMessage({ content: 'done', tool_call_id: `id-${name}` });
}
