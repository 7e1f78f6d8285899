/** The answer of a model without its thoughts. Thoughts that were cut off go to the end of the answer. */
export function withoutThoughts(answer: string): string {
  return answer.replace(/<think(ing)?>[\s\S]*?(<\/think(ing)?>|$)/g, '').trim();
}
