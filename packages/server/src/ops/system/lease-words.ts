const words: readonly (readonly [prefix: string, say: (name: string) => string])[] = [
  ['dispatch', () => 'places tasks and looks after the workers'],
  ['runs:', () => 'works on runs of agents'],
  ['channel:', (name) => `receives the messages of ${name}`],
  ['channel-reply:', () => 'sends a reply to a channel'],
  ['memory:', () => 'changes the memory of a user'],
  ['agents:', () => 'changes the agents of a user'],
  ['skills', () => 'changes the skills'],
  ['extensions', () => 'changes the tools and the switches of skills'],
  ['replica:redis:', () => 'is a replica that hears of the others through Redis'],
  ['replica:database:', () => 'is a replica that hears of the others through the database alone'],
  ['gateway', () => 'is the only gateway of this database'],
];

/** Says in plain words what a process does that holds a lease. */
export function leaseInWords(key: string): string {
  const known = words.find(([prefix]) => key.startsWith(prefix));
  return known ? known[1](key.slice(known[0].length)) : `holds ${key}`;
}
