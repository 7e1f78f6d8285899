import { describe, expect, it } from 'vitest';
import { spokenTurnIn } from './spoken-turn.ts';

const human = (content: unknown, more: object = {}) => ({ type: 'human', content, ...more });
const ai = (content: unknown, more: object = {}) => ({ type: 'ai', content, tool_calls: [], ...more });
const turnOf = (...messages: object[]) => spokenTurnIn({ messages });

describe('the last turn of a conversation', () => {
  it('contains what the user said, the answers, and the answer before it', () => {
    expect(turnOf(human('Hi'), ai('Hello. Tea?'), human('Yes, green'), ai('Here you are.'))).toEqual({
      before: 'Hello. Tea?',
      said: [
        { role: 'user', text: 'Yes, green' },
        { role: 'assistant', text: 'Here you are.' },
      ],
    });
  });

  it('leaves out calls and results of tools', () => {
    const call = ai('Let me look', { tool_calls: [{ id: 'c', name: 'look', args: {} }] });
    const result = { type: 'tool', content: 'The user loves spam', tool_call_id: 'c' };
    expect(turnOf(human('Look'), call, result, ai('Nothing there.'))?.said).toEqual([
      { role: 'user', text: 'Look' },
      { role: 'assistant', text: 'Nothing there.' },
    ]);
  });

  it('leaves out messages that the user neither wrote nor saw', () => {
    const messages = [
      human('They spoke of tea.', { name: 'summary' }),
      human('Older things', { additional_kwargs: { lc_source: 'summarization' } }),
      human('Go on', { additional_kwargs: { hide_from_ui: true } }),
      human('<uploaded_files>\n- /mnt/user-data/uploads/cv.pdf\n</uploaded_files>\n\nI am a baker'),
      ai('<think>A baker. Hm.</think>Nice.'),
    ];
    expect(turnOf(...messages)).toEqual({
      before: null,
      said: [
        { role: 'user', text: 'I am a baker' },
        { role: 'assistant', text: 'Nice.' },
      ],
    });
  });

  it('uses the texts of messages that consist of blocks', () => {
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const turn = turnOf(
      human([{ type: 'text', text: 'My cat' }, picture]),
      ai([{ type: 'text', text: 'Cute' }]),
    );
    expect(turn?.said.map(({ text }) => text)).toEqual(['My cat', 'Cute']);
  });

  it('is null when the user has said nothing', () => {
    expect(turnOf()).toBeNull();
    expect(turnOf(ai('Anybody there?'))).toBeNull();
    expect(turnOf(human([{ type: 'image_url', image_url: { url: 'x' } }]), ai('A cat.'))).toBeNull();
    expect(spokenTurnIn({ messages: 'no list' })).toBeNull();
  });

  it('has a limit of length, and is never cut within a character', () => {
    const turn = turnOf(human(`${'a'.repeat(3_999)}😀 and more`));
    expect(turn?.said).toEqual([{ role: 'user', text: `${'a'.repeat(3_999)}\ufffd` }]);
  });
});
