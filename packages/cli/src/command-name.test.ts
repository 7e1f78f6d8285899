import { expect, it } from 'vitest';
import { commandName } from './command-name.ts';

it.each([
  ['/home/ada/clone/node_modules/.bin/switchyard', '/home/ada/agent', 'switchyard'],
  ['/home/ada/clone/packages/cli/bin/switchyard.mjs', '/home/ada/clone', 'packages/cli/bin/switchyard.mjs'],
  ['/opt/clone/packages/cli/bin/switchyard.mjs', '/home/ada', '/opt/clone/packages/cli/bin/switchyard.mjs'],
  ['/home/my files/packages/cli/bin/switchyard.mjs', '/', 'switchyard'],
  ['', '/', 'switchyard'],
])('%s, started in %s, is called as %s', (entry, cwd, name) => {
  expect(commandName(entry, cwd)).toBe(name);
});
