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
  const known = new Set(asked.map(plain));
  return understood
    .filter(({ question, needsPool }) => (hasPool || !needsPool) && !known.has(plain(question)))
    .map(({ question }) => question)
    .slice(0, max);
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
    .trim();
}
