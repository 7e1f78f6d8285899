export const commands = {
  new: 'begin a new conversation',
  status: 'the conversation you are in',
  stop: 'stop the answer that is being written',
  models: 'the models that can be used',
  memory: 'what is remembered about you',
  help: 'this list',
} as const;
export type CommandName = keyof typeof commands;

export type Command = { name: CommandName } | { name: 'unknown'; given: string };

/** Telegram writes `/new@name_of_the_bot` in groups, and greets with `/start`. Null for ordinary words. */
export function commandIn(text: string): Command | null {
  const given = /^\/([a-z][a-z0-9_]{0,31})(?:@\S+)?(?:\s|$)/i.exec(text.trim())?.[1]?.toLowerCase();
  if (given === undefined) return null;
  if (given === 'start') return { name: 'help' };
  return Object.hasOwn(commands, given) ? { name: given as CommandName } : { name: 'unknown', given };
}

export function helpText(): string {
  const lines = Object.entries(commands).map(([name, what]) => `/${name} - ${what}`);
  return ['Write what you want, or send files. Besides that there are:', ...lines].join('\n');
}

export function unknownText(given: string): string {
  const names = Object.keys(commands).map((name) => `/${name}`);
  return `Unknown command: /${given}. Available commands: ${names.join(', ')}`;
}
