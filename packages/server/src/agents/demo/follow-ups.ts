const understood = [
  { question: 'What can you do?', needsPool: false },
  { question: 'List instances', needsPool: true },
  { question: 'Invert a picture', needsPool: true },
  { question: 'Who are you?', needsPool: false },
];

/** Returns requests that the demo model would understand next and that the user has not made yet. */
export function demoFollowUps(
  asked: readonly string[],
  { max, hasPool }: { max: number; hasPool: boolean },
): string[] {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
  const known = new Set(asked.map(plain));
  const possible = understood.filter(({ needsPool }) => hasPool || !needsPool);
  const open = possible.filter(({ question }) => !known.has(plain(question)));
  return open.slice(0, max).map(({ question }) => question);
}
