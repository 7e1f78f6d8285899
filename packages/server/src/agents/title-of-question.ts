const maxTitleLength = 50;

/** The title of a thread for which no model has written one: its question, cut after fifty characters. */
export function titleOfQuestion(question: string): string {
  const title = cutTitle(question);
  return title === '' ? 'New Conversation' : title;
}

export function cutTitle(text: string): string {
  const characters = [...text.trim().replace(/\s+/g, ' ')];
  if (characters.length <= maxTitleLength) return characters.join('');
  return `${characters.slice(0, maxTitleLength).join('').trimEnd()}...`;
}
