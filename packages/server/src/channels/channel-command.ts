export const commands = {
  new: 'begin a new conversation',
  bootstrap: 'set up an agent of your own: /bootstrap and its name',
  status: 'the conversation you are in',
  stop: 'stop the answer that is being written',
  models: 'the models that can be used',
  memory: 'what is remembered about you',
  help: 'this list',
} as const;
export type CommandName = keyof typeof commands;

export type Command = { name: CommandName; argument: string } | { name: 'unknown'; given: string };

/** Telegram writes `/new@name_of_the_bot` in groups, and starts a chat with `/start`. Returns null for ordinary words. */
export function commandIn(text: string): Command | null {
  const [, word, argument = ''] = /^\/([a-z][a-z0-9_]{0,31})(?:@\S+)?(?:\s+(.*))?$/is.exec(text.trim()) ?? [];
  const given = word?.toLowerCase();
  if (given === undefined) return null;
  if (given === 'start') return { name: 'help', argument: '' };
  const isKnown = Object.hasOwn(commands, given);
  return isKnown ? { name: given as CommandName, argument } : { name: 'unknown', given };
}

export function helpText(): string {
  const lines = Object.entries(commands).map(([name, what]) => `/${name} - ${what}`);
  return ['Write what you want, or send files. Besides that there are:', ...lines].join('\n');
}

export function unknownText(given: string): string {
  const names = Object.keys(commands).map((name) => `/${name}`);
  return `Unknown command: /${given}. Available commands: ${names.join(', ')}`;
}
