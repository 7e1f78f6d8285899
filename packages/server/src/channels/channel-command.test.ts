import { expect, it } from 'vitest';
import { commandIn, helpText, unknownText } from './channel-command.ts';

it.each([
  ['/new', { name: 'new', argument: '' }],
  [' /NEW please do', { name: 'new', argument: 'please do' }],
  ['/status@my_bot', { name: 'status', argument: '' }],
  ['/start', { name: 'help', argument: '' }],
  ['/dance', { name: 'unknown', given: 'dance' }],
  ['/constructor', { name: 'unknown', given: 'constructor' }],
  ['/new/path', null],
  ['/', null],
  ['say /new', null],
  ['', null],
])('%j is %j', (text, command) => {
  expect(commandIn(text)).toEqual(command);
});

it('help and the answer to an unknown command list every command', () => {
  for (const name of ['/new', '/status', '/stop', '/models', '/memory', '/help']) {
    expect(helpText()).toContain(name);
    expect(unknownText('x')).toContain(name);
  }
});
